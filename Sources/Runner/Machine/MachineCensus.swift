/// The amount of state in a run besides its variables. It must stay bounded, whatever happens.
package struct MachineCensus: Equatable, Sendable {
  package var fibers = 0
  package var devices = 0
  package var timers = 0
  /// Events queued for handlers.
  package var queuedEvents = 0
  /// Events kept for a `wait for`.
  package var keptEvents = 0
  /// Events of devices whose set-up is in progress.
  package var heldEvents = 0
  /// Requests that wait for the adapter.
  package var heldRequests = 0
  /// Values on the stacks of all fibers.
  package var slots = 0
  /// Devices for which some `whenever` has started.
  package var seenDevices = 0

  package init() {}
}

extension Machine {
  package var census: MachineCensus {
    var census = MachineCensus()
    census.fibers = fibers.count
    census.devices = devices.known
    census.timers = timers.count
    census.keptEvents = events.kept.count
    census.heldRequests = adapter.heldCount
    census.seenDevices = seen.count
    census.queuedEvents = events.count
    for index in devices.indices { census.heldEvents += devices[link: index].held.count }
    for fiber in fibers { census.slots += fiber.slots.count }
    return census
  }
}
