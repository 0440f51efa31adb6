import Host
package import Vocabulary

/// Every limit of a keeper by name: what a client can make it hold, and for how long.
package enum KeeperLimits {
  /// Counts up when a message changes its meaning or form. Both sides must have the same.
  package static let revision: UInt16 = 7
  /// The last octets of a client's identity, which name its run; those before them are chance.
  package static let runPart = 8
  /// Octets that are kept, or said back, of a name or a version that a client gives.
  package static let name = 120
  /// Octets of one message.
  package static let message = 1 << 20
  /// Clients, connected or away; and those of one user.
  package static let clients = 128
  package static let clientsOfUser = 64
  /// The last places, which are for users who have few clients here: so many others cannot lock
  /// them out.
  package static let reservedClients = 32
  package static let fewClients = 4
  /// Connections that have not said who they are; and those of one user.
  package static let strangers = 256
  package static let strangersOfUser = 128
  /// A connection says who it is within this.
  package static let hello = TimeSpan.seconds(5)
  /// Reports told and not acknowledged: the rest waits here until a client has acknowledged some.
  package static let window = 1024
  /// Values of one link that wait for their acknowledgement. What comes then is counted, and told
  /// as one gap.
  package static let values = 4096
  /// Octets that all droppable reports of a client come to.
  package static let octets = 4 << 20
  /// Advertisements, and lines for the log, that wait for their acknowledgement.
  package static let advertisements = 256
  package static let notes = 64
  /// Scans whose advertisements that had no room are counted one by one.
  package static let scansWithGaps = 64
  /// Requests of a client whose outcome it has not acknowledged, and as many more that are only
  /// refused: who asks on is not listened to.
  package static let requests = 256
  /// Reports that may not be dropped, and their octets: a client that lets more of them wait is
  /// given up, with all that it holds.
  package static let reports = 4096
  package static let reportOctets = 16 << 20
  /// So many of them are told one by one. Beyond, a subscription that was ended, or a central that
  /// came and went, before anybody was told of it, is left out.
  package static let states = 256
  /// Of a keeper that several users share: peers that one of them has links to, or waits for.
  package static let linksOfUser = 8
  /// The last links of the controller, once it has refused one, are for users who have none.
  package static let reservedLinks = 2
  /// Octets that wait for all clients of a user: beyond it what may be dropped is counted and
  /// dropped, and when what may not be comes to so much alone, the client for which most waits is
  /// given up. One for which less waits than `freeOctets` is spared.
  package static let octetsOfUser = 24 << 20
  package static let freeOctets = 256 << 10
  /// How long a request of a central waits for a run that is away.
  package static let answer = AttributeLimits.absentOwner
  /// How long the links of a client that died are held.
  package static let hold = TimeSpan.minutes(10)
  /// How long a keeper stays when its last client has left.
  package static let keep = TimeSpan.seconds(10)
}
