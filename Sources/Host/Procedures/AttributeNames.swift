import Vocabulary

/// UUIDs in messages: by the name that a recipe may write, else by number.
enum AttributeNames {
  static func service(_ uuid: UUID) -> String { AssignedNumbers.name(ofService: uuid) ?? uuid.description }

  static func characteristic(_ uuid: UUID) -> String { AssignedNumbers.name(ofCharacteristic: uuid) ?? uuid.description }

  static func descriptor(_ uuid: UUID) -> String { AssignedNumbers.name(ofDescriptor: uuid) ?? uuid.description }
}
