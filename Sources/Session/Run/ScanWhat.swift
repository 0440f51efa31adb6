package import Exchange
import Runner
import Vocabulary

/// What `tooth scan` looks for: an address, a service, or a name with optional `*` and `?`.
package struct ScanWhat {
  private enum Kind {
    case address(AddressValue)
    case service(UUID)
    case name(String)
  }

  private let kind: Kind
  /// Devices that have matched once, because not every packet contains the name.
  private var known: Set<UInt64> = []
  private static let most = 4096

  package init(_ word: String, aliases: [(name: String, device: String)] = []) {
    let text = aliases.first { $0.name == word }?.device ?? word
    if let address = AddressValue(text) {
      kind = .address(address)
    } else if let service = AssignedNumbers.service(named: text) ?? UUID(text) {
      kind = .service(service)
    } else {
      kind = .name(text)
    }
  }

  package mutating func fits(_ one: Advertisement) -> Bool {
    switch kind {
    case .address(let address): return AddressValue(one.address).isSame(as: address)
    case .service(let service): if one.services.contains(service) { return remember(one) }
    case .name(let name): if let own = one.name, Glob.matches(name, own) { return remember(one) }
    }
    return known.contains(Self.key(one))
  }

  private mutating func remember(_ one: Advertisement) -> Bool {
    if known.count < Self.most { known.insert(Self.key(one)) }
    return true
  }

  private static func key(_ one: Advertisement) -> UInt64 { one.address.bits | UInt64(one.address.kind.rawValue) << 48 }
}
