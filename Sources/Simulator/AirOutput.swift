package import Packets
package import Vocabulary

/// A packet from a controller to its host.
package struct AirOutput: Hashable, Sendable {
  package var controller: ControllerID
  package var packet: HCIPacket
  package var time: Moment

  /// The packet with its H4 type octet first.
  package var bytes: [UInt8] { packet.encoded }
}
