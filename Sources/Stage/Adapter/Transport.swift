package import Linux
package import Vocabulary

/// The way to a controller: packets in both directions, H4 type octet first.
package protocol Transport: AnyObject {
  func send(_ packet: [UInt8], at now: Instant)
  /// What has arrived up to now.
  func receive(at now: Instant) -> [[UInt8]]
  /// When something happens by itself, without a descriptor that tells.
  var nextMoment: Moment? { get }
  /// What the loop has to watch.
  var interest: Poll.Interest? { get }
  /// Why nothing comes any more.
  var ending: String? { get }
  /// Gives the socket what waits.
  func flush()
}
