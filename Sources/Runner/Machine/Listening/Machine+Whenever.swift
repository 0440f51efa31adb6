import Exchange
import Recipe
import Vocabulary

/// `whenever … appears`, which has a fiber per device.
extension Machine {
  func isWhenever(_ unit: Int) -> Bool {
    if case .handler(let site) = program.units[unit].role, case .whenever = site.trigger { true } else { false }
  }

  /// The span of `again after`.
  mutating func pause(of unit: Int, _ start: Int) throws(Failure) -> TimeSpan {
    guard case .duration(let span) = try evaluate(unit: unit, at: start), span > .zero else {
      throw .value("`again after` takes a duration above zero")
    }
    return span
  }

  /// Checked before decoding, because a device that is present is heard again and again.
  mutating func mayAppear(_ unit: Int, _ address: Address, _ again: Int?, _ at: Instant) -> Bool {
    guard life == .running else { return false }
    var span: TimeSpan?
    if let again { span = try? pause(of: unit, again) }
    return seen.mayStart(unit, address, again: span, at)
  }

  mutating func appeared(_ index: Int, _ address: Address, _ unit: Int, _ site: HandlerSite) {
    guard !seen.isFull(unit) else { return events.countDropped(line: site.line, device: -1, at: now.moment) }
    let id = addFiber(role: .whenever(unit: unit, device: index), unit: unit, it: .device(index), device: index)
    seen.start(unit, address, id)
  }

  /// Closes the links that only this activation has made, after it has ended in any way.
  mutating func wheneverEnded(_ fiber: UInt64) {
    seen.end(fiber, now)
    giveBackDevices(of: fiber)
  }
}
