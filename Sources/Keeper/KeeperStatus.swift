package import Exchange
package import Host
package import Vocabulary

/// The state of a keeper, for `tooth keeper status`.
package struct KeeperStatus: Equatable, Sendable {
  package struct Client: Equatable, Sendable {
    package var name: String
    package var process: UInt32
    package var user: UInt32
    /// How much longer its state is held; `nil` while it is connected.
    package var heldFor: TimeSpan?
    package var links: [Address]
    /// The number of reports that it has not acknowledged.
    package var waiting: Int
    /// The total number of its values that were dropped.
    package var missed: Int
  }

  package var revision: UInt16
  package var version: String
  package var adapter: String
  package var process: UInt32
  package var since: WallTime
  /// The adapter's own address, also while the adapter is unplugged.
  package var address: Address?
  package var info: AdapterInfo?
  package var hold: TimeSpan
  package var keep: TimeSpan
  package var clients: [Client]
  package var links: [LEHost.OpenLink]
}

extension KeeperStatus.Client: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(
      name: try reader.next(), process: try reader.next(), user: try reader.next(), heldFor: try reader.next(),
      links: try reader.next(), waiting: try reader.next(), missed: try reader.next())
  }

  package func write(to writer: inout ByteWriter) { writer.put(all: name, process, user, heldFor, links, waiting, missed) }
}

extension KeeperStatus: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    let revision = try reader.readUInt16()
    let version = try reader.readText()
    guard revision == KeeperLimits.revision else { throw .invalid("revision of the keeper", UInt64(revision)) }
    self.init(
      revision: revision, version: version, adapter: try reader.next(), process: try reader.next(), since: try reader.next(),
      address: try reader.next(), info: try reader.next(), hold: try reader.next(), keep: try reader.next(),
      clients: try reader.next(),
      links: try reader.next())
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(revision)
    writer.put(text: version)
    writer.put(all: adapter, process, since, address, info, hold, keep, clients, links)
  }
}
