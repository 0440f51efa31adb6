/// How much a host holds at the moment: what must stay bounded whatever controller and peers do,
/// and be zero when nothing is asked for.
package struct HostCensus: Equatable, Sendable {
  /// Connections, those on their way in and out included.
  package var links = 0
  /// Links whose MTU is exchanged and that nobody is closing.
  package var readyLinks = 0
  /// HCI commands that wait or are under way.
  package var commands = 0
  /// What the radio still has to be told.
  package var radioSteps = 0
  package var scans = 0
  package var wishes = 0
  package var attempts = 0
  /// Devices whose advertisements are remembered.
  package var devices = 0
  /// Packets of links that are not known yet.
  package var early = 0
  /// GATT operations of clients and of our own.
  package var operations = 0
  /// Values and indications that nobody has taken yet.
  package var keptValues = 0
  /// Frames that have not left, and octets of frames that are not whole.
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
    census.wishes = arbiter.wishes.count
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
