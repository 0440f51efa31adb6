import Exchange
import KeeperProcess
import Packets
import Vocabulary

@testable import Host

/// Two security managers and an attacker between them who may change, drop, repeat, reflect and
/// invent PDUs; users who answer correctly, wrongly or not at all; stores that fail; and time.
///
/// Whatever happens: an end that reports a pairing has a key that the other end has, and a proof
/// only if both users gave the same code or one end has the out-of-band data of the other. Every
/// `pair` ends, nothing of a pairing outlives it, no key is shown, and memory and output of an end
/// are bounded.
struct SMPFuzz {
  static func run(_ bytes: [UInt8]) {
    var input = Input(bytes)
    var fuzz = SMPFuzz(&input)
    fuzz.play(&input)
    fuzz.end()
  }

  private struct End {
    var manager: SecurityManager
    /// What this user can do, with answers to `pair` and to a pairing that the other end begins.
    var request: PairRequest
    /// On its way to this end.
    var queue: [SecurityEvent] = []
    var question: PairingQuestion?
    /// The code of the pairing in progress, as its user knows it.
    var code: UInt32?
    var isStoreBroken = false
    var holdsAcknowledgements = false
    var unacknowledged = 0
    /// How often `pair` was requested, and how often it ended.
    var wanted = 0
    var ended = 0
    var isLost = false
    /// Its controller reports the link as encrypted.
    var isEncrypted = false
    /// Private keys, DH keys and long-term keys, which must never be shown.
    var secrets: [[UInt8]] = []
    /// The key of the offered out-of-band data, until a pairing uses it.
    var offered: [UInt8] = []
  }

  private var ends: [End]
  private var toolbox = Toolbox(entropy: .seeded(SplitMix(seed: 11)))
  private var now = Instant.simulationStart
  /// The key with which the central's controller starts encryption.
  private var starting: [UInt8]?
  /// PDUs that were sent at any time, for replay.
  private var heard: [[UInt8]] = []

  private static let addresses = [
    Address(bits: 0x5612_3737_BFCE, kind: .public), Address(bits: 0xC713_702D_CFC1, kind: .random),
  ]
  private static let identityKeys = [[UInt8](repeating: 0xA7, count: 16), [UInt8](repeating: 0xA9, count: 16)]

  private init(_ input: inout Input) {
    let mode = input.byte()
    ends = []
    for place in 0...1 {
      let properties = input.byte()
      var request = PairRequest(
        displays: properties & 1 != 0, enters: properties & 2 != 0, confirms: properties & 4 != 0,
        isStrict: properties & 0x30 == 0x30,
        smallestKey: properties & 8 == 0 ? 16 : 7, bonds: properties & 0xC0 != 0xC0, offersSecureConnections: mode & 3 != 0)
      if properties & 0x40 != 0 { request.fixedPasskey = 7 }
      let identity = LocalIdentity(address: Self.addresses[place], key: Self.identityKeys[place])
      var bond: Bond?
      if mode & (4 << UInt8(place)) != 0 {
        let key = [UInt8](repeating: mode & 0x10 == 0 ? 0xB5 : UInt8(0xB5 + place), count: 16)
        let legacy = Bond.LegacyKey(octets: key, diversifier: 0x1234, random: 0x5678)
        bond = Bond(
          identity: Self.addresses[1 - place],
          keys: mode & 0x20 == 0 ? .secureConnections(key) : .legacy(peer: legacy, own: legacy),
          isAuthenticated: mode & 0x40 != 0, keySize: 16, lastAddress: Self.addresses[1 - place], madeAt: .simulationStart,
          isProvisional: mode & 0x80 != 0)
      }
      var end = End(
        manager: SecurityManager(
          role: place == 0 ? .central : .peripheral, own: Self.addresses[place], peer: Self.addresses[1 - place],
          identity: identity, acceptance: place == 0 || properties & 0x80 != 0 && mode & 0x80 != 0 ? nil : request, bond: bond),
        request: request)
      end.secrets = [Self.identityKeys[place]] + (bond?.secrets ?? [])
      ends.append(end)
    }
    // without bonds these say which end has data of the other
    for place in 0...1 where mode & 0x0C == 0 && mode & (0x20 << UInt8(place)) != 0 { offer(of: place) }
  }

  private mutating func offer(of place: Int) {
    let key = [UInt8](repeating: 0x31 + UInt8(place), count: 32)
    let random = (0..<16).map { UInt8(0x60 + $0 + place) }
    guard case .publicKey(let point) = toolbox.result(of: .security(.publicKey(key))),
      case .octets(let commitment) = toolbox.result(of: .security(.f4(u: point.x, v: point.x, x: random, z: 0)))
    else { return }
    ends[place].manager.offer = OutOfBandOffer(owner: .run)
    ends[place].manager.offer?.secrets = OutOfBandOffer.Secrets(privateKey: key, publicKey: point, random: random)
    ends[place].offered = key
    ends[1 - place].manager.outOfBand = OutOfBandData(secure: .init(confirmation: commitment, random: random))
  }

  // MARK: One event

  private mutating func feed(_ event: SecurityEvent, to place: Int) {
    var waiting = [event]
    var steps = 0
    while !waiting.isEmpty {
      steps += 1
      demand(steps < 500, "a manager computes without an end")
      let next = waiting.removeFirst()
      let bytes = ends[place].manager.encoded
      demand(bytes.count < 4096, "\(bytes.count) octets are kept")
      guard var copy = try? SecurityManager(encoded: bytes) else { return demand(false, "its image cannot be read") }
      let wasPairing = ends[place].manager.pairing != nil
      let effects = ends[place].manager.handle(next, at: now)
      demand(copy.handle(next, at: now) == effects, "made anew, it does something else at \(next)")
      demand(copy == ends[place].manager, "its image does not hold all of it")
      demand(effects.count <= 16, "\(effects.count) effects of one event")
      var urgent: [SecurityEvent] = []
      for effect in effects { take(effect, of: place, wasPairing, &urgent) }
      waiting.insert(contentsOf: urgent, at: 0)
    }
    if ends[place].manager.pairing == nil {
      ends[place].question = nil
      let kept = ends[place].manager.encoded
      let bond = ends[place].manager.bond?.secrets ?? []
      for secret in ends[place].secrets where secret != Self.identityKeys[place] && !bond.contains(secret) {
        demand(!kept.holds(secret), "\(Hex.text(secret)) of a pairing outlives it")
      }
    }
  }

  private mutating func take(
    _ effect: SecurityEffect, of place: Int, _ wasPairing: Bool, _ urgent: inout [SecurityEvent]
  ) {
    switch effect {
    case .send(let pdu):
      let bytes = pdu.encoded
      demand(!ends[place].isLost, "\(Hex.text(bytes)) is said on a lost link")
      switch pdu {
      case .encryptionInformation, .identityInformation:
        demand(ends[place].isEncrypted, "\(Hex.text(bytes)) is said in the clear")
      default:
        for secret in ends[place].secrets { demand(!bytes.holds(secret), "\(Hex.text(bytes)) gives a key away") }
      }
      if case .encryptionInformation(let key) = pdu { ends[place].secrets.append(key) }
      heard.append(bytes)
      if heard.count > 64 { heard.removeFirst() }
      if ends[1 - place].queue.count < 64 { ends[1 - place].queue.append(.pdu(bytes)) }
      if ends[place].holdsAcknowledgements { ends[place].unacknowledged += 1 } else { ends[place].queue.append(.acknowledged) }
    case .compute(let computation):
      let result = toolbox.result(of: computation)
      switch (computation, result) {
      case (.random(32), .octets(let key)): ends[place].secrets.append(key)
      case (.security(.secret), .octets(let key)): ends[place].secrets.append(key)
      case (.security(.keyAndChecks), .keyAndChecks(let key, _, _)): ends[place].secrets.append(key)
      case (.security(.s1), .octets(let key)): ends[place].secrets.append(key)
      default: break
      }
      urgent.append(.computed(result))
    case .encrypt(let key):
      demand(place == 0, "a peripheral starts encryption")
      starting = key.octets
      ends[1].queue.append(.keyAsked(diversifier: key.diversifier, random: key.random))
    case .giveKey(let key):
      demand(place == 1, "a central gives a key")
      demand(key.contains { $0 != 0 }, "a key of zeros is given")
      // The key of a pairing is that of the other end or of neither: it was checked before.
      if wasPairing, ends[1].manager.pairing?.step == .encryption {
        demand(ends[0].secrets.contains { $0.starts(with: key.prefix(7)) }, "a key is given that the central has not")
      }
      settleEncryption(with: key)
    case .refuseKey: settleEncryption(with: nil)
    case .ask(let question):
      if case .display(let code) = question {
        ends[place].code = code
      } else {
        ends[place].question = question
      }
    case .withdraw: ends[place].question = nil
    case .store(let bond), .keep(let bond):
      demand(ends[place].isEncrypted, "a bond is made over a link in the clear")
      ends[place].secrets += bond.secrets
      if case .store = effect { urgent.append(.stored(ends[place].isStoreBroken ? .unwritable : .kept)) }
    case .checkRoom: urgent.append(.roomChecked(ends[place].isStoreBroken ? .noRoom : nil))
    case .drop, .closeLink: break
    case .authenticationRequested:
      demand(place == 0 && ends[0].isEncrypted, "a proof is asked for in the clear")
      if ends[0].queue.count < 64 { ends[0].queue.append(.raise(ends[0].request)) }
    case .spendOffer:
      demand(!ends[place].offered.isEmpty, "data of ours is used twice")
      ends[place].secrets.append(ends[place].offered)
      ends[place].offered = []
    case .levelChanged(let level):
      demand(!level.isEncrypted || ends[place].isEncrypted, "it is said to be encrypted, and is not")
      demand(level.isEncrypted && 7...16 ~= level.keySize, "a key of \(level.keySize)")
    case .paired(let method, let isSecure):
      demand(ends[place].isEncrypted && wasPairing, "it is said to have paired, and has not")
      demand(method != .comparison || isSecure, "a legacy pairing compares no numbers")
    case .finished(.secured(let level)):
      ends[place].ended += 1
      demand(ends[place].isEncrypted && level.isEncrypted, "it is said to be paired, and is not encrypted")
      if wasPairing, level.isAuthenticated {
        let codes = ends.map(\.code)
        let isKnown = ends.contains { $0.manager.outOfBand != nil }
        demand(isKnown || codes[0] != nil && codes[0] == codes[1], "a proof without a code: \(codes)")
      }
    case .finished: ends[place].ended += 1
    }
  }

  /// The peripheral's controller answers the central's.
  private mutating func settleEncryption(with key: [UInt8]?) {
    guard let wanted = starting else { return }
    starting = nil
    guard let key else { return ends[0].queue.append(.encryptionChanged(.keyMissing, isOn: false)) }
    for place in 0...1 {
      ends[place].queue.append(.encryptionChanged(key == wanted ? .success : .micFailure, isOn: key == wanted))
    }
  }

  // MARK: The script

  private mutating func deliver(to place: Int) {
    guard !ends[place].queue.isEmpty else { return }
    let event = ends[place].queue.removeFirst()
    if case .encryptionChanged(.success, let isOn) = event { ends[place].isEncrypted = isOn }
    feed(event, to: place)
  }

  private mutating func play(_ input: inout Input) {
    var steps = 0
    while !input.isAtEnd, steps < 500 {
      steps += 1
      let choice = input.byte()
      let place = Int(choice >> 7)
      switch choice & 0x1F {
      case 0...7: deliver(to: place)
      // everything in progress, except questions to users
      case 8...10:
        for _ in 0..<64 where !ends[0].queue.isEmpty || !ends[1].queue.isEmpty {
          deliver(to: 0)
          deliver(to: 1)
        }
      case 11:
        if case .pdu(let bytes)? = ends[place].queue.first { ends[place].queue[0] = .pdu(input.corrupt(bytes)) }
        deliver(to: place)
      case 12: if case .pdu? = ends[place].queue.first { ends[place].queue.removeFirst() }
      case 13: if case .pdu? = ends[place].queue.first { ends[place].queue.insert(ends[place].queue[0], at: 0) }
      case 14: feed(.pdu(input.blob()), to: place)
      case 15:
        let lengths = [0, 7, 7, 17, 17, 2, 17, 11, 17, 8, 17, 2, 65, 17, 2, 3]
        let code = input.below(16)
        feed(.pdu([UInt8(code)] + input.take(lengths[code] - 1)), to: place)
      case 16: if !heard.isEmpty { feed(.pdu(heard[input.below(heard.count)]), to: place) }
      case 17, 18:
        guard ends[place].queue.count < 32, !ends[place].isLost else { continue }
        ends[place].wanted += 1
        var request = ends[place].request
        request.replacesLost = choice & 0x20 != 0
        feed(.pair(request, renews: choice & 0x40 != 0), to: place)
      case 19, 20: answer(place, isRight: true)
      case 21: answer(place, isRight: false)
      case 22: feed(.answered(.passkey(UInt32(input.word()))), to: place)
      case 23: pass(.seconds(Int64(input.byte())))
      case 24: if let by = ends[place].manager.nextDeadline, by > now.moment { pass(by - now.moment) }
      case 25:
        let (diversifier, random): (UInt16, UInt64) = choice & 0x20 == 0 ? (0, 0) : (0x1234, 0x5678)
        if starting == nil { feed(.keyAsked(diversifier: diversifier, random: random), to: 1) }
      case 26: feed(.cancelled, to: place)
      case 27: ends[place].isStoreBroken.toggle()
      case 28:
        ends[place].holdsAcknowledgements.toggle()
        for _ in 0..<ends[place].unacknowledged { ends[place].queue.append(.acknowledged) }
        ends[place].unacknowledged = 0
      case 29: feed(.encryptionChanged(HCIStatus(input.byte() | 1), isOn: false), to: place)
      case 30: feed(choice & 0x20 == 0 ? .centralHeard : .authenticationMissing, to: 1)
      default: if choice & 0x60 == 0x60 { lose(place) }
      }
    }
  }

  private mutating func answer(_ place: Int, isRight: Bool) {
    guard let question = ends[place].question else { return }
    ends[place].question = nil
    switch question {
    case .passkey:
      let code = isRight ? ends[1 - place].code ?? 123_456 : 654_321
      ends[place].code = code
      feed(.answered(.passkey(code)), to: place)
    case .comparison(let code):
      ends[place].code = isRight ? code : nil
      feed(.answered(isRight ? .yes : .no), to: place)
    case .unproven: feed(.answered(isRight ? .yes : .no), to: place)
    case .display: break
    }
  }

  private mutating func pass(_ span: TimeSpan) {
    now = now + span
    for place in 0...1 {
      guard let by = ends[place].manager.nextDeadline, by <= now.moment else { continue }
      feed(.deadline, to: place)
      if let next = ends[place].manager.nextDeadline { demand(next > now.moment, "a deadline stays in the past") }
    }
  }

  private mutating func lose(_ place: Int) {
    ends[place].queue = []
    feed(.lost, to: place)
    ends[place].isLost = true
  }

  /// From here on all parties are silent, and everything ends by itself.
  private mutating func end() {
    for place in 0...1 {
      ends[place].queue = []
      var steps = 0
      while let by = ends[place].manager.nextDeadline {
        steps += 1
        demand(steps < 20, "it never comes to an end")
        now = now + max(TimeSpan.zero, by - now.moment)
        feed(.deadline, to: place)
        ends[place].queue = []
      }
      demand(ends[place].manager.pairing == nil && !ends[place].manager.isBusy, "a pairing that waits for nothing")
      demand(ends[place].ended >= ends[place].wanted, "\(ends[place].wanted) times `pair`, and \(ends[place].ended) ends")
    }
  }
}

extension Bond {
  var secrets: [[UInt8]] {
    var list = identityKey.map { [$0] } ?? []
    switch keys {
    case .secureConnections(let key): list.append(key)
    case .legacy(let peer, let own): list += [peer, own].compactMap { $0?.octets }
    }
    return list
  }
}

extension [UInt8] {
  /// Whether the text contains these bytes. A run of 16 bytes that is nearly all zeros does not
  /// count.
  fileprivate func holds(_ part: [UInt8]) -> Bool {
    guard let first = part.first, count >= part.count, part.count(where: { $0 != 0 }) > 4 else { return false }
    for start in 0...(count - part.count) where self[start] == first && self[start..<start + part.count].elementsEqual(part) {
      return true
    }
    return false
  }
}
