import Exchange
import Testing
import Vocabulary

@testable import Runner

/// `--give-oob`: the data is requested once per process, before anything else.
@Suite struct OfferTests {
  private static let data = OutOfBandData(
    address: Bench.strap, secure: .init(confirmation: [UInt8](repeating: 1, count: 16), random: [UInt8](repeating: 2, count: 16)))

  private func asked(_ bench: Bench) -> [Int] { bench.requests.indices.filter { bench.requests[$0].command == .offerOutOfBand } }

  @Test func theOfferIsRequestedFirstAndAfterAKill() throws {
    var codes = PairingCodes()
    codes.offerFile = "/tmp/offer"
    var bench = try Bench("connect to C4:7C:8D:6A:12:0F/random\npair\nwait 1h\n", codes: codes)
    #expect(asked(bench) == [0] && bench.requests.count > 1)
    bench.host(.completed(bench.requests[0].id, .success(.outOfBand(Self.data))))
    #expect(bench.offers == [Self.data.structures] && asked(bench).count == 1)
    bench.advance(.seconds(5))
    // no checkpoint contains it
    for row in bench.rows.values {
      #expect(!row.indices.contains { row[$0...].starts(with: [UInt8](repeating: 2, count: 16)) })
    }
    try bench.kill()
    bench.advance(.seconds(1))
    #expect(asked(bench).count == 1)
    let again = try #require(asked(bench).first)
    bench.host(.completed(bench.requests[again].id, .success(.outOfBand(Self.data))))
    #expect(bench.offers.count == 2)
  }

  @Test func withoutTheOptionNoOfferIsRequested() throws {
    let bench = try Bench("connect to C4:7C:8D:6A:12:0F/random\nwait 1h\n")
    #expect(asked(bench).isEmpty)
  }
}
