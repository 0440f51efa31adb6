/// The security channel (Vol 3, Part H, 3), while nothing can be paired: it has no state, and says
/// so (rule 9).
struct SecurityChannel {
  /// Pairing Request and Security Request are refused, the rest that would begin something is not
  /// understood.
  func receive(_ pdu: [UInt8]) -> [ChannelEffect] {
    switch pdu.first {
    // Pairing Failed ends the matter (3.5.5); it is never answered
    case nil, 0x05: []
    // Pairing Request, Security Request: pairing not supported
    case 0x01, 0x0B: [.send([0x05, 0x05])]
    // command not supported
    default: [.send([0x05, 0x07])]
    }
  }
}
