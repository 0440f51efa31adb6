import Exchange
@testable import Host
import KeeperProcess
import Packets
import Vocabulary

/// Two security managers, one for each end of a link, with their controllers and stores. Each
/// receives what the other sends, unless a test intervenes.
struct PairingBench {
  enum Side: Int, CaseIterable, Sendable {
    case central = 0
    case peripheral = 1
    var other: Side { self == .central ? .peripheral : .central }
  }

  struct End {
    var manager: SecurityManager
    var results: [PairingResult] = []
    var questions: [PairingQuestion] = []
    /// What the log says of each pairing.
    var paired: [String] = []
    var stored: [Bond] = []
    var dropped: [Address] = []
    var sent: [SMPPDU] = []
    var closes: [PairingFault] = []
    var levels: [LinkSecurity] = []
    var answer: ((PairingQuestion) -> PairingAnswer?)?
    var isStoreBroken = false
    /// Why the store can take no bond, and how often it was asked.
    var roomFault: PairingFault?
    var roomChecks = 0
    var holdsAcknowledgements = false
    var keysGiven: [[UInt8]] = []
    /// How many confirmations the peer has requested, and the answer to each.
    var authenticationRequests = 0
    var raises: PairRequest?
    var refusedKeys = 0
  }

  static let addresses = [
    Address(bits: 0x5612_3737_BFCE, kind: .public), Address(bits: 0xC713_702D_CFC1, kind: .random),
  ]

  var ends: [End]
  var toolbox = Toolbox(entropy: .seeded(SplitMix(seed: 7)))
  var now = Instant.simulationStart
  /// What an attacker turns a PDU into: the same, others, or none.
  var meddle: ((Side, SMPPDU) -> [[UInt8]])?
  /// How the first encryption ends instead; `nil` in it means not at all.
  var ending: HCIStatus??
  /// What the central's controller has started, until the peripheral has supplied a key.
  private var starting: Bond.LegacyKey?

  init(central: Bond? = nil, peripheral: Bond? = nil, acceptance: PairRequest? = PairRequest()) {
    let identities = Self.addresses.enumerated().map {
      LocalIdentity(address: $0.element, key: [UInt8](repeating: UInt8(0xA0 + $0.offset), count: 16))
    }
    ends = [
      End(
        manager: SecurityManager(
          role: .central, own: Self.addresses[0], peer: Self.addresses[1], identity: identities[0], bond: central)),
      End(
        manager: SecurityManager(
          role: .peripheral, own: Self.addresses[1], peer: Self.addresses[0], identity: identities[1], acceptance: acceptance,
          bond: peripheral)),
    ]
  }

  subscript(side: Side) -> End {
    get { ends[side.rawValue] }
    set { ends[side.rawValue] = newValue }
  }

  var central: End { ends[0] }
  var peripheral: End { ends[1] }

  /// Processes one event at one end and everything that follows from it.
  mutating func feed(_ event: SecurityEvent, to side: Side) {
    var waiting: [(Side, SecurityEvent)] = [(side, event)]
    var steps = 0
    while !waiting.isEmpty, steps < 10_000 {
      steps += 1
      let (place, event) = waiting.removeFirst()
      // For each event the manager is restored from its bytes, as in a keeper's successor.
      if let reencoded = try? SecurityManager(encoded: self[place].manager.encoded) { self[place].manager = reencoded }
      ReencodedHost.watcher?(self[place].manager)
      let effects = self[place].manager.handle(event, at: now)
      var urgent: [(Side, SecurityEvent)] = []
      for effect in effects { take(effect, of: place, &urgent, &waiting) }
      waiting.insert(contentsOf: urgent, at: 0)
    }
  }

  private mutating func take(
    _ effect: SecurityEffect, of side: Side, _ urgent: inout [(Side, SecurityEvent)], _ waiting: inout [(Side, SecurityEvent)]
  ) {
    switch effect {
    case .send(let pdu):
      self[side].sent.append(pdu)
      for bytes in meddle?(side, pdu) ?? [pdu.encoded] { waiting.append((side.other, .pdu(bytes))) }
      if !self[side].holdsAcknowledgements { waiting.append((side, .acknowledged)) }
    case .compute(let computation): urgent.append((side, .computed(toolbox.result(of: computation))))
    case .encrypt(let key):
      starting = key
      waiting.append((.peripheral, .keyAsked(diversifier: key.diversifier, random: key.random)))
    case .giveKey(let key):
      self[side].keysGiven.append(key)
      let fits = key == starting?.octets
      starting = nil
      if let ending {
        self.ending = nil
        if let ending { waiting.append((.central, .encryptionChanged(ending, isOn: false))) }
        return
      }
      for end in [Side.peripheral, .central] {
        waiting.append((end, .encryptionChanged(fits ? .success : .micFailure, isOn: fits)))
      }
    case .refuseKey:
      self[side].refusedKeys += 1
      starting = nil
      waiting.append((.central, .encryptionChanged(.keyMissing, isOn: false)))
    case .ask(let question):
      self[side].questions.append(question)
      if question.needsAnswer, let answer = self[side].answer?(question) { waiting.append((side, .answered(answer))) }
    case .paired(let method, let isSecure): self[side].paired.append(method.words(isSecureConnections: isSecure))
    case .withdraw, .spendOffer: break
    case .checkRoom:
      self[side].roomChecks += 1
      urgent.append((side, .roomChecked(self[side].roomFault)))
    case .store(let bond):
      if !self[side].isStoreBroken { self[side].stored.append(bond) }
      urgent.append((side, .stored(self[side].isStoreBroken ? .unwritable : .kept)))
    case .drop(let identity): self[side].dropped.append(identity)
    case .keep(let bond): self[side].stored.append(bond)
    case .levelChanged(let level): self[side].levels.append(level)
    case .authenticationRequested:
      self[side].authenticationRequests += 1
      if let request = self[side].raises { waiting.append((side, .raise(request))) }
    case .finished(let result): self[side].results.append(result)
    case .closeLink(let fault): self[side].closes.append(fault)
    }
  }

  mutating func pair(_ request: PairRequest = PairRequest(), renews: Bool = false) {
    feed(.pair(request, renews: renews), to: .central)
  }

  mutating func wait(_ span: TimeSpan, _ side: Side) {
    now = now + span
    feed(.deadline, to: side)
  }
}
