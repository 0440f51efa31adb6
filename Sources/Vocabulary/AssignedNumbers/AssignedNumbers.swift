/// The assigned numbers of the Bluetooth SIG, by the names in recipes: the SIG's name in lower case
/// with `_` (`heart_rate_measurement`). A service and a characteristic may share a name.
package enum AssignedNumbers {
  /// The kinds that have names in recipes.
  package enum Kind: UInt8, CaseIterable, Sendable {
    case service
    case characteristic
    case descriptor
    case appearance

    var table: NameTable {
      switch self {
      case .service: NameTable(text: ServiceNames.text)
      case .characteristic: NameTable(text: CharacteristicNames.text)
      case .descriptor: NameTable(text: DescriptorNames.text)
      case .appearance: NameTable(text: AppearanceNames.text)
      }
    }
  }

  /// A name with its number.
  package struct Entry: Hashable, Sendable {
    package var kind: Kind
    package var name: String
    /// The 16-bit UUID or the appearance value.
    package var number: UInt16
  }

  // MARK: From names to numbers

  package static func number(named name: String, kind: Kind) -> UInt16? { kind.table.number(named: name) }

  package static func service(named name: String) -> UUID? {
    if name == notificationCenterName { return notificationCenter }
    return number(named: name, kind: .service).map { UUID($0) }
  }

  package static func characteristic(named name: String) -> UUID? { number(named: name, kind: .characteristic).map { UUID($0) } }

  package static func descriptor(named name: String) -> UUID? { number(named: name, kind: .descriptor).map { UUID($0) } }

  package static func appearance(named name: String) -> UInt16? { number(named: name, kind: .appearance) }

  // MARK: From numbers to names

  package static func name(of uuid: UUID, kind: Kind) -> String? {
    if kind == .service, uuid == notificationCenter { return notificationCenterName }
    return uuid.short.flatMap { kind.table.name(of: $0) }
  }

  package static func name(ofService uuid: UUID) -> String? { name(of: uuid, kind: .service) }

  /// Apple Notification Center Service, which has no number of the SIG but is solicited by phone
  /// accessories.
  private static var notificationCenterName: String { "ancs" }
  private static var notificationCenter: UUID { UUID(high: 0x7905_F431_B5CE_4E99, low: 0xA40F_4B1E_122D_00D0) }

  package static func name(ofCharacteristic uuid: UUID) -> String? { name(of: uuid, kind: .characteristic) }

  package static func name(ofDescriptor uuid: UUID) -> String? { name(of: uuid, kind: .descriptor) }

  package static func name(ofAppearance value: UInt16) -> String? { Kind.appearance.table.name(of: value) }

  // MARK: Lists, for suggestions

  /// All names of a kind, without aliases.
  package static func allNames(_ kind: Kind) -> [String] {
    kind.table.entries.map(\.name) + (kind == .service ? [notificationCenterName] : [])
  }

  /// The names in which each word begins a part: `battery` finds `battery_level`. Empty if there
  /// are no words. Shorter names come first, then alphabetical order.
  package static func names(containing words: [String], kinds: [Kind] = [.service, .characteristic, .descriptor]) -> [Entry] {
    let wanted = words.flatMap { $0.lowercased().split { !$0.isLetter && !$0.isNumber } }
    guard !wanted.isEmpty else { return [] }
    var found: [(parts: Int, entry: Entry)] = []
    for kind in kinds {
      for (name, number) in kind.table.entries {
        let parts = name.split(separator: "_")
        guard wanted.allSatisfy({ word in parts.contains { $0.hasPrefix(word) } }) else { continue }
        found.append((parts.count, Entry(kind: kind, name: name, number: number)))
      }
    }
    found.sort { ($0.parts, $0.entry.name, $0.entry.kind.rawValue) < ($1.parts, $1.entry.name, $1.entry.kind.rawValue) }
    return found.map(\.entry)
  }

  // MARK: Companies

  /// The company with this identifier.
  package static func companyName(_ identifier: UInt16) -> String? { CompanyTable(text: CompanyNames.text).name(of: identifier) }

  /// All companies in the form of recipes: `apple_inc`.
  package static var companyNames: [String] { CompanyTable(text: CompanyNames.text).names }

  /// The identifier of the company with this name, ignoring the case of ASCII letters.
  package static func company(named name: String) -> UInt16? { CompanyTable(text: CompanyNames.text).identifier(named: name) }
}
