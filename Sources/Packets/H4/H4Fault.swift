/// What was wrong with the octets of a controller.
package enum H4Fault: Hashable, Sendable {
  /// No packet begins like this.
  case outOfStep([UInt8])
  /// So many octets came, and the answer to HCI Reset was not among them within
  /// `H4Framer.patience`: as from a port at another speed.
  case noAnswer(count: Int)
  /// The answer to HCI Reset was found behind so many octets.
  case backInStep(dropped: Int)
  /// So many octets of a packet came, out of so many (nothing when not even its length had come),
  /// and no more.
  case halfPacket(count: Int, of: Int?)
  /// The kernel had no room for so many packets.
  case packetsDropped(Int)
}
