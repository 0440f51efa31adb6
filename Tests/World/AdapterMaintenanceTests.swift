import Adapters
import Linux
import Packets
import Testing
import Vocabulary

/// A controller that floods advertising reports, and answers only what the test lets it answer.
private final class BusyController: Transport {
  var links: [ConnectionHandle]
  var answers = true
  private var waiting: [[UInt8]] = []
  let nextMoment: Moment? = nil
  let interest: Poll.Interest? = nil
  let ending: String? = nil

  init(links: [UInt16]) { self.links = links.map { ConnectionHandle($0) } }

  func send(_ packet: [UInt8], at now: Instant) {
    guard answers, case .command(let command)? = try? HCIPacket(encoded: packet) else { return }
    switch command {
    case .readRSSI(let handle):
      let status: HCIStatus = links.contains(handle) ? .success : .unknownConnection
      say(.commandComplete(CommandComplete(opcode: .readRSSI, status: status, returning: ReadRSSI(handle: handle, rssi: -60))))
    case .disconnect(let handle, _):
      links.removeAll { $0 == handle }
      say(.commandStatus(CommandStatus(status: .success, opcode: .disconnect)))
      say(.disconnectionComplete(DisconnectionComplete(status: .success, handle: handle, reason: .localHostTerminated)))
    default: say(.commandComplete(CommandComplete(opcode: command.opcode, status: .success, returning: nil)))
    }
  }

  private func say(_ event: HCIEvent) { waiting.append(HCIPacket.event(event).encoded) }

  func receive(at now: Instant) -> [[UInt8]] {
    defer { waiting = [] }
    let report = AdvertisingReport(
      kind: .nonConnectable, address: Address(bits: 0xC0_11_22_33_44_55, kind: .random), data: [2, 1, 6], rssi: -70)
    return [HCIPacket.event(.leAdvertisingReport([report])).encoded] + waiting
  }

  func flush() {}
}

@Suite struct AdapterMaintenanceTests {
  private let patience = TimeSpan.milliseconds(20)

  @Test func linksAreEndedDuringAFloodOfAdvertising() throws {
    let controller = BusyController(links: [0, 64, 0x0EFF])
    let care = AdapterMaintenance(controller, patience: .seconds(30))
    let links = try care.links()
    #expect(links == [ConnectionHandle(0), ConnectionHandle(64), ConnectionHandle(0x0EFF)])
    #expect(care.hasSeenAll)
    let ended = try care.end(links ?? [])
    #expect(ended.map(\.reason) == [.localHostTerminated, .localHostTerminated, .localHostTerminated])
    #expect(controller.links.isEmpty)
  }

  @Test func timesOutOnAFloodingControllerThatDoesNotAnswer() {
    let controller = BusyController(links: [1])
    controller.answers = false
    #expect(throws: AdapterMaintenance.Trouble.silent(.readRSSI)) { try AdapterMaintenance(controller, patience: patience).links() }
    #expect(throws: AdapterMaintenance.Trouble.silent(.disconnect)) {
      try AdapterMaintenance(controller, patience: patience).end([ConnectionHandle(1)])
    }
    #expect(throws: AdapterMaintenance.Trouble.silent(.reset)) { try AdapterMaintenance(controller, patience: patience).reset() }
  }
}
