import Exchange
import Packets

/// An order of a link's channel. A channel is a value with `receive`; the host carries out its
/// orders and does not know its protocol.
enum ChannelEffect: Equatable, Sendable {
  /// Sends one PDU on this channel.
  case send([UInt8])
  /// Changes the connection parameters of the link.
  case update(ConnectionParameters)
  /// A PDU was dropped because it cannot be answered.
  case dropped
}
