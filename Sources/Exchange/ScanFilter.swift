package import Vocabulary

/// The conditions of a scan that a single report decides, so that a host with several clients wakes
/// only those that the report concerns.
///
/// The filter passes all that the recipe would accept, and may pass more. The conditions of all
/// kinds must hold.
package struct ScanFilter: Equatable, Sendable {
  package enum Target: Equatable, Sendable {
    /// A service that is advertised or has service data.
    case service(UUID)
    /// A service that is advertised.
    case advertised(UUID)
    /// A service that has service data.
    case serviceData(UUID)
    case manufacturer(UInt16)
    case name(Glob)
    /// An address; the type is compared only if it is known.
    case address(bits: UInt64, Address.Kind?)
  }

  /// One of these must match; empty matches anything.
  package var targets: [Target]
  /// Each of these must match.
  package var names: [Glob]
  /// The signal must be stronger than this, in dBm.
  package var strongerThan: Int16?
  /// One of these must be the manufacturer; empty matches anything.
  package var companies: [UInt16]
  /// Each of these services must be solicited.
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

  /// Whether every report passes.
  package var isEmpty: Bool {
    targets.isEmpty && names.isEmpty && strongerThan == nil && companies.isEmpty && solicited.isEmpty
  }

  /// The most parts of each kind. A filter with more, or with a longer pattern, is ignored, because
  /// a report is compared for many clients.
  package static let parts = 32
  package static let patternOctets = 256

  /// - Parameter name: The name in the advertisement, as UTF-8.
  package func admits(_ advertisement: Advertisement, name: [UInt8]?) -> Bool {
    if let strongerThan {
      guard let rssi = advertisement.rssi, rssi > Int(strongerThan) else { return false }
    }
    if !targets.isEmpty, !hasTarget(advertisement, name) { return false }
    for pattern in names {
      guard let name, pattern.matches(name) else { return false }
    }
    for service in solicited where !advertisement.solicited.contains(service) { return false }
    return companies.isEmpty || advertisement.manufacturer.contains { companies.contains($0.company) }
  }

  /// As a span, because a target is expensive to copy.
  private func hasTarget(_ advertisement: Advertisement, _ name: [UInt8]?) -> Bool {
    let targets = targets.span
    for index in targets.indices where Self.fits(targets[index], advertisement, name) { return true }
    return false
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
