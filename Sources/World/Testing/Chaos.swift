import Simulator
import Vocabulary

/// Random faults; the same seed gives the same ones.
package struct ChaosPlan: Sendable {
  package var seed: UInt64

  package init(seed: UInt64) { self.seed = seed }
}

/// The faults of one run and their times. Each fault ends within half a minute.
struct Chaos {
  private enum Order {
    case loss(Double)
    case drop(Int)
    case vanish(Int)
    case appear(Int)
    case slow(Int, TimeSpan)
    case silence(Int)
    case adapter(TimeSpan)
  }

  private var orders: [(at: Moment, order: Order)] = []

  /// Most tests end soon, and some take a day.
  private static let windows: [TimeSpan] = [
    .seconds(2), .seconds(4), .seconds(8), .seconds(20), .seconds(60), .seconds(600), .hours(6),
  ]

  init(_ plan: ChaosPlan) {
    var random = SplitMix(seed: plan.seed &* 0x9E37_79B9_7F4A_7C15 ^ 0xC4A0_5EED)
    _ = random.next()
    let start = Instant.simulationStart.moment
    let window = Self.windows[Int(random.next(below: UInt64(Self.windows.count)))]
    for _ in 0..<1 + random.next(below: 5) {
      let peer = Int(random.next(below: 8))
      let at = start + random.next(upTo: window)
      let end = at + .seconds(1 + Int64(random.next(below: 29)))
      switch random.next(below: 7) {
      case 0:
        orders.append((at, .loss([0.05, 0.2, 0.4][Int(random.next(below: 3))])))
        orders.append((end, .loss(0)))
      case 1:
        orders.append((at, .vanish(peer)))
        orders.append((end, .appear(peer)))
      case 2:
        orders.append((at, .slow(peer, .milliseconds(Int64(100 + random.next(below: 3000))))))
        orders.append((end, .slow(peer, .zero)))
      case 3: orders.append((at, .silence(peer)))
      case 4: orders.append((at, .adapter(.seconds(1 + Int64(random.next(below: 8))))))
      default: orders.append((at, .drop(peer)))
      }
    }
    orders.sort { $0.at < $1.at }
  }

  var nextMoment: Moment? { orders.first?.at }
  /// Whether a fault has occurred.
  private(set) var hasBegun = false
  /// Until when the adapter of the recipes is away.
  private var adapterReturns: Moment?

  func hasAdapterOut(at now: Moment) -> Bool { adapterReturns.map { now < $0 } ?? false }

  mutating func work(in run: TestRun, at now: Instant) {
    while let next = orders.first, next.at <= now.moment {
      orders.removeFirst()
      hasBegun = true
      if case .adapter(let span) = next.order, !run.hasDirectRuns {
        adapterReturns = max(adapterReturns ?? now.moment, now.moment + span)
      }
      Self.perform(next.order, run, now)
    }
  }

  private static func perform(_ order: Order, _ run: TestRun, _ now: Instant) {
    let peers = run.peripheralControllers
    func peer(_ number: Int) -> ControllerID? { peers.isEmpty ? nil : peers[number % peers.count] }
    let air = run.kept.air
    let moment = now.moment
    switch order {
    case .loss(let probability): for own in peers { air.make { $0.setLoss(own, probability, at: moment) } }
    case .drop(let number): if let peer = peer(number) { air.make { $0.drop(peer, at: moment) } }
    case .vanish(let number): if let peer = peer(number) { air.make { $0.vanish(peer, at: moment) } }
    case .appear(let number): if let peer = peer(number) { air.make { $0.appear(peer, at: moment) } }
    case .slow(let number, let delay): if let peer = peer(number) { air.make { $0.slow(peer, by: delay, at: moment) } }
    case .silence(let number): if let peer = peer(number) { air.make { $0.loseNextReply(peer, then: .silence, at: moment) } }
    case .adapter(let span): if !run.hasDirectRuns { run.kept.takeOut(until: moment + span) }
    }
  }
}
