import Adapters
import Judgement
import Linux
import Simulator
import Vocabulary
import World

/// A simulated air with one controller for the run, and scheduled events on it. Copies share
/// nothing.
final class World: Transport {
  private let air: SimulatedAir
  private let controller: ControllerID
  private var faults: [(at: Moment, order: @Sendable (SimulatedAir) -> Void)]
  /// The air's log so far.
  private(set) var log: [String] = []

  init(air: SimulatedAir, controller: ControllerID, faults: [(at: Moment, order: @Sendable (SimulatedAir) -> Void)]) {
    self.air = air
    self.controller = controller
    self.faults = faults
  }

  func copy() -> World {
    collect()
    let copy = World(air: air.copy(), controller: controller, faults: faults)
    copy.log = log
    return copy
  }

  /// Lines about advertising are not needed here.
  func collect() {
    for record in air.takeLog() where record.kind != .advertisement && record.kind != .scanRequest && record.kind != .scanResponse {
      log.append(record.line)
    }
  }

  /// Advances time while the run's process is dead.
  func isLeftAlone(from now: Instant, for span: TimeSpan) -> Instant {
    air.hostGone(controller, at: now)
    let then = now + span
    while let fault = faults.first, fault.at <= then.moment {
      faults.removeFirst()
      air.run(to: now + (max(fault.at, now.moment) - now.moment))
      fault.order(air)
    }
    air.run(to: then)
    return then
  }

  func send(_ packet: [UInt8], at now: Instant) { air.send(packet, from: controller, at: now) }

  func receive(at now: Instant) -> [[UInt8]] {
    air.run(to: now)
    while let fault = faults.first, fault.at <= now.moment {
      faults.removeFirst()
      fault.order(air)
    }
    return air.take(for: controller)
  }

  func flush() {}
  var nextMoment: Moment? { earliest(air.nextMoment, faults.first?.at) }
  var interest: Poll.Interest? { nil }
  var ending: String? { nil }
  var canHang: Bool { false }
}
