import Exchange
import Foundation
import KeeperProcess
import Packets
import Testing
import Vocabulary

@testable import Host

/// One case of `Tests/Transcripts/SM.txt`.
struct SecurityTranscript: Sendable, CustomTestStringConvertible {
  var name: String
  var lines: [String] = []

  var testDescription: String { name }

  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Transcripts")

  static func all() -> [SecurityTranscript] {
    let text = (try? String(contentsOf: folder.appendingPathComponent("SM.txt"), encoding: .utf8)) ?? "# SM.txt is missing"
    var list: [SecurityTranscript] = []
    for line in text.split(separator: "\n") {
      if line.hasPrefix("# ") {
        list.append(SecurityTranscript(name: String(line.dropFirst(2))))
      } else if !list.isEmpty {
        list[list.count - 1].lines.append(String(line))
      }
    }
    return list
  }
}

/// One security manager with its generator, controller and store, as described by a transcript.
private struct SecurityStage {
  var manager: SecurityManager
  var now = Instant.simulationStart
  private var toolbox = Toolbox(entropy: .seeded(SplitMix(seed: 1)))
  /// The next output of the generator.
  var randoms: [[UInt8]] = []
  /// Actions that no line of the transcript has named yet.
  var done: [String] = []
  var holdsAcknowledgements = false
  private var stored: Bond?

  init(_ words: [String]) {
    var request = PairRequest()
    for word in words.dropFirst() {
      switch word {
      case "displays": request.displays = true
      case "enters": request.enters = true
      case "confirms": request.confirms = true
      case "strict": request.isStrict = true
      case "legacy": request.offersSecureConnections = false
      default: request.smallestKey = UInt8(word.dropFirst("smallest=".count)) ?? 0
      }
    }
    self.request = request
    manager = Self.manager(words[0] == "central", request, bond: nil)
  }

  let request: PairRequest

  private static func manager(_ isCentral: Bool, _ request: PairRequest, bond: Bond?) -> SecurityManager {
    let place = isCentral ? 0 : 1
    let identity = LocalIdentity(
      address: PairingBench.addresses[place], key: [UInt8](repeating: UInt8(0xA0 + place), count: 16))
    return SecurityManager(
      role: isCentral ? .central : .peripheral, own: identity.address, peer: PairingBench.addresses[1 - place], identity: identity,
      acceptance: isCentral ? nil : request, bond: bond)
  }

  mutating func bonded(_ words: [String]) {
    manager.bond = Bond(
      identity: manager.peer, keys: .secureConnections(Hex.bytes(words[4]) ?? []), isAuthenticated: words[2] == "authenticated",
      keySize: UInt8(words[3]) ?? 0, lastAddress: manager.peer, madeAt: now.wall)
  }

  /// Our offered out-of-band data.
  mutating func offer(_ key: [UInt8], _ random: [UInt8]) {
    guard case .publicKey(let point) = toolbox.result(of: .security(.publicKey(key))) else { return }
    manager.offer = OutOfBandOffer(owner: .run)
    manager.offer?.secrets = OutOfBandOffer.Secrets(privateKey: key, publicKey: point, random: random)
  }

  /// The next link between the same two.
  mutating func again() { manager = Self.manager(manager.role == .central, request, bond: stored) }

  mutating func feed(_ event: SecurityEvent) {
    var waiting = [event]
    while !waiting.isEmpty {
      // for each event the manager is restored from its bytes
      if let reencoded = try? SecurityManager(encoded: manager.encoded) { manager = reencoded }
      let next = waiting.removeFirst()
      var urgent: [SecurityEvent] = []
      for effect in manager.handle(next, at: now) {
        switch effect {
        case .compute(.random(let count)):
          guard let octets = randoms.first, octets.count == count else {
            done.append("draws \(count) octets")
            continue
          }
          randoms.removeFirst()
          urgent.append(.computed(.octets(octets)))
        case .compute(let computation): urgent.append(.computed(toolbox.result(of: computation)))
        case .send(let pdu):
          done.append("> " + Hex.text(pdu.encoded))
          if !holdsAcknowledgements { waiting.append(.acknowledged) }
        case .store(let bond):
          stored = bond
          done.append(Self.text(bond))
          urgent.append(.stored(.kept))
        case .checkRoom: urgent.append(.roomChecked(nil))
        case .paired: break
        case let other: done.append(Self.text(other))
        }
      }
      waiting.insert(contentsOf: urgent, at: 0)
    }
  }

  private static func text(_ effect: SecurityEffect) -> String {
    switch effect {
    case .encrypt(let key): "enable \(Self.text(key))"
    case .giveKey(let key): "give \(plain(key))"
    case .refuseKey: "refuse"
    case .ask(.passkey): "ask passkey"
    case .ask(.unproven): "ask unproven"
    case .ask(.comparison(let code)): "ask compare \(PairingQuestion.comparison(code).digits ?? "")"
    case .ask(.display(let code)): "ask display \(PairingQuestion.display(code).digits ?? "")"
    case .withdraw: "withdraw"
    case .authenticationRequested: "proof"
    case .spendOffer: "spent"
    case .keep: "keep"
    case .drop: "drop"
    case .levelChanged(let level): "level \(text(level))"
    case .finished(.secured(let level)): "end secured \(text(level))"
    case .finished(.failed(.refusedByPeer(let reason))): "end failed by-peer \(Hex.text(reason.raw))"
    case .finished(.failed(.refusedByUs(let reason))): "end failed by-us \(Hex.text(reason.raw))"
    case .finished(.failed(.wrongCheck(_, let isPeers))): "end failed \(isPeers ? "by-peer" : "by-us") 04"
    case .finished(.failed(.unproven)): "end failed unproven"
    case .finished(.failed(let fault)): "end failed \(fault)"
    case .closeLink: "close"
    case .send, .compute, .checkRoom, .store, .paired: ""
    }
  }

  private static func plain(_ octets: [UInt8]) -> String { Hex.text(octets).replacingOccurrences(of: " ", with: "") }

  private static func text(_ level: LinkSecurity) -> String {
    [
      level.isSecureConnections ? "sc" : "legacy", level.isAuthenticated ? "authenticated" : "unauthenticated", "\(level.keySize)",
    ].joined(separator: " ")
  }

  /// EDIV and Rand are bytes in over-the-air order.
  private static func text(_ key: Bond.LegacyKey) -> String {
    let name = SMPPDU.centralIdentification(diversifier: key.diversifier, random: key.random).encoded.dropFirst()
    return "\(plain(key.octets)) \(plain(Array(name.prefix(2)))) \(plain(Array(name.dropFirst(2))))"
  }

  private static func text(_ bond: Bond) -> String {
    var words = [bond.isProvisional ? "provisional" : "bond", text(bond.security)]
    func name(_ key: Bond.LegacyKey) -> String { text(key).split(separator: " ").dropFirst().joined() }
    switch bond.keys {
    case .secureConnections(let key): words.append("key \(plain(key))")
    case .legacy(let theirs, let ours):
      if let theirs { words.append("theirs \(plain(theirs.octets)) \(name(theirs))") }
      if let ours { words.append("ours \(plain(ours.octets)) \(name(ours))") }
    }
    if let key = bond.identityKey { words.append("irk \(plain(key))") }
    if bond.hasOurs { words.append("known") }
    return words.joined(separator: " ")
  }
}

@Suite struct SecurityTranscriptTests {
  @Test(arguments: SecurityTranscript.all()) func theManagerFollowsTheTranscript(transcript: SecurityTranscript) {
    func fail(_ text: String) { Issue.record("\(transcript.name): \(text)") }
    guard let first = transcript.lines.first else { return fail("it has no lines") }
    var stage = SecurityStage(first.split(separator: " ").map(String.init))
    for line in transcript.lines.dropFirst() {
      let words = line.split(separator: " ").map(String.init)
      let rest = words.dropFirst().joined(separator: " ")
      func name(_ place: Int) -> UInt64 {
        (Hex.bytes(words[place]) ?? []).reversed().reduce(0) { $0 << 8 | UInt64($1) }
      }
      let event: SecurityEvent
      switch words[0] {
      case "random":
        stage.randoms.append(Hex.bytes(rest) ?? [])
        continue
      case "bonded":
        stage.bonded(words)
        continue
      case "given":
        let value = Hex.bytes(words[2]) ?? []
        stage.manager.outOfBand =
          words[1] == "tk"
          ? OutOfBandData(temporaryKey: value)
          : OutOfBandData(secure: OutOfBandData.Secure(confirmation: value, random: Hex.bytes(words[3]) ?? []))
        continue
      case "offered":
        stage.offer(Hex.bytes(words[1]) ?? [], Hex.bytes(words[2]) ?? [])
        continue
      case "again":
        stage.again()
        continue
      case "hold":
        stage.holdsAcknowledgements = true
        continue
      case "pair": event = .pair(stage.request, renews: words.last == "renew")
      case "<": event = .pdu(Hex.bytes(rest) ?? [])
      case "code": event = .answered(.passkey(UInt32(words[1]) ?? 0))
      case "yes": event = .answered(.yes)
      case "no": event = .answered(.no)
      case "key": event = .keyAsked(diversifier: UInt16(name(1)), random: name(2))
      case "enc": event = .encryptionChanged(.success, isOn: true)
      case "heard": event = .centralHeard
      case "missing": event = .authenticationMissing
      case "acknowledge":
        for _ in 0..<32 { stage.feed(.acknowledged) }
        continue
      case "wait":
        stage.now = stage.now + TimeSpan(nanoseconds: Int64((Double(rest) ?? 0) * 1e9))
        event = .deadline
      default:
        guard let next = stage.done.first else { return fail("nothing was done where `\(line)` was expected") }
        if next != line { return fail("did `\(next)`, expected `\(line)`") }
        stage.done.removeFirst()
        continue
      }
      if let next = stage.done.first { return fail("did `\(next)` before `\(line)`") }
      stage.feed(event)
    }
    if let next = stage.done.first { fail("did `\(next)`, and the case does not name it") }
    if !stage.randoms.isEmpty { fail("\(stage.randoms.count) random numbers were not drawn") }
    if transcript.lines.contains(where: { $0.hasPrefix("end") }) {
      #expect(stage.manager.pairing == nil, "nothing of it is kept when it has ended")
    }
  }

  /// The cases of SM.TS that this program has to pass. Signatures and keys for BR/EDR are left out.
  @Test func everyCaseHasATranscript() {
    func names(_ group: String, _ kind: String, _ numbers: [Int]) -> [String] {
      numbers.map { "SM/\(group)/\(kind)-\($0 < 10 ? "0" : "")\($0)-C" }
    }
    var wanted = ["SM/CEN/PROT/BV-01-C", "SM/PER/PROT/BV-02-C"]
    wanted += names("CEN/JW", "BV", [1, 5]) + names("PER/JW", "BV", [2]) + names("CEN/JW", "BI", [1, 4, 6])
    wanted += names("PER/JW", "BI", [2, 3])
    wanted += names("CEN/PKE", "BV", [1, 4, 5]) + names("PER/PKE", "BV", [2, 6]) + names("CEN/PKE", "BI", [1, 2, 3])
    wanted += names("PER/PKE", "BI", [3])
    wanted += names("CEN/OOB", "BV", [1, 3, 5, 7, 9, 10]) + names("PER/OOB", "BV", [2, 4, 6, 8, 10, 11])
    wanted += names("CEN/OOB", "BI", [1]) + names("PER/OOB", "BI", [2])
    wanted += names("CEN/SCOB", "BV", [1, 4]) + names("PER/SCOB", "BV", [2, 3]) + names("CEN/SCOB", "BI", [1, 4])
    wanted += names("PER/SCOB", "BI", [2, 3])
    wanted += names("CEN/EKS", "BV", [1]) + names("PER/EKS", "BV", [2]) + names("CEN/EKS", "BI", [1]) + names("PER/EKS", "BI", [2])
    wanted += names("PER/KDU", "BV", [1, 2, 7, 8]) + names("CEN/KDU", "BV", [5, 6, 10])
    wanted += names("PER/KDU", "BI", [2, 3, 4]) + names("CEN/KDU", "BI", [4])
    wanted += names("PER/PIS", "BV", [1, 2]) + names("CEN/PIS", "BV", [2, 3])
    wanted += names("CEN/SCJW", "BV", [1, 4]) + names("PER/SCJW", "BV", [2, 3]) + names("CEN/SCJW", "BI", [1])
    wanted += names("PER/SCJW", "BI", [2])
    wanted += names("CEN/SCPK", "BV", [1, 4, 5]) + names("PER/SCPK", "BV", [2, 3]) + names("CEN/SCPK", "BI", [1, 2, 3])
    wanted += names("PER/SCPK", "BI", [3, 4, 5])
    let found = Set(SecurityTranscript.all().map { String($0.name.prefix { $0 != " " }) })
    #expect(wanted.filter { !found.contains($0) } == [])
    #expect(SecurityTranscript.all().count > 120)
  }
}
