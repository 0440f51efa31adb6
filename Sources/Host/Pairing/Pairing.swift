import Exchange
import Packets
import Vocabulary

/// The state of a pairing in progress, with its secrets.
struct Pairing: Equatable, Sendable {
  /// What the pairing waits for.
  enum Step: UInt8, Sendable {
    // A PDU of the peer
    case features, peerKey, peerConfirm, peerRandom, peerCheck, peerKeys
    // An answer of the toolbox
    case privateKey, publicKey, secret, drawnCode, nonce, commitment, verification, number, checks, shortKey, keyMaterial
    case givenVerification
    // An answer of a user
    case codeAsked, confirmationAsked
    // The controllers
    case encryption
    // The store: the bond is written before our keys are sent, and confirmed when the peer has them
    case storing, confirming
    // The peer's link layer
    case acknowledgement

    enum Source: Sendable { case peer, toolbox, person, controller, store, radio }

    var source: Source {
      switch self {
      case .features, .peerKey, .peerConfirm, .peerRandom, .peerCheck, .peerKeys: .peer
      case .privateKey, .publicKey, .secret, .drawnCode, .nonce, .commitment, .verification, .number, .checks, .shortKey,
        .keyMaterial, .givenVerification:
        .toolbox
      case .codeAsked, .confirmationAsked: .person
      case .encryption: .controller
      case .storing, .confirming: .store
      case .acknowledgement: .radio
      }
    }
  }

  var request: PairRequest
  var step = Step.features
  /// When it fails for lack of a PDU.
  var endsAt: Moment
  /// When the open question expires.
  var questionEndsAt: Moment?
  var inbox: [[UInt8]] = []

  // Phase 1
  /// Our features and the peer's, as whole PDUs.
  var initiatorFeatures: PairingFeatures
  var responderFeatures: PairingFeatures?
  var method = PairingMethod.justWorks
  var isSecure = false
  var keySize: UInt8 = 16
  var outOfBand: OutOfBandData?
  /// The random value of our out-of-band data, if the peer has it.
  var ownRandom: [UInt8]?

  // Phase 2
  var privateKey: [UInt8] = []
  var publicKey: PublicKey?
  var peerKey: PublicKey?
  var secret: [UInt8] = []
  var code: UInt32 = 0
  /// The round of a passkey with Secure Connections, of 20.
  var round = 0
  var nonce: [UInt8] = []
  var commitment: [UInt8] = []
  var peerNonce: [UInt8] = []
  var peerCommitment: [UInt8] = []
  var ownCheck: [UInt8] = []
  var awaitedCheck: [UInt8] = []
  /// The STK, or the LTK of Secure Connections.
  var key: [UInt8] = []

  // Phase 3
  var isEncrypted = false
  var ownKey: Bond.LegacyKey?
  /// The codes of the PDUs that the peer still has to send.
  var expected: [UInt8] = []
  var peerLongTermKey: [UInt8] = []
  var peerLegacyKey: Bond.LegacyKey?
  var peerIdentityKey: [UInt8]?
  var peerIdentity: Address?
  var ownKeysAreSent = false
  var bond: Bond?

  init(request: PairRequest, initiatorFeatures: PairingFeatures, endsAt: Moment) {
    self.request = request
    self.initiatorFeatures = initiatorFeatures
    self.endsAt = endsAt
  }

  /// Whether both devices commit to a nonce before either sends it.
  var bothCommit: Bool { if !isSecure { true } else if case .passkey = method { true } else { false } }

  /// Whether nonces are committed to before they are sent.
  var commits: Bool { !isSecure || method != .outOfBand }

  var isPasskey: Bool { if case .passkey = method { true } else { false } }

  /// Whether each failure reveals to the peer a part of a passkey that we use again.
  var usesFixedPasskey: Bool { request.fixedPasskey != nil && isPasskey }

  /// The value committed to besides the nonce: a bit of the passkey, or zero.
  var committedBit: UInt8 { isPasskey ? 0x80 | UInt8(truncatingIfNeeded: code >> UInt32(round) & 1) : 0 }

  /// The passkey as 128 bits, or the TK.
  var codeOctets: [UInt8] {
    if method == .outOfBand, let key = outOfBand?.temporaryKey { return key }
    return (0..<16).map { $0 < 4 ? UInt8(truncatingIfNeeded: code >> UInt32($0 * 8)) : 0 }
  }
}

extension PairingMethod: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    switch try reader.readUInt8() {
    case 0: self = .justWorks
    case 1: self = .comparison
    case 2: self = .passkey(initiatorShows: try reader.next(), responderShows: try reader.next())
    case 3: self = .outOfBand
    case let other: throw .invalid("pairing method", UInt64(other))
    }
  }

  func write(to writer: inout ByteWriter) {
    switch self {
    case .justWorks: writer.put(0 as UInt8)
    case .comparison: writer.put(1 as UInt8)
    case .passkey(let initiator, let responder): writer.put(all: 2 as UInt8, initiator, responder)
    case .outOfBand: writer.put(3 as UInt8)
    }
  }
}

extension Pairing.Step: Portable {}

extension Pairing: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    request = try reader.next()
    step = try reader.next()
    endsAt = try reader.next()
    questionEndsAt = try reader.next()
    inbox = try reader.next()
    initiatorFeatures = try reader.next()
    responderFeatures = try reader.next()
    method = try reader.next()
    isSecure = try reader.next()
    keySize = try reader.next()
    guard 7...16 ~= keySize else { throw .invalid("key size", UInt64(keySize)) }
    outOfBand = try reader.next()
    ownRandom = try reader.next()
    privateKey = try reader.next()
    publicKey = try reader.next()
    peerKey = try reader.next()
    secret = try reader.next()
    code = try reader.next()
    round = try reader.next(0...20, "round")
    nonce = try reader.next()
    commitment = try reader.next()
    peerNonce = try reader.next()
    peerCommitment = try reader.next()
    ownCheck = try reader.next()
    awaitedCheck = try reader.next()
    key = try reader.next()
    isEncrypted = try reader.next()
    ownKey = try reader.next()
    expected = try reader.next()
    peerLongTermKey = try reader.next()
    peerLegacyKey = try reader.next()
    peerIdentityKey = try reader.next()
    peerIdentity = try reader.next()
    ownKeysAreSent = try reader.next()
    bond = try reader.next()
  }

  func write(to writer: inout ByteWriter) {
    writer.put(all: request, step, endsAt, questionEndsAt, inbox)
    writer.put(all: initiatorFeatures, responderFeatures, method, isSecure, keySize, outOfBand, ownRandom)
    writer.put(all: privateKey, publicKey, peerKey, secret, code, round, nonce, commitment, peerNonce, peerCommitment)
    writer.put(all: ownCheck, awaitedCheck, key)
    writer.put(
      all: isEncrypted, ownKey, expected, peerLongTermKey, peerLegacyKey, peerIdentityKey, peerIdentity, ownKeysAreSent, bond)
  }
}
