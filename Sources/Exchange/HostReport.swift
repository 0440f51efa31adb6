package import Vocabulary

/// An event with its number and time.
package struct HostReport: Equatable, Sendable {
  package var owner: OwnerID
  package var number: EventNumber
  package var at: Instant
  package var event: HostEvent

  package init(owner: OwnerID = .run, number: EventNumber, at: Instant, event: HostEvent) {
    self.owner = owner
    self.number = number
    self.at = at
    self.event = event
  }
}
