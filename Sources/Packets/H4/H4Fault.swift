/// A fault in the octets of a controller.
package enum H4Fault: Hashable, Sendable {
  /// No packet starts like this.
  case outOfStep([UInt8])
  /// This many octets arrived without an answer to HCI Reset within `H4Framer.patience`, for
  /// example because of a wrong baud rate.
  case noAnswer(count: Int)
  /// The answer to HCI Reset was found after this many octets.
  case backInStep(dropped: Int)
  /// The rest of a packet did not arrive: its octets so far, and its length, `nil` if that was
  /// missing too.
  case halfPacket(count: Int, of: Int?)
  /// The kernel dropped this many packets for lack of room.
  case packetsDropped(Int)
}
