package import Vocabulary

/// Every limit of the host by name (rules 23 and 24). ATT's own stand with the bearer.
package enum HostLimits {
  /// A controller answers a command within this, or is given up.
  package static let command = TimeSpan.seconds(2)
  /// Commands that may follow each other at once, and how soon one more is allowed when they are
  /// used up.
  package static let commandBurst = 256
  package static let commandInterval = TimeSpan.milliseconds(20)
  /// Attempts to connect in a row that came to nothing at once, before there is a pause; it doubles
  /// up to the ceiling.
  package static let fruitlessAttempts = 4
  package static let fruitlessPause = TimeSpan.milliseconds(50)
  package static let fruitlessCeiling = TimeSpan.seconds(5)
  /// After Create Connection Cancel its Connection Complete comes within this, or there is none.
  package static let cancellation = TimeSpan.seconds(2)
  /// Above the supervision timeout: a Disconnection Complete comes within both, or the link is
  /// taken for gone.
  package static let disconnectionMargin = TimeSpan.seconds(2)
  /// A peer that is asked for its Database Hash before its link is closed answers within this, or
  /// is not waited for.
  package static let farewell = TimeSpan.seconds(1)
  /// How often Disconnect is sent again when the controller refuses it.
  package static let disconnectRetries = 3
  /// A direct attempt that nobody cancelled.
  package static let directAttempt = TimeSpan.minutes(10)
  /// How long a controller looks for one part of the wished peers when the filter accept list
  /// cannot hold all.
  package static let rotation = TimeSpan.seconds(10)
  /// Turns of scanning and of initiating at a controller that cannot do both at once.
  package static let turn = TimeSpan.seconds(2)
  /// An orderly end takes no longer than this.
  package static let closing = TimeSpan.seconds(5)
  /// A known device that says nothing new is told again to a gentle scan after this.
  package static let coalescing = TimeSpan.seconds(1)

  /// A controller that should be doing something and says nothing for so long is asked whether it
  /// lives.
  package static let heartbeat = TimeSpan.minutes(1)
  /// Of what is at the controller for a link, some is acknowledged by its peer within this, above
  /// the longest supervision timeout (32 s), or the link is ended.
  package static let acknowledgement = TimeSpan.seconds(35)
  /// Parameters of one link that are asked for at the same time.
  package static let adjustments = 16
  /// Data on a link that was never told: its Connection Complete comes within this, or the link is
  /// ended.
  package static let missedConnection = TimeSpan.seconds(2)
  /// The same as `heartbeat` where it does nothing but wait for a peer, or advertise: that is meant
  /// to be quiet (rule 14).
  package static let waitingHeartbeat = TimeSpan.hours(1)
  /// A scan for everybody that hears nothing for so long, where it heard something before, is
  /// restarted.
  package static let scanSilence = TimeSpan.minutes(2)
  /// An adapter that has worked for so long after a step of the ladder of recovery begins at its
  /// foot again.
  package static let settled = TimeSpan.minutes(1)
  /// Before the connection to the adapter is opened anew; doubles with each time that did not help.
  package static let reopenAfter = TimeSpan.milliseconds(250)
  package static let reopenCeiling = TimeSpan.seconds(30)
  /// So long a controller that can be reached is reset and reached anew.
  package static let recovery = TimeSpan.minutes(5)
  /// How often Reset is sent again to a controller that has never worked.
  package static let firstResets = 1

  /// Establishment failures (0x3E) that are tried again at once and silently.
  package static let silentRetries = 3
  /// Devices whose advertisements are remembered.
  package static let devices = 1024
  /// Octets of one extended advertisement gathered from its fragments (Vol 4, Part E, 7.7.65.13).
  package static let advertisementOctets = 1650
  /// Extended advertisements gathered at a time.
  package static let gatherings = 16
  /// Packets of a link that arrived before its Connection Complete: on USB, data and events go
  /// different ways.
  package static let earlyPackets = 16
  /// Frames that wait for one link. Of its own the host has a few dozen under way at most: more are
  /// answers that their peer asks for and does not take.
  package static let unsentFrames = 256
  /// The accept list that is assumed when a controller does not say.
  package static let assumedAcceptList = 8
  /// The last command numbers of an owner that are recognised when they come again.
  package static let rememberedRequests = 64
  /// Six connection events (Vol 6, Part B, 4.5.2) and one to spare: a peripheral whose link was not
  /// given up by then has heard its central.
  package static let establishmentEvents: Int64 = 7
  /// While bonded devices are waited for through the resolving list, and it has resolved nobody
  /// yet: how often, and for how long, a scan shows whether it does.
  package static let resolvingProbe = TimeSpan.minutes(1)
  package static let resolvingProbeSpan = TimeSpan.seconds(2)
  /// So many reports of devices on the list under addresses that were not resolved show that it
  /// resolves nobody.
  package static let missedResolutions = 2
  /// A controller that was lost so often in a row while its resolving list was changed keeps none.
  package static let resolvingLosses = 2
  /// Centrals at a time that a run or a keeper serves, as far as the controller has links.
  package static let centrals = 8
}
