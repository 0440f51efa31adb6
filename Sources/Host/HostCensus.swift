/// The amount of state in a host. It must stay bounded whatever the controller and peers do, and be
/// zero when there are no requests.
package struct HostCensus: Equatable, Sendable {
  /// Links, including those being made or closed.
  package var links = 0
  /// Links whose MTU is exchanged and that are not being closed.
  package var readyLinks = 0
  /// HCI commands that wait or are in flight.
  package var commands = 0
  /// Steps of the radio's procedure that remain.
  package var radioSteps = 0
  package var scans = 0
  package var requestedConnections = 0
  package var attempts = 0
  /// Devices in the advertisement cache.
  package var devices = 0
  /// Packets of links that are not reported yet.
  package var early = 0
  /// GATT operations of clients and of the host.
  package var operations = 0
  /// Values and indications that no client has taken yet.
  package var keptValues = 0
  /// Frames that have not left, and octets of incomplete frames.
  package var unsentFrames = 0
  package var partialOctets = 0

  package init() {}
}

extension LEHost {
  package var census: HostCensus {
    var census = HostCensus()
    census.links = links.count
    census.commands = queue.count
    census.radioSteps = arbiter.radio.steps.count
    census.scans = arbiter.scans.count
    census.requestedConnections = arbiter.requestedConnections.count
    census.attempts = arbiter.attempts.count
    census.devices = devices.count
    census.early = early.count
    for index in links.indices {
      if links[index].stage == .ready { census.readyLinks += 1 }
      census.operations += links[index].gatt.queue.count + (links[index].gatt.current == nil ? 0 : 1)
      census.keptValues += links[index].gatt.kept.count + links[index].gatt.indications.count
      census.unsentFrames += links[index].outbox.waiting
      census.partialOctets += links[index].inbound.pending
    }
    return census
  }
}
