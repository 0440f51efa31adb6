import Exchange
import Testing
import Vocabulary

@testable import Host

/// Work outside the core: ordered under a number, and answered under the same.
@Suite struct ComputationTests {
  private static let hash = [UInt8](repeating: 7, count: 16)

  private static func ordered(_ outputs: [HostOutput]) -> [ComputationID] {
    outputs.compactMap { if case .compute(let id, _) = $0 { id } else { nil } }
  }

  private static func publish(_ host: inout LEHost, _ reencoded: inout ReencodedHost, _ id: UInt64, _ name: String)
    -> [ComputationID]
  {
    let request = HostRequest(id: OperationID(id), command: .publish(ServerTable(name: name, services: [])))
    return ordered(reencoded.handle(.request(request), by: &host, at: .simulationStart))
  }

  @Test func onlyTheAnswerForTheNewestTableCounts() throws {
    var host = LEHost()
    var reencoded = ReencodedHost()
    let first = Self.publish(&host, &reencoded, 1, "one")
    let second = Self.publish(&host, &reencoded, 2, "two")
    try #require(first.count == 1 && second.count == 1 && first != second)
    _ = reencoded.handle(.computed(first[0], .databaseHash(Self.hash)), by: &host, at: .simulationStart)
    #expect(host.server.hash == nil)
    host = try LEHost(encoded: host.encoded)
    _ = reencoded.handle(.computed(second[0], .databaseHash(Self.hash)), by: &host, at: .simulationStart)
    #expect(host.server.hash == Self.hash)
    // no request needs it any more
    _ = reencoded.handle(.computed(second[0], .unavailable), by: &host, at: .simulationStart)
    #expect(host.server.hash == Self.hash)
  }

  @Test func withoutCryptographyTheHashIsZero() throws {
    var host = LEHost()
    var reencoded = ReencodedHost()
    let id = try #require(Self.publish(&host, &reencoded, 1, "one").first)
    _ = reencoded.handle(.computed(id, .unavailable), by: &host, at: .simulationStart)
    #expect(host.server.hash == [UInt8](repeating: 0, count: 16))
  }
}
