import Exchange
import Testing
import Vocabulary

@testable import Runner

/// `when unsure verify` for a secret whose write was pending when the run was killed. No checkpoint
/// contains its bytes, but it is read back before it is sent again.
@Suite struct SecretVerifyTests {
  static let text = """
    input pin: secret "the code"
    connect to C4:7C:8D:6A:12:0F/random when it appears
    write "{pin}!" to a0b40001-926d-4d61-98df-8c5c62ee53b3 when unsure verify
    print "done"
    write hex "01" to a0b40001-926d-4d61-98df-8c5c62ee53b3 when unsure verify
    wait 1h
    """
  static let inputs: [(name: String, value: Value)] = [("pin", .text("31"))]
  static let sent = Array("31!".utf8)

  /// When the run dies. Each moment leaves open whether the write was done.
  enum Death: CaseIterable, Sendable { case writing, reading, withoutLink, twice, onceMoreWhileReading }

  static func connected(_ bench: inout Bench) throws {
    let connect = try #require(bench.last { if case .connect = $0 { true } else { false } })
    bench.host(.connected(connect.id, Bench.strap, Bench.link))
  }

  /// Runs up to the moment at which the device is linked again after the last death.
  static func restored(_ death: Death) throws -> Bench {
    var bench = try Bench(text, inputs: inputs)
    try connected(&bench)
    #expect(try LinkTests.gatt(bench).1.written == sent)
    if death == .withoutLink {
      bench.host(.completed(try LinkTests.gatt(bench).0, .failure(Failure(.disconnected, "gone", delivered: .maybe))))
      bench.host(.disconnected(Bench.strap, DisconnectReason(code: 8, text: "supervision timeout")))
    }
    try bench.kill(inputs: inputs)
    switch death {
    case .writing, .withoutLink: break
    case .reading:
      try connected(&bench)
      try bench.kill(inputs: inputs)
    case .twice: try bench.kill(inputs: inputs)
    case .onceMoreWhileReading:
      // It was read, had another value, and is being written again.
      try connected(&bench)
      bench.host(.completed(try LinkTests.gatt(bench).0, .success(.value([9], LinkTests.measurement))))
      #expect(try LinkTests.gatt(bench).1.written == sent)
      try bench.kill(inputs: inputs)
    }
    try connected(&bench)
    for row in bench.rows { #expect(!String(decoding: row.value, as: UTF8.self).contains("31!"), "\(row.key)") }
    return bench
  }

  @Test(arguments: Death.allCases) func verifyDoesNotRepeatADeliveredWrite(death: Death) throws {
    var bench = try Self.restored(death)
    let (id, request) = try LinkTests.gatt(bench)
    #expect(request.isRead, "\(request)")
    bench.host(.completed(id, .success(.value(Self.sent, LinkTests.measurement))))
    #expect(bench.printed.last == "done")
    // The outcome of the next write is known.
    #expect(try LinkTests.gatt(bench).1.written == [1])
  }

  @Test(arguments: Death.allCases) func verifyRepeatsAnUndeliveredWrite(death: Death) throws {
    var bench = try Self.restored(death)
    bench.host(.completed(try LinkTests.gatt(bench).0, .success(.value([0], LinkTests.measurement))))
    let (id, request) = try LinkTests.gatt(bench)
    #expect(request.written == Self.sent, "\(request)")
    bench.host(.completed(id, .success(.done)))
    #expect(bench.printed.last == "done")
  }

  @Test func anUnreadableValueIsUnsure() throws {
    var bench = try Self.restored(.writing)
    bench.host(
      .completed(
        try LinkTests.gatt(bench).0, .failure(Failure(.refused, "Read Not Permitted", blame: .refused, layer: .att))))
    #expect(bench.failures.map(\.kind) == [.unsure])
  }
}

extension GattRequest {
  fileprivate var plain: GattRequest { if case .hidden(let inner) = self { inner } else { self } }
  fileprivate var written: [UInt8]? { if case .write(_, let bytes) = plain { bytes } else { nil } }
  fileprivate var isRead: Bool { if case .read = plain { true } else { false } }
}
