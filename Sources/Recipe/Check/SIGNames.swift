package import Vocabulary

/// The Bluetooth SIG's names as a recipe meets them: which kind of attribute a name may mean.
package enum SIGNames {
  /// The service, characteristic or descriptor that has this number.
  package static func name(of uuid: UUID) -> String? {
    AssignedNumbers.name(ofService: uuid) ?? AssignedNumbers.name(ofCharacteristic: uuid)
      ?? AssignedNumbers.name(ofDescriptor: uuid)
  }

  package static func isService(_ name: String) -> Bool { AssignedNumbers.service(named: name) != nil }

  package static func isCharacteristic(_ name: String) -> Bool { AssignedNumbers.characteristic(named: name) != nil }

  package static func isDescriptor(_ name: String) -> Bool { AssignedNumbers.descriptor(named: name) != nil }

  package static func isAny(_ name: String) -> Bool { isService(name) || isCharacteristic(name) || isDescriptor(name) }

  /// The name of one of these kinds that was probably meant: a slip of the pen, else by its words.
  package static func suggestion(for word: String, kinds: [AssignedNumbers.Kind]) -> String? {
    let names = kinds.flatMap { AssignedNumbers.allNames($0) }
    if let near = Spelling.nearest(to: word, among: names) { return near }
    return AssignedNumbers.names(containing: word.split(separator: "_").map(String.init), kinds: kinds).first?.name
  }
}
