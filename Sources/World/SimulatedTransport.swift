import Adapters
package import Linux
package import Simulator
package import Vocabulary

/// A virtual controller of an air in this process.
package final class SimulatedTransport: Transport {
  private let air: SimulatedAir
  package let controller: ControllerID

  package init(air: SimulatedAir, controller: ControllerID) {
    self.air = air
    self.controller = controller
  }

  package func send(_ packet: [UInt8], at now: Instant) { air.send(packet, from: controller, at: now) }

  package func receive(at now: Instant) -> [[UInt8]] {
    air.run(to: now)
    return air.take(for: controller)
  }

  package func flush() {}
  package var nextMoment: Moment? { air.nextMoment(of: controller) }
  package var interest: Poll.Interest? { nil }
  package var ending: String? { nil }
  package var canHang: Bool { false }
}
