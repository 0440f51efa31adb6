import Host
package import Vocabulary

/// The limits of a keeper: what clients can make it hold, and for how long.
package enum KeeperLimits {
  /// Increases when a message changes its meaning or form. Both sides must have the same.
  package static let revision: UInt16 = 10
  /// The last octets of a client's identity, which identify its run; the octets before are random.
  package static let runPart = 8
  /// The most octets of a client's name or version that are stored or echoed.
  package static let name = 120
  /// The most octets of one message.
  package static let message = 1 << 20
  /// The most clients, connected or away, and the most of one user.
  package static let clients = 128
  package static let clientsOfUser = 64
  /// The places reserved for users with few clients, so that others cannot lock them out.
  package static let reservedClients = 32
  package static let fewClients = 4
  /// The most connections that have not identified themselves, and the most of one user.
  package static let newConnections = 256
  package static let newConnectionsOfUser = 128
  /// The time in which a connection must identify itself.
  package static let hello = TimeSpan.seconds(5)
  /// The most reports sent and not acknowledged. Others wait until a client has acknowledged some.
  package static let window = 1024
  /// The most values of one link that wait to be acknowledged. Further ones are counted and
  /// reported as one gap.
  package static let values = 4096
  /// The most octets of all droppable reports of a client.
  package static let octets = 4 << 20
  /// The most advertisements that wait to be acknowledged, and the most lines for the log.
  package static let advertisements = 256
  package static let notes = 64
  /// The most scans whose dropped advertisements are counted separately.
  package static let scansWithGaps = 64
  /// The most requests of a client without an acknowledged outcome. As many more are refused; after
  /// that the client is disconnected.
  package static let requests = 256
  /// The most reports that must not be dropped, and their octets. A client with more is dropped
  /// with all that it holds.
  package static let reports = 4096
  package static let reportOctets = 16 << 20
  /// The number of those that are kept one by one. Beyond it, a subscription or a visit of a
  /// central that ended before it was reported is omitted.
  package static let states = 256
  /// The most peers that one user of a shared keeper has links to or waits for.
  package static let linksOfUser = 8
  /// The links of the controller that are reserved for users without any, once it has refused one.
  package static let reservedLinks = 2
  /// The most octets that wait for all clients of a user. Beyond it, droppable reports are counted
  /// and dropped. If the others alone exceed it, the client with the most of them is dropped.
  /// Clients with less than `freeOctets` are spared.
  package static let octetsOfUser = 24 << 20
  package static let freeOctets = 256 << 10
  /// How long a request of a central waits for a run that is away.
  package static let answer = AttributeLimits.absentOwner
  /// How long the links of a dead client are held.
  package static let hold = TimeSpan.minutes(10)
  /// How long a keeper stays after its last client has left.
  package static let keep = TimeSpan.seconds(10)
}
