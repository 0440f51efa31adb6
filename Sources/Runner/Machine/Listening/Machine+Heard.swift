import Exchange
import Vocabulary

/// When devices were last heard.
extension Machine {
  /// The maximum delay before the time is saved in the checkpoint.
  static let heardSaving = TimeSpan.seconds(5)

  /// In terms of the current wall clock, so that setting the clock does not change the elapsed
  /// time.
  func heard(_ index: Int) -> WallTime? { devices[link: index].heard.map { now.wall - max(now.moment - $0, .zero) } }

  mutating func noteHeard(_ index: Int, _ at: Instant) {
    let moment = max(at.moment, devices[link: index].heard ?? at.moment)
    devices[link: index].heard = moment
    guard program.asksWhenHeard else { return }
    if let saved = devices[index].heard, now.wall - saved < Self.heardSaving { return }
    devices[heard: index].heard = heard(index)
    runningScans.note(now.moment)
  }

  /// Shifts the times of a restored run, because the time without a scan is not a device's silence.
  mutating func restoreHeard(_ past: PastRun) {
    guard program.asksWhenHeard else { return }
    for index in devices.indices {
      guard let heard = devices[index].heard else { continue }
      devices[link: index].heard = now.moment - max(past.at.wall - heard, .zero)
    }
  }
}
