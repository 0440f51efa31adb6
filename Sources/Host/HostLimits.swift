package import Vocabulary

/// The limits of the host (rules 23 and 24). `AttributeLimits` has those of ATT.
package enum HostLimits {
  /// The time in which a controller must answer a command.
  package static let command = TimeSpan.seconds(2)
  /// The number of commands that may be sent at once, and the time after which one more is allowed.
  package static let commandBurst = 256
  package static let commandInterval = TimeSpan.milliseconds(20)
  /// The number of connection attempts in a row that may end at once before there is a pause. The
  /// pause doubles up to the ceiling.
  package static let fruitlessAttempts = 4
  package static let fruitlessPause = TimeSpan.milliseconds(50)
  package static let fruitlessCeiling = TimeSpan.seconds(5)
  /// The time in which Connection Complete must follow Create Connection Cancel.
  package static let cancellation = TimeSpan.seconds(2)
  /// The time beyond the supervision timeout in which Disconnection Complete must arrive. After
  /// that the link counts as gone.
  package static let disconnectionMargin = TimeSpan.seconds(2)
  /// The time in which a peer must answer with its Database Hash before its link is closed.
  package static let closingRead = TimeSpan.seconds(1)
  /// How often Disconnect is sent again if the controller refuses it.
  package static let disconnectRetries = 3
  /// The time limit of a direct attempt that is not cancelled.
  package static let directAttempt = TimeSpan.minutes(10)
  /// How long a controller looks for one part of the peers if the filter accept list cannot hold
  /// all.
  package static let rotation = TimeSpan.seconds(10)
  /// The length of a turn if scanning and initiating alternate.
  package static let turn = TimeSpan.seconds(2)
  /// The time limit for closing.
  package static let closing = TimeSpan.seconds(5)
  /// The time after which a gentle scan reports a known device without news again.
  package static let coalescing = TimeSpan.seconds(1)

  /// The time after which a controller that should be sending events but is silent is checked.
  package static let heartbeat = TimeSpan.minutes(1)
  /// The time in which a peer must acknowledge part of its data, beyond the longest supervision
  /// timeout (32 s). After that the link is ended.
  package static let acknowledgement = TimeSpan.seconds(35)
  /// The most parameters of one link that may be requested at the same time.
  package static let adjustments = 16
  /// The time in which Connection Complete must arrive after data of an unknown link. After that
  /// the link is ended.
  package static let missedConnection = TimeSpan.seconds(2)
  /// The `heartbeat` of a controller that only waits for a peer or advertises, which may be quiet
  /// for long (rule 14).
  package static let waitingHeartbeat = TimeSpan.hours(1)
  /// The silence after which a broad scan is restarted, if it received something earlier.
  package static let scanSilence = TimeSpan.minutes(2)
  /// The time without trouble after which recovery starts at its first step again.
  package static let settled = TimeSpan.minutes(1)
  /// The delay before the connection to the adapter is reopened. It doubles with each failure.
  package static let reopenAfter = TimeSpan.milliseconds(250)
  package static let reopenCeiling = TimeSpan.seconds(30)
  /// How long a reachable controller is reset and reopened before it is given up.
  package static let recovery = TimeSpan.minutes(5)
  /// How often Reset is sent again to a controller that has never worked.
  package static let firstResets = 1

  /// How many establishment failures (0x3E) in a row are retried at once and silently.
  package static let silentRetries = 3
  /// The most devices in the advertisement cache.
  package static let devices = 1024
  /// The most octets of an extended advertisement (Vol 4, Part E, 7.7.65.13).
  package static let advertisementOctets = 1650
  /// The most extended advertisements that are reassembled at a time.
  package static let gatherings = 16
  /// The most packets of a link kept before its Connection Complete. On USB, data and events take
  /// different ways.
  package static let earlyPackets = 16
  /// The most frames that may wait for one link. The host's own are a few dozen at most; more are
  /// responses that the peer requests but does not take.
  package static let unsentFrames = 256
  /// The size of the accept list if a controller does not report it.
  package static let assumedAcceptList = 8
  /// The number of recent command numbers of an owner that are recognised as repeated.
  package static let rememberedRequests = 64
  /// Six connection events (Vol 6, Part B, 4.5.2) and one to spare. A peripheral whose link lasts
  /// this long has received its central's packets.
  package static let establishmentEvents: Int64 = 7
  /// The interval of the scans that show whether the controller resolves addresses. They are needed
  /// while a request relies on a list that has not resolved an address yet.
  package static let resolvingProbe = TimeSpan.minutes(1)
  /// The duration of each of these scans.
  package static let resolvingProbeSpan = TimeSpan.seconds(2)
  /// The number of reports of listed devices under unresolved addresses after which the list is
  /// given up.
  package static let missedResolutions = 2
  /// The resolving list is not used after the controller was lost this often in a row during a
  /// change of the list.
  package static let resolvingLosses = 2
  /// The most entries that are put on the resolving list. A controller with a shorter one answers
  /// Memory Capacity Exceeded (Vol 4, Part E, 7.8.38).
  package static let resolvingEntries = 32
  /// The most centrals that a run or a keeper serves at a time.
  package static let centrals = 8
}
