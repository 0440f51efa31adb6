package import Vocabulary

/// The Bluetooth SIG's names in recipes, by the kind of attribute that they may name.
package enum SIGNames {
  /// The name of the service, characteristic or descriptor with this UUID.
  package static func name(of uuid: UUID) -> String? {
    AssignedNumbers.name(ofService: uuid) ?? AssignedNumbers.name(ofCharacteristic: uuid)
      ?? AssignedNumbers.name(ofDescriptor: uuid)
  }

  package static func isService(_ name: String) -> Bool { AssignedNumbers.service(named: name) != nil }

  package static func isCharacteristic(_ name: String) -> Bool { AssignedNumbers.characteristic(named: name) != nil }

  package static func isDescriptor(_ name: String) -> Bool { AssignedNumbers.descriptor(named: name) != nil }

  package static func isAny(_ name: String) -> Bool { isService(name) || isCharacteristic(name) || isDescriptor(name) }

  /// Up to three names of these kinds that were probably meant, likeliest first: names that contain
  /// its words, otherwise the nearest name.
  package static func suggestions(for word: String, kinds: [AssignedNumbers.Kind]) -> [String] {
    let parts = word.split(separator: "_").map { $0.lowercased() }
    let slip = nearest(to: word, kinds: kinds)
    // `batery_level` is a typo. A word that is spelt correctly is part of a longer name.
    if let slip, Spelling.distance(Array(word.utf8), Array(slip.utf8)) == 1 { return [slip] }
    var found = AssignedNumbers.names(containing: parts, kinds: kinds)
    // One or two letters match too many names.
    if parts.allSatisfy({ $0.utf8.count < 3 }) { found = [] }
    let whole = found.filter { entry in
      let own = entry.name.split(separator: "_").map(String.init)
      return parts.allSatisfy { own.contains($0) }
    }
    if !whole.isEmpty { found = whole }
    func rank(_ entry: AssignedNumbers.Entry) -> (Int, Int, Int, UInt16) {
      // Common characteristics, and those with a format, come first.
      let home = entry.kind == .characteristic ? HomeService.of(characteristic: UUID(entry.number)) : nil
      let isMain = home.flatMap { HomeService.main(of: $0) } == UUID(entry.number)
      let isKnown = entry.kind == .characteristic && FormatCatalog.contains(entry.name)
      let parts = entry.name.utf8.count { $0 == UInt8(ascii: "_") }
      return (home != nil ? 0 : isKnown ? 1 : 2, parts, isMain ? 0 : 1, entry.number)
    }
    // A single word in the middle of an uncommon name is weak evidence.
    if parts.count == 1 { found = found.filter { rank($0).0 < 2 || $0.name.hasPrefix(parts[0]) } }
    let ranked = found.map { (rank: rank($0), name: $0.name) }.sorted { $0.rank < $1.rank }
    var names: [String] = []
    for entry in ranked where !names.contains(entry.name) { names.append(entry.name) }
    if !names.isEmpty { return Array(names.prefix(3)) }
    return slip.map { [$0] } ?? []
  }

  /// The nearest name, if it is near enough for the length of the word. A short word resembles some
  /// name by chance.
  private static func nearest(to word: String, kinds: [AssignedNumbers.Kind]) -> String? {
    let names = kinds.flatMap { AssignedNumbers.allNames($0) }
    guard let near = Spelling.nearest(to: word, among: names) else { return nil }
    let distance = Spelling.distance(Array(word.lowercased().utf8), Array(near.utf8))
    return distance == 0 || distance == 1 && word.utf8.count >= 4 || distance == 2 && word.utf8.count >= 8 ? near : nil
  }
}
