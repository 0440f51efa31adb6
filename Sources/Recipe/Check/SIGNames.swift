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

  /// The names of these kinds that were probably meant, the likeliest first: those that have the
  /// words of it, else one that is a slip of the pen away.
  package static func suggestions(for word: String, kinds: [AssignedNumbers.Kind]) -> [String] {
    let parts = word.split(separator: "_").map { $0.lowercased() }
    let slip = nearest(to: word, kinds: kinds)
    // A slip within one word is one: `batery_level`. A word that is right is part of a name.
    if let slip, Spelling.distance(Array(word.utf8), Array(slip.utf8)) == 1 { return [slip] }
    var found = AssignedNumbers.names(containing: parts, kinds: kinds)
    // Two letters begin half of all names.
    if parts.allSatisfy({ $0.utf8.count < 3 }) { found = [] }
    let whole = found.filter { entry in
      let own = entry.name.split(separator: "_").map(String.init)
      return parts.allSatisfy { own.contains($0) }
    }
    if !whole.isEmpty { found = whole }
    func rank(_ entry: AssignedNumbers.Entry) -> (Int, Int, Int, UInt16) {
      // What many devices have, and what has a format, is asked for most.
      let home = entry.kind == .characteristic ? HomeService.of(characteristic: UUID(entry.number)) : nil
      let isMain = home.flatMap { HomeService.main(of: $0) } == UUID(entry.number)
      let isKnown = entry.kind == .characteristic && FormatCatalog.contains(entry.name)
      let parts = entry.name.utf8.count { $0 == UInt8(ascii: "_") }
      return (home != nil ? 0 : isKnown ? 1 : 2, parts, isMain ? 0 : 1, entry.number)
    }
    // One word in the middle of a name that no device is known for says little.
    if parts.count == 1 { found = found.filter { rank($0).0 < 2 || $0.name.hasPrefix(parts[0]) } }
    let ranked = found.map { (rank: rank($0), name: $0.name) }.sorted { $0.rank < $1.rank }
    var names: [String] = []
    for entry in ranked where !names.contains(entry.name) { names.append(entry.name) }
    if !names.isEmpty { return Array(names.prefix(3)) }
    return slip.map { [$0] } ?? []
  }

  /// A name that is so few slips away that it was meant. There are so many names that a short word
  /// is near to some.
  private static func nearest(to word: String, kinds: [AssignedNumbers.Kind]) -> String? {
    let names = kinds.flatMap { AssignedNumbers.allNames($0) }
    guard let near = Spelling.nearest(to: word, among: names) else { return nil }
    let distance = Spelling.distance(Array(word.lowercased().utf8), Array(near.utf8))
    return distance == 0 || distance == 1 && word.utf8.count >= 4 || distance == 2 && word.utf8.count >= 8 ? near : nil
  }
}
