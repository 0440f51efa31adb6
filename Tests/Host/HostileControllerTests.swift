import Exchange
import Packets
import Testing
import Vocabulary

@testable import Host

/// Whatever a controller answers, and however soon, the host does not repeat a command endlessly
/// without a pause.
@Suite struct HostileControllerTests {
  enum Habit: String, CaseIterable, Sendable {
    case wrongAddress, wrongAddressThatStays, neverEstablished, unknownConnection, limitExceeded, noReason
    case refusedScan, refusedCreate, refusedCreateAsBusy, refusedAdvertising, refusedList
    case refusedDisconnect, linkThatEnds, linkThatComesAgain, advertisingThatEnds, hardwareError
  }

  private static let strap = Address(bits: 0xC4_7C_8D_6A_12_0F, kind: .random)
  private static let otherDevice = Address(bits: 0xC4_00_00_00_00_01, kind: .random)

  private static func link(_ status: HCIStatus, _ handle: UInt16, _ peer: Address, role: LinkRole = .central) -> HCIEvent {
    .leConnectionComplete(
      ConnectionComplete(
        status: status, handle: ConnectionHandle(handle), role: role, peer: peer, interval: 24, latency: 0, supervisionTimeout: 400)
    )
  }

  private static func end(_ handle: UInt16, _ reason: HCIStatus) -> HCIEvent {
    .disconnectionComplete(DisconnectionComplete(status: .success, handle: ConnectionHandle(handle), reason: reason))
  }

  /// Unsolicited packets of the controller after a command.
  private static func consequences(_ habit: Habit, of command: HCICommand) -> [HCIEvent] {
    switch (command, habit) {
    case (.leCreateConnection, .wrongAddress), (.leCreateConnection, .wrongAddressThatStays):
      return [link(.success, 1, otherDevice)]
    case (.leCreateConnection, .linkThatEnds): return [link(.success, 1, strap), end(1, .remoteUserTerminated)]
    case (.leCreateConnection, .linkThatComesAgain): return [link(.success, 1, otherDevice)]
    case (.leCreateConnection, .neverEstablished): return [link(.establishmentFailed, 0, strap)]
    case (.leCreateConnection, .unknownConnection): return [link(.unknownConnection, 0, strap)]
    case (.leCreateConnection, .limitExceeded): return [link(.connectionLimitExceeded, 0, strap)]
    case (.leCreateConnection, .noReason): return [link(.unspecifiedError, 0, otherDevice)]
    case (.leCreateConnection, .refusedDisconnect): return [link(.success, 1, otherDevice)]
    case (.disconnect, .wrongAddress): return [end(1, .localHostTerminated)]
    case (.disconnect, .linkThatComesAgain): return [end(1, .localHostTerminated), link(.success, 1, otherDevice)]
    case (.leSetAdvertisingEnable(true), .advertisingThatEnds):
      return [link(.advertisingTimeout, 0, otherDevice, role: .peripheral)]
    case (.leSetScanEnable, .hardwareError), (.leCreateConnection, .hardwareError): return [.hardwareError(code: 1)]
    default: return []
    }
  }

  private static func refusals(_ habit: Habit) -> [(opcode: HCIOpcode, status: HCIStatus, times: Int)] {
    switch habit {
    case .refusedScan: [(.leSetScanEnable, .commandDisallowed, .max)]
    case .refusedCreate: [(.leCreateConnection, .unspecifiedError, .max)]
    case .refusedCreateAsBusy:
      [(.leCreateConnection, .commandDisallowed, .max), (.leCreateConnectionCancel, .commandDisallowed, .max)]
    case .refusedAdvertising: [(.leSetAdvertisingEnable, .commandDisallowed, .max)]
    case .refusedList: [(.leAddToFilterAcceptList, .unspecifiedError, .max)]
    case .refusedDisconnect: [(.disconnect, .commandDisallowed, .max)]
    default: []
    }
  }

  @Test(arguments: Habit.allCases) func commandsAreBounded(_ habit: Habit) throws {
    var controller = ScriptedController(refusals: Self.refusals(habit))
    var host = LEHost()
    var now = Instant.simulationStart
    var commands = 0
    var number: UInt64 = 0
    var inputs: [HostInput] = []
    func ask(_ command: HostCommand) {
      number += 1
      inputs.append(.request(HostRequest(id: OperationID(number), command: command)))
    }
    func requestAll() {
      ask(.connect(ConnectRequest(peer: Self.strap, pending: true)))
      ask(.scan(ScanRequest(duty: .gentle)))
      ask(.advertise(AdvertisingPlan(services: [UUID(0x180D)], name: "hostile")))
    }
    inputs.append(.started(seed: 1))
    requestAll()
    let end = now + .seconds(4)
    while now.moment <= end.moment, commands < 5_000 {
      while !inputs.isEmpty, commands < 5_000 {
        for output in host.handle(inputs.removeFirst(), at: now) {
          switch output {
          case .send(let bytes):
            guard case .command(let command) = try HCIPacket(encoded: bytes) else { continue }
            commands += 1
            for event in controller.answer(command) + Self.consequences(habit, of: command) {
              inputs.append(.packet(HCIPacket.event(event).encoded))
            }
          case .reopen: inputs.append(.started(seed: 1))
          default: break
          }
        }
      }
      guard let next = host.nextDeadline, next <= end.moment else { break }
      if next > now.moment { now = now + (next - now.moment) }
      inputs.append(.deadline)
    }
    #expect(commands < 500, "\(habit): \(commands) commands in 4 s")
  }
}
