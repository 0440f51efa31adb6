package import Vocabulary

/// The limits of the attribute bearer.
package enum AttributeLimits {
  /// The time after which a missing response ends the bearer (Vol 3, Part F, 3.3.3).
  package static let transaction = TimeSpan.seconds(30)
  /// The idle time of a bearer before it reads the Database Hash and subscribes to Service Changed.
  package static let idle = TimeSpan.milliseconds(500)
  /// The time after which a bearer that is never idle does this anyway. Earlier changes of the
  /// attributes go unnoticed.
  package static let overdue = TimeSpan.seconds(2)
  /// The time after which an indication without a known name or owner is confirmed anyway. The peer
  /// waits for 30 s.
  package static let unnamedIndication = TimeSpan.seconds(10)
  /// The most kept values whose handle has no known name.
  package static let keptValues = 256
  /// The most octets of an attribute's value (Vol 3, Part F, 3.2.9).
  package static let value = 512
  /// The smallest ATT_MTU of an LE link, and the largest useful one: a whole value with its header.
  package static let smallestMTU: UInt16 = 23
  package static let largestMTU: UInt16 = 517
  /// The most services of a peer. A longer list counts as endless.
  package static let services = 256
  package static let characteristics = 1024
  package static let descriptors = 4096
  /// The most operations that may wait for one link.
  package static let operations = 1024
  /// The most prepared writes that a central may queue at our server, and their octets.
  package static let preparedWrites = 64
  package static let preparedOctets = 4096
  /// The number of PDUs still in the host at which notifications wait, so that a response after
  /// them is never late.
  package static let unsent: UInt64 = 8
  /// The most notifications that may wait for one central.
  package static let notifications = 256
  /// The most indications that may wait for one central.
  package static let indications = 256
  /// The time that a central waits for an owner that is away. The central itself gives up after 30
  /// s.
  package static let absentOwner = TimeSpan.seconds(20)
}
