import Exchange
import Vocabulary

/// How far the events of the host have been taken; each is acknowledged after the commit that
/// covers it.
struct Acknowledgement: Sendable {
  private var newest: EventNumber?
  private var acknowledged: EventNumber?

  mutating func take(_ number: EventNumber) { newest = number }

  /// The newest event, if it is not acknowledged yet; it is from now on.
  mutating func next() -> EventNumber? {
    guard let newest, newest != acknowledged else { return nil }
    acknowledged = newest
    return newest
  }
}
