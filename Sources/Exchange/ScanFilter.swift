package import Vocabulary

/// What a scan looks for, as far as a report alone decides it: who listens for several clients need
/// not wake one for what it would not take.
///
/// It lets through everything that the recipe would take, and may let through more. One part of
/// each kind must fit.
package struct ScanFilter: Equatable, Sendable {
  package enum Target: Equatable, Sendable {
    /// Advertised, or named by service data.
    case service(UUID)
    /// Advertised.
    case advertised(UUID)
    /// Has service data of this service.
    case serviceData(UUID)
    case manufacturer(UInt16)
    case name(Glob)
    /// The type is compared when it is known.
    case address(bits: UInt64, Address.Kind?)
  }

  /// One of them; anything when empty.
  package var targets: [Target]
  /// Each of them.
  package var names: [Glob]
  /// In dBm; the signal must be stronger.
  package var strongerThan: Int16?
  /// A manufacturer of one of these companies; anything when empty.
  package var companies: [UInt16]
  /// Each of these services is solicited.
  package var solicited: [UUID]

  package init(
    targets: [Target] = [], names: [Glob] = [], strongerThan: Int16? = nil, companies: [UInt16] = [], solicited: [UUID] = []
  ) {
    self.targets = targets
    self.names = names
    self.strongerThan = strongerThan
    self.companies = companies
    self.solicited = solicited
  }

  /// Every report passes.
  package var isEmpty: Bool {
    targets.isEmpty && names.isEmpty && strongerThan == nil && companies.isEmpty && solicited.isEmpty
  }

  /// More of one kind than this, or a longer pattern, is no filter: a report is looked at for many
  /// clients.
  package static let parts = 32
  package static let patternOctets = 256

  /// - Parameter name: the name of the advertisement, as UTF-8.
  package func admits(_ advertisement: Advertisement, name: [UInt8]?) -> Bool {
    if let strongerThan {
      guard let rssi = advertisement.rssi, rssi > Int(strongerThan) else { return false }
    }
    if !targets.isEmpty, !targets.contains(where: { Self.fits($0, advertisement, name) }) { return false }
    for pattern in names {
      guard let name, pattern.matches(name) else { return false }
    }
    for service in solicited where !advertisement.solicited.contains(service) { return false }
    return companies.isEmpty || advertisement.manufacturer.contains { companies.contains($0.company) }
  }

  private static func fits(_ target: Target, _ advertisement: Advertisement, _ name: [UInt8]?) -> Bool {
    switch target {
    case .service(let uuid):
      advertisement.services.contains(uuid) || advertisement.serviceData.contains { $0.service == uuid }
    case .advertised(let uuid): advertisement.services.contains(uuid)
    case .serviceData(let uuid): advertisement.serviceData.contains { $0.service == uuid }
    case .manufacturer(let company): advertisement.manufacturer.contains { $0.company == company }
    case .name(let pattern): name.map { pattern.matches($0) } ?? false
    case .address(let bits, let kind):
      advertisement.address.bits == bits && (kind.map { $0 == advertisement.address.kind } ?? true)
    }
  }
}
