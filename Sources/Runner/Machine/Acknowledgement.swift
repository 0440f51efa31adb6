import Exchange
import Vocabulary

/// The host's events taken so far. Each is acknowledged after the commit that covers it.
struct Acknowledgement: Sendable {
  private var newest: EventNumber?
  private var acknowledged: EventNumber?

  mutating func take(_ number: EventNumber) { newest = number }

  /// The latest event if it is not acknowledged yet, and marks it as acknowledged.
  mutating func next() -> EventNumber? {
    guard let newest, newest != acknowledged else { return nil }
    acknowledged = newest
    return newest
  }
}
