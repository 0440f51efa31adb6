import Exchange
import Vocabulary

/// When devices were last heard.
extension Machine {
  /// So much older may be what a checkpoint has.
  static let heardSaving = TimeSpan.seconds(5)

  /// By the wall clock as it goes now: who sets it makes nobody silent.
  func heard(_ index: Int) -> WallTime? { devices[link: index].heard.map { now.wall - max(now.moment - $0, .zero) } }

  mutating func noteHeard(_ index: Int, _ at: Instant) {
    let moment = max(at.moment, devices[link: index].heard ?? at.moment)
    devices[link: index].heard = moment
    guard program.asksWhenHeard else { return }
    if let saved = devices[index].heard, now.wall - saved < Self.heardSaving { return }
    devices[heard: index].heard = heard(index)
    hearings.note(now.moment)
  }

  /// While nobody listened nothing could be heard: that time is no silence of the device.
  mutating func takeUpHeard(_ past: PastRun) {
    guard program.asksWhenHeard else { return }
    for index in devices.indices {
      guard let heard = devices[index].heard else { continue }
      devices[link: index].heard = now.moment - max(past.at.wall - heard, .zero)
    }
  }
}
