import Exchange
import Vocabulary

/// Filters that the host may apply before it reports advertisements. They must not hide a report
/// that the scan would take, or on which one of its conditions would fail.
///
/// Conditions are taken in the order of `matches`. After a condition whose value may change during
/// the scan no filter is added, because with a new value that condition might fail.
extension Machine {
  func filter(of site: Int, _ fiber: borrowing Fiber) -> ScanFilter {
    guard program.scans.indices.contains(site), let base = fiber.frames.last?.base else { return ScanFilter() }
    return filter(of: program.scans[site], fiber, base)
  }

  private func filter(of site: ScanSite, _ fiber: borrowing Fiber, _ base: Int) -> ScanFilter {
    var filter = ScanFilter()
    for target in site.targets {
      guard let wanted = self.target(target, fiber, base) else { return ScanFilter() }
      filter.targets.append(wanted)
    }
    if filter.targets.count > ScanFilter.parts || filter.targets.contains(where: Self.isTooLong) { filter.targets = [] }
    filter.names = site.named.map { Glob($0) }.filter { $0.pattern.utf8.count <= ScanFilter.patternOctets }
    if filter.names.count > ScanFilter.parts { filter.names = [] }
    for operand in site.strongerThan {
      guard let wanted = constant(operand, fiber, base)?.whole else { return filter }
      filter.strongerThan = max(filter.strongerThan ?? .min, Int16(clamping: wanted))
    }
    for service in site.soliciting {
      guard case .uuid(let wanted)? = uuid(service, fiber, base) else { return filter }
      if filter.solicited.count < ScanFilter.parts { filter.solicited.append(wanted) }
    }
    if site.madeBy.count <= ScanFilter.parts { filter.companies = site.madeBy }
    return filter
  }

  private func uuid(_ site: UUIDSite, _ fiber: borrowing Fiber, _ base: Int) -> Value? {
    switch site {
    case .fixed(let uuid): .uuid(uuid)
    case .value(let operand): constant(operand, fiber, base)
    }
  }

  private static func isTooLong(_ target: ScanFilter.Target) -> Bool {
    if case .name(let glob) = target { glob.pattern.utf8.count > ScanFilter.patternOctets } else { false }
  }

  /// `nil` if only the recipe can decide it.
  private func target(_ target: ScanSite.Target, _ fiber: borrowing Fiber, _ base: Int) -> ScanFilter.Target? {
    switch target {
    case .service(let uuid): return .service(uuid)
    case .name(let pattern): return .name(Glob(pattern))
    case .address(let address): return .address(bits: address.bits, address.kind)
    case .format(let number):
      switch program.formats.advertised[number].source {
      case .serviceData(let uuid): return .serviceData(uuid)
      case .manufacturer(let company): return .manufacturer(company)
      }
    case .value(let operand):
      switch constant(operand, fiber, base) {
      case .uuid(let uuid): return .advertised(uuid)
      case .text(let pattern): return .name(Glob(pattern))
      case .address(let address): return .address(bits: address.bits, address.kind)
      default: return nil
      }
    }
  }

  /// A value that cannot change while its fiber waits; otherwise `nil`.
  private func constant(_ operand: Operand, _ fiber: borrowing Fiber, _ base: Int) -> Value? {
    if operand.isGlobal {
      guard program.variables.indices.contains(operand.index) else { return nil }
      switch program.variables[operand.index].kind {
      case .constant, .input: break
      case .state, .remembered, .secret: return nil
      }
    }
    return read(operand.raw, fiber, base)
  }
}
