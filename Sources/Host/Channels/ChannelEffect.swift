import Exchange
import Packets

/// What a channel of a link orders, in order. A channel is a value with `receive`; the host carries
/// out what it orders and knows nothing of what is spoken over it.
enum ChannelEffect: Equatable, Sendable {
  /// One PDU over this channel.
  case send([UInt8])
  /// The link is to have these parameters.
  case update(ConnectionParameters)
  /// What came is nothing that can be answered.
  case dropped
}
