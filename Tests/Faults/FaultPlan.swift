import Packets
import Simulator
import Vocabulary

/// The faults of one run, drawn from a seed. The same seed gives the same faults at the same
/// moments.
struct FaultPlan: Sendable {
  /// Where faults happen. A run has one or several kinds.
  enum Family: String, CaseIterable, Sendable {
    /// Loss, delay, peers out of range, lost links, failed connection attempts, commands that the
    /// controller refuses.
    case air
    /// A peer that answers incorrectly, late, twice or not at all, and sends unsolicited PDUs.
    case peer
    /// Between controller and host: packets that are lost, duplicated, late, reordered, altered,
    /// truncated or inserted.
    case wire
    /// The controller stops answering, resets itself, or reports a hardware error.
    case controller
  }

  /// The probability of each fault per packet.
  struct Wire: Sendable {
    var drop = 0.0
    var double = 0.0
    var late = 0.0
    var overtake = 0.0
    var alter = 0.0
    var cut = 0.0
    var extend = 0.0
    /// For packets of the host.
    var dropSent = 0.0
  }

  struct Peer: Sendable {
    var otherOpcode = 0.0
    var otherLength = 0.0
    var otherValue = 0.0
    var error = 0.0
    var silence = 0.0
    var twice = 0.0
  }

  /// Where inserted packets come from.
  enum Surprise: String, CaseIterable, Sendable {
    // from the wire
    case garbage, garbageEvent, garbageData, replay, strangeCompletion, strangeCredits, strangeLink, strangeDisconnection,
      strangeReport
    // from the controller
    case hardwareError, reset, resetWithEvent, resetWithError
    // from the peer
    case notification, indication, serviceChanged, request, signal, pairing, strangeChannel, flood

    static let ofWire: [Surprise] = [
      .garbage, .garbageEvent, .garbageData, .replay, .strangeCompletion, .strangeCredits, .strangeLink, .strangeDisconnection,
      .strangeReport,
    ]
    static let ofController: [Surprise] = [.hardwareError, .reset, .resetWithEvent, .resetWithError]
    static let ofPeer: [Surprise] = [
      .notification, .indication, .serviceChanged, .request, .signal, .pairing, .strangeChannel, .flood,
    ]
  }

  enum Order: Sendable, CustomStringConvertible {
    case loss(Double)
    case vanish(Int)
    case appear(Int)
    case drop(Int, atOnce: Bool)
    case loseReply(Int, Int)
    case refuseOperation(Int, UInt8)
    case refuseCommand(UInt8)
    case failConnections(Int, Int, isHeard: Bool)
    case slow(Int, TimeSpan)
    case surprise(Surprise)
    case silence(TimeSpan)

    var description: String {
      switch self {
      case .loss(let chance): "loss \(chance)"
      case .vanish(let peer): "peer \(peer) vanishes"
      case .appear(let peer): "peer \(peer) appears"
      case .drop(let peer, let atOnce): "the link to peer \(peer) is dropped\(atOnce ? " at once" : "")"
      case .loseReply(let peer, let how): "peer \(peer)'s next reply is lost (\(how))"
      case .refuseOperation(let peer, let code): "peer \(peer) refuses the next operation with \(code)"
      case .refuseCommand(let code): "the controller refuses the next command with \(code)"
      case .failConnections(let peer, let count, let isHeard):
        "the next \(count) connections to peer \(peer) fail (heard: \(isHeard))"
      case .slow(let peer, let delay): "peer \(peer) is slow by \(delay)"
      case .surprise(let surprise): surprise.rawValue
      case .silence(let span): "silence for \(span)"
      }
    }
  }

  let seed: UInt64
  private(set) var families: [Family] = []
  private(set) var wire = Wire()
  private(set) var peer = Peer()
  private(set) var orders: [(at: TimeSpan, order: Order)] = []
  /// No faults from here on, but a controller that is permanently silent stays so.
  let ends: TimeSpan
  private(set) var isSilentForEver = false

  /// - Parameter peers: how many devices are on the air.
  init(seed: UInt64, peers: Int, ends: TimeSpan) {
    self.seed = seed
    self.ends = ends
    var random = SplitMix(seed: seed &* 0x9E37_79B9_7F4A_7C15 ^ 0xFA17)
    _ = random.next()
    let all = Family.allCases
    families = [all[Int(random.next(below: UInt64(all.count)))]]
    for family in all where !families.contains(family) && random.chance(0.25) { families.append(family) }
    // Most of a run has no faults, because a run that never connects tests little.
    let rates = [0.002, 0.01, 0.03, 0.1, 0.3]
    func rate(_ random: inout SplitMix, _ chance: Double) -> Double {
      random.chance(chance) ? rates[Int(random.next(below: UInt64(rates.count)))] : 0
    }
    if families.contains(.wire) {
      wire = Wire(
        drop: rate(&random, 0.4), double: rate(&random, 0.3), late: rate(&random, 0.3), overtake: rate(&random, 0.3),
        alter: rate(&random, 0.4), cut: rate(&random, 0.3), extend: rate(&random, 0.3), dropSent: rate(&random, 0.2))
      surprises(Surprise.ofWire, &random)
    }
    if families.contains(.peer) {
      peer = Peer(
        otherOpcode: rate(&random, 0.4), otherLength: rate(&random, 0.4), otherValue: rate(&random, 0.4), error: rate(&random, 0.4),
        silence: rate(&random, 0.2), twice: rate(&random, 0.3))
      surprises(Surprise.ofPeer, &random)
    }
    if families.contains(.controller) {
      if random.chance(0.6) { surprises(Surprise.ofController, &random, most: 2) }
      if random.chance(0.5) {
        let spans: [TimeSpan] = [.milliseconds(300), .milliseconds(1900), .milliseconds(2100), .seconds(6), .seconds(20)]
        add(.silence(spans[Int(random.next(below: UInt64(spans.count)))]), &random)
      }
      if random.chance(0.15) {
        isSilentForEver = true
        add(.silence(.hours(10000)), &random)
      }
      for _ in 0..<random.next(below: 4) { add(.refuseCommand(UInt8(1 + random.next(below: 0x44))), &random) }
    }
    if families.contains(.air) { air(peers, &random) }
    orders.sort { $0.at < $1.at }
  }

  private mutating func add(_ order: Order, _ random: inout SplitMix) {
    // Half of them early, because finite runs are short.
    let span = random.chance(0.5) ? TimeSpan.milliseconds(min(ends.milliseconds, 6000)) : ends
    orders.append((random.next(upTo: span), order))
  }

  private mutating func surprises(_ kinds: [Surprise], _ random: inout SplitMix, most: UInt64 = 12) {
    for _ in 0..<1 + random.next(below: most) {
      add(.surprise(kinds[Int(random.next(below: UInt64(kinds.count)))]), &random)
    }
  }

  private mutating func air(_ peers: Int, _ random: inout SplitMix) {
    if random.chance(0.5) { orders.append((.zero, .loss([0.05, 0.2, 0.4, 0.7][Int(random.next(below: 4))]))) }
    for _ in 0..<1 + random.next(below: 8) {
      let peer = Int(random.next(below: UInt64(peers)))
      switch random.next(below: 9) {
      case 0: add(.loss([0, 0.3, 0.6, 0.9, 1][Int(random.next(below: 5))]), &random)
      case 1:
        add(.vanish(peer), &random)
        add(.appear(peer), &random)
      case 2: add(.drop(peer, atOnce: false), &random)
      case 3: add(.drop(peer, atOnce: true), &random)
      case 4: add(.loseReply(peer, Int(random.next(below: 3))), &random)
      case 5: add(.refuseOperation(peer, UInt8(truncatingIfNeeded: random.next())), &random)
      case 6: add(.failConnections(peer, 1 + Int(random.next(below: 6)), isHeard: random.chance(0.5)), &random)
      case 7: add(.slow(peer, random.next(upTo: .seconds(3))), &random)
      default: add(.refuseCommand(UInt8(1 + random.next(below: 0x44))), &random)
      }
    }
  }

  /// Described for people, when something was found.
  var summary: String {
    let names = families.map(\.rawValue).joined(separator: ", ")
    return "\(names); \(wire); \(peer); \(orders.map { "\($0.at): \($0.order)" })"
  }
}
