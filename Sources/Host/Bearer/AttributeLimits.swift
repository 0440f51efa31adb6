package import Vocabulary

/// Every limit of the attribute bearer by name.
package enum AttributeLimits {
  /// An answer that has not come by then means that the bearer is dead (Vol 3, Part F, 3.3.3).
  package static let transaction = TimeSpan.seconds(30)
  /// How long the bearer is idle before the Database Hash is read and Service Changed is subscribed
  /// to.
  package static let idle = TimeSpan.milliseconds(500)
  /// How long they are put off on a bearer that is never idle: what the device changes by then is
  /// not noticed.
  package static let overdue = TimeSpan.seconds(2)
  /// How long an indication waits for a name or an owner before it is confirmed all the same: the
  /// peer waits 30 s at most.
  package static let unnamedIndication = TimeSpan.seconds(10)
  /// Values kept that nobody can name yet.
  package static let keptValues = 256
  /// Octets of an attribute's value (Vol 3, Part F, 3.2.9).
  package static let value = 512
  /// The smallest ATT_MTU of an LE link, and the largest that is of any use: a whole value and its
  /// header.
  package static let smallestMTU: UInt16 = 23
  package static let largestMTU: UInt16 = 517
  /// What one peer may list: beyond it the list counts as endless.
  package static let services = 256
  package static let characteristics = 1024
  package static let descriptors = 4096
  /// Operations that may wait for one link.
  package static let operations = 1024
  /// Prepared writes a central may queue at our server, and their octets.
  package static let preparedWrites = 64
  package static let preparedOctets = 4096
  /// PDUs of a link that the controller has not taken yet, at which notifications wait: an answer
  /// behind them is never late.
  package static let unsent: UInt64 = 8
  /// Notifications that wait for one central.
  package static let notifications = 256
  /// Indications that wait for one central.
  package static let indications = 256
  /// How long a central waits for an owner that is away; it would give up after 30 s.
  package static let absentOwner = TimeSpan.seconds(20)
}
