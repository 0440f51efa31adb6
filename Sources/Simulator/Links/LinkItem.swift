import Packets
import Vocabulary

/// What waits at one end of a link for its turn on the air.
struct LinkItem: Sendable {
  enum Content: Sendable {
    /// A piece of an L2CAP frame that fits a link layer PDU.
    case data([UInt8], isFirst: Bool)
    case control(LinkProcedure)
  }

  var content: Content
  var readyAt: Moment
  /// The peer has it; only the acknowledgement was lost.
  var isReceived = false
  /// With its acknowledgement one packet of the host is done.
  var returnsCredit = false
  /// It is the last piece of the oldest open frame.
  var endsFrame = false
}

/// Control procedures of the link layer (Vol 6, Part B, 5.1).
enum LinkProcedure: Sendable {
  case terminate(reason: HCIStatus)
  case versionExchange
  case featureExchange
  case dataLength
  case connectionUpdate(ConnectionParameters)
  /// From a peripheral: its central's host is asked.
  case parameterRequest(ConnectionParameters)
  case parameterRejected(HCIStatus)
  case phy(transmit: UInt8, receive: UInt8)
  case encryption(EnableEncryption)
  case encryptionStarted
  case encryptionRejected(HCIStatus)

  var name: String {
    switch self {
    case .terminate: "LL_TERMINATE_IND"
    case .versionExchange: "LL_VERSION_IND"
    case .featureExchange: "LL_FEATURE_REQ"
    case .dataLength: "LL_LENGTH_REQ"
    case .connectionUpdate: "LL_CONNECTION_UPDATE_IND"
    case .parameterRequest: "LL_CONNECTION_PARAM_REQ"
    case .parameterRejected: "LL_REJECT_EXT_IND"
    case .phy: "LL_PHY_REQ"
    case .encryption: "LL_ENC_REQ"
    case .encryptionStarted: "LL_START_ENC_REQ"
    case .encryptionRejected: "LL_REJECT_IND"
    }
  }
}
