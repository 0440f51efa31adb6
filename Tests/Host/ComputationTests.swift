import Exchange
import Testing
import Vocabulary

@testable import Host

/// Work outside the core: ordered, and answered under the same number.
@Suite struct ComputationTests {
  private static let hash = [UInt8](repeating: 7, count: 16)

  private static func ordered(_ outputs: [HostOutput]) -> [ComputationID] {
    outputs.compactMap { if case .compute(let id, _) = $0 { id } else { nil } }
  }

  private static func publish(_ host: inout LEHost, _ id: UInt64, _ name: String) -> [ComputationID] {
    let request = HostRequest(id: OperationID(id), command: .publish(ServerTable(name: name, services: [])))
    return ordered(host.handle(.request(request), at: .simulationStart))
  }

  @Test func onlyTheAnswerForTheNewestTableCounts() throws {
    var host = LEHost()
    let first = Self.publish(&host, 1, "one")
    let second = Self.publish(&host, 2, "two")
    try #require(first.count == 1 && second.count == 1 && first != second)
    _ = host.handle(.computed(first[0], .databaseHash(Self.hash)), at: .simulationStart)
    #expect(host.server.hash == nil)
    host = try LEHost(carried: host.carried)
    _ = host.handle(.computed(second[0], .databaseHash(Self.hash)), at: .simulationStart)
    #expect(host.server.hash == Self.hash)
    // nobody waits for it any more
    _ = host.handle(.computed(second[0], .unavailable), at: .simulationStart)
    #expect(host.server.hash == Self.hash)
  }

  @Test func withoutCryptographyTheHashSaysNothing() throws {
    var host = LEHost()
    let id = try #require(Self.publish(&host, 1, "one").first)
    _ = host.handle(.computed(id, .unavailable), at: .simulationStart)
    #expect(host.server.hash == [UInt8](repeating: 0, count: 16))
  }
}
