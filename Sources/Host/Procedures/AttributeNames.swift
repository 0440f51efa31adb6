import Vocabulary

/// The names of UUIDs in messages: the name in a recipe if there is one, else the number.
enum AttributeNames {
  static func service(_ uuid: UUID) -> String { AssignedNumbers.name(ofService: uuid) ?? uuid.description }

  static func characteristic(_ uuid: UUID) -> String { AssignedNumbers.name(ofCharacteristic: uuid) ?? uuid.description }

  static func descriptor(_ uuid: UUID) -> String { AssignedNumbers.name(ofDescriptor: uuid) ?? uuid.description }
}
