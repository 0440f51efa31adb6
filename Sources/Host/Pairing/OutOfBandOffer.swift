import Exchange
import Packets
import Vocabulary

/// Our out-of-band data (Vol 3, Part H, 2.3.5.6.4) for one client and one pairing. It authenticates
/// our public key to its holder, who shows in turn to have it.
struct OutOfBandOffer: Equatable, Sendable {
  /// The values that pairing needs. The private key is kept nowhere else.
  struct Secrets: Equatable, Sendable {
    var privateKey: [UInt8]
    var publicKey: PublicKey
    /// The random value `r`, which is given away.
    var random: [UInt8]
  }

  /// The client that offers it. It ends with this client.
  let owner: OwnerID
  /// `nil` until it is made, and after its use.
  var secrets: Secrets?
  /// The confirm value of `secrets`, which commits to the public key.
  var confirmation: [UInt8] = []
  /// The random octets, until their public key is known.
  var drawn: [UInt8] = []
  /// The operations that wait for it.
  var waiting: [OperationID] = []
  var isUnderWay = false

  init(owner: OwnerID) { self.owner = owner }
}

extension LEHost {
  mutating func offerOutOfBand(_ owner: OwnerID, _ id: OperationID) {
    guard offer == nil || offer?.owner == owner else {
      return complete(
        owner, id,
        .failure(
          Failure(
            .adapter, "another run is already offering out-of-band data of this adapter", blame: .adapter, layer: .smp,
            hint: "an adapter has such data for one run at a time", delivered: .notSent)))
    }
    if offer == nil { offer = OutOfBandOffer(owner: owner) }
    offer?.waiting.append(id)
    continueOffer()
  }

  /// Continues once the adapter's address is known.
  mutating func continueOffer() {
    guard phase == .ready, let known = offer, !known.waiting.isEmpty, !known.isUnderWay else { return }
    guard let secrets = known.secrets else {
      offer?.isUnderWay = true
      return out.append(.compute(computations.order(for: .offering), .random(48)))
    }
    offer?.waiting = []
    let data = OutOfBandData(
      address: facts.address, secure: OutOfBandData.Secure(confirmation: known.confirmation, random: secrets.random))
    for id in known.waiting { complete(known.owner, id, .success(.outOfBand(data))) }
  }

  mutating func cancelOffer(_ owner: OwnerID, _ id: OperationID) -> Bool {
    guard offer?.owner == owner, let place = offer?.waiting.firstIndex(of: id) else { return false }
    offer?.waiting.remove(at: place)
    complete(owner, id, .failure(Failure(.cancelled, "the out-of-band data is no longer needed", blame: .ours, layer: .smp)))
    return true
  }

  mutating func offerComputed(_ result: ComputationResult) {
    guard let known = offer, known.isUnderWay else { return }
    switch result {
    case .octets(let drawn) where known.secrets == nil && drawn.count == 48:
      offer?.drawn = drawn
      out.append(.compute(computations.order(for: .offering), .security(.publicKey(Array(drawn.prefix(32))))))
    case .publicKey(let key) where known.drawn.count == 48:
      let secrets = OutOfBandOffer.Secrets(
        privateKey: Array(known.drawn.prefix(32)), publicKey: key, random: Array(known.drawn.suffix(16)))
      offer?.drawn = []
      offer?.secrets = secrets
      let commitment = SecurityComputation.f4(u: key.x, v: key.x, x: secrets.random, z: 0)
      out.append(.compute(computations.order(for: .offering), .security(commitment)))
    case .octets(let confirmation) where known.secrets != nil:
      offer?.confirmation = confirmation
      offer?.isUnderWay = false
      continueOffer()
    // 32 random octets are not a valid key once in 2^32.
    case .invalid where known.drawn.count == 48:
      offer?.drawn = []
      out.append(.compute(computations.order(for: .offering), .random(48)))
    default:
      offer = nil
      for id in known.waiting {
        complete(
          known.owner, id,
          .failure(
            Failure(
              .file, "out-of-band data cannot be generated: libcrypto is missing or too old", blame: .ours, layer: .os,
              hint: "install libssl3", delivered: .notSent)))
      }
    }
  }

  /// The offer that a pairing on this link may use: that of the serving client or of an owner.
  func offer(at index: Int) -> OutOfBandOffer? {
    guard let offer, !offer.isUnderWay else { return nil }
    let isOfLink =
      links[index].role == .peripheral ? servingOwner == offer.owner : links[index].owners.contains(offer.owner)
    return isOfLink ? offer : nil
  }

  /// A pairing uses the key. No other pairing gets it, whatever the outcome.
  mutating func spendOffer(on handle: ConnectionHandle) {
    guard let index = link(handle), let owner = offer?.owner else { return }
    offer?.secrets = nil
    offer?.confirmation = []
    report(owner, .noted(.log, "\(links[index].peer) pairs with our out-of-band data, which cannot be used again"))
  }
}

extension OutOfBandOffer.Secrets: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(privateKey: try reader.next(), publicKey: try reader.next(), random: try reader.next())
  }

  func write(to writer: inout ByteWriter) { writer.put(all: privateKey, publicKey, random) }
}

extension OutOfBandOffer: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(owner: try reader.next())
    secrets = try reader.next()
    confirmation = try reader.next()
    drawn = try reader.next()
    waiting = try reader.next()
    isUnderWay = try reader.next()
  }

  func write(to writer: inout ByteWriter) { writer.put(all: owner, secrets, confirmation, drawn, waiting, isUnderWay) }
}
