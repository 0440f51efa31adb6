import Packets
import Vocabulary

/// An item that waits at one side of a link for its turn.
struct LinkItem: Sendable {
  enum Content: Sendable {
    /// A fragment of an L2CAP frame that fits into a link layer PDU.
    case data([UInt8], isFirst: Bool)
    case control(LinkProcedure)
  }

  var content: Content
  var readyAt: Moment
  /// The peer has received it, but its acknowledgement was lost.
  var isReceived = false
  /// Whether its acknowledgement completes a packet of the host.
  var returnsCredit = false
  /// Whether it is the last fragment of the oldest incomplete frame.
  var endsFrame = false

  var waitsForKey: Bool {
    switch content {
    case .data: true
    case .control(let procedure): !procedure.isOfEncryption
    }
  }
}

/// The control procedures of the link layer (Vol 6, Part B, 5.1).
enum LinkProcedure: Sendable {
  case terminate(reason: HCIStatus)
  case versionExchange
  case featureExchange
  case dataLength
  case connectionUpdate(ConnectionParameters)
  /// From a peripheral: the central's host decides.
  case parameterRequest(ConnectionParameters)
  case parameterRejected(HCIStatus)
  case phy(transmit: UInt8, receive: UInt8)
  case channelMap(ChannelMap)
  case pingRequest
  case pingResponse
  // Encryption, in the order of a renewal (Vol 6, Part B, 5.1.3).
  case pauseRequest
  case pauseResponse
  case encryption(EnableEncryption)
  case encryptionResponse
  case startRequest
  case startResponse
  case encryptionRejected(HCIStatus)

  /// Whether it may be sent while data wait for a key.
  var isOfEncryption: Bool {
    switch self {
    case .terminate, .pauseRequest, .pauseResponse, .encryption, .encryptionResponse, .startRequest, .startResponse,
      .encryptionRejected:
      true
    case .versionExchange, .featureExchange, .dataLength, .connectionUpdate, .parameterRequest, .parameterRejected, .phy,
      .channelMap, .pingRequest, .pingResponse:
      false
    }
  }

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
    case .channelMap: "LL_CHANNEL_MAP_IND"
    case .pingRequest: "LL_PING_REQ"
    case .pingResponse: "LL_PING_RSP"
    case .pauseRequest: "LL_PAUSE_ENC_REQ"
    case .pauseResponse: "LL_PAUSE_ENC_RSP"
    case .encryptionResponse: "LL_ENC_RSP"
    case .startRequest: "LL_START_ENC_REQ"
    case .startResponse: "LL_START_ENC_RSP"
    case .encryptionRejected: "LL_REJECT_IND"
    }
  }
}
