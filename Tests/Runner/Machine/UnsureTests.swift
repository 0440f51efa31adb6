import Exchange
import Testing
import Vocabulary

@testable import Runner

/// Answers that leave the outcome of a write unknown.
@Suite struct UnsureTests {
  static let text = """
    connect to C4:7C:8D:6A:12:0F/random
    write u8(1) to 0xFFF1 when unsure POLICY
    print "done"
    """

  static func bench(_ policy: String) throws -> Bench {
    var bench = try Bench(text.replacing("POLICY", with: policy))
    let connect = try #require(bench.last { if case .connect = $0 { true } else { false } })
    bench.host(.connected(connect.id, Bench.strap, Bench.link))
    if policy == "fail" || policy == "skip" { try LinkTests.locate(&bench) }
    return bench
  }

  static func writes(_ bench: Bench) -> Int {
    bench.requests.count { if case .gatt(_, .write) = $0.command { true } else { false } }
  }

  /// The device violates the protocol in its answer.
  static let broken = Failure(
    .refused, "the device violates the attribute protocol", blame: .peer, layer: .att, delivered: .reachedRadio)

  static func answer(_ bench: inout Bench, _ failure: Failure) throws {
    let asked = try #require(bench.last { if case .gatt = $0 { true } else { false } })
    bench.host(.completed(asked.id, .failure(failure)))
  }

  @Test(arguments: [("fail", 10, 1), ("skip", 0, 1), ("repeat", 7, 2), ("verify", 10, 1)])
  func anUndecodableAnswer(policy: String, code: Int32, writes: Int) throws {
    var bench = try Self.bench(policy)
    try Self.answer(&bench, Self.broken)
    // Once more for writes that may repeat; `verify` reads, which fails.
    if policy == "repeat" || policy == "verify" { try Self.answer(&bench, Self.broken) }
    if let link = bench.last({ if case .disconnect = $0 { true } else { false } }) {
      bench.host(.completed(link.id, .success(.done)))
      bench.host(.disconnected(Bench.strap, .asked))
    }
    bench.advance(.seconds(20))
    #expect(bench.exit?.code == code)
    #expect(Self.writes(bench) == writes)
    #expect(bench.printed == (code == 0 ? ["done"] : []))
  }

  /// An outcome that cannot be verified stays unknown, and `try` must not send the write again.
  @Test func verifyWithoutReadPermissionIsUnsure() throws {
    var bench = try Self.bench("verify")
    try Self.answer(&bench, Self.broken)
    try Self.answer(&bench, Failure(.refused, "Read Not Permitted", blame: .refused, layer: .att))
    #expect(bench.failures.map(\.kind) == [.unsure])
  }
}
