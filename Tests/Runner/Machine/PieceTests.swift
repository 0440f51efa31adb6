import Exchange
import Testing
import Vocabulary

@testable import Runner

/// `write … in pieces`.
@Suite struct PieceTests {
  static func bench(_ statement: String, mtu: UInt16 = 23, inputs: [(name: String, value: Value)] = [], top: String = "") throws
    -> Bench
  {
    var bench = try Bench(
      """
      \(top)
      let image = hex "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728"
      connect to C4:7C:8D:6A:12:0F/random when it appears
      \(statement)
      print "done"
      wait forever
      """, inputs: inputs)
    connect(&bench, mtu: mtu)
    return bench
  }

  static func connect(_ bench: inout Bench, mtu: UInt16) {
    guard let connect = bench.last({ if case .connect = $0 { true } else { false } }) else { return }
    var link = Bench.link
    link.mtu = mtu
    bench.host(.connected(connect.id, Bench.strap, link))
  }

  /// Answers every request, and returns the pieces.
  static func answer(_ bench: inout Bench, atMost count: Int = 1000) -> [Int] {
    var pieces: [Int] = []
    var last: OperationID?
    while let asked = bench.last({ if case .gatt = $0 { true } else { false } }), asked.id != last {
      last = asked.id
      if let piece = Self.piece(asked.command) {
        if pieces.count == count { return pieces }
        pieces.append(piece.count)
      }
      bench.host(.completed(asked.id, .success(.done)))
    }
    return pieces
  }

  static func piece(_ command: HostCommand) -> [UInt8]? {
    switch command {
    case .gatt(_, .write(_, let bytes)), .gatt(_, .writeWithoutResponse(_, let bytes)),
      .gatt(_, .hidden(.write(_, let bytes))):
      bytes
    default: nil
    }
  }

  @Test(
    arguments: [
      ("write image to 0xFFF1 in pieces", 23, [20, 20, 1]), ("write image to 0xFFF1 in pieces of 16", 23, [16, 16, 9]),
      ("write image to 0xFFF1 without response in pieces", 30, [27, 14]), ("write image to 0xFFF1 in pieces", 247, [41]),
      ("write hex \"\" to 0xFFF1 in pieces", 23, [0]),
      (
        "let long = image + image + image + image + image + image + image + image + image + image + image + image + image\nwrite long to 0xFFF1 in pieces",
        517, [512, 21]
      ),
    ])
  func piecesFollowTheMTUOrTheRecipe(statement: String, mtu: UInt16, sizes: [Int]) throws {
    var bench = try Self.bench(statement, mtu: mtu)
    #expect(Self.answer(&bench) == sizes)
    #expect(bench.printed == ["done"])
    #expect(bench.failures.isEmpty)
    #expect(!bench.rows.keys.contains { $0.kind == .pieces })
  }

  /// The value is read before a procedure that computes the size changes it.
  @Test func theValueIsReadBeforeTheSize() throws {
    var bench = try Self.bench(
      """
      procedure size()
        set image to hex ""
        return 16
      end
      write image to 0xFFF1 in pieces of size()
      """)
    #expect(Self.answer(&bench) == [16, 16, 9])
    #expect(bench.printed == ["done"])
  }

  @Test(arguments: ["0", "70000", "\"x\""]) func anInvalidPieceSizeFails(size: String) throws {
    let bench = try Self.bench("let n = \(size)\nwrite image to 0xFFF1 in pieces of n")
    #expect(bench.failures.map(\.kind) == [.value])
  }

  /// A change of the variable by another fiber does not change what is written.
  @Test func piecesUseTheValueAtTheStart() throws {
    var bench = try Self.bench("after 1s: set image to hex \"ff\"\nwrite image to 0xFFF1 in pieces within 1min")
    #expect(Self.answer(&bench, atMost: 1) == [20])
    bench.advance(.seconds(2))
    #expect(Self.answer(&bench) == [20, 1])
  }

  @Test func theRowsOfThePiecesAreWrittenOnce() throws {
    var bench = try Self.bench("write image to 0xFFF1 in pieces of 1 when unsure repeat")
    bench.isComparing = true
    #expect(Self.answer(&bench).count == 41)
    let rows = bench.commits.flatMap(\.rows).filter { $0.key.kind == .pieces }
    #expect(rows.map { $0.value?.count } == [41, nil])
  }

  @Test func aKilledRunContinuesWithThePieceInFlight() throws {
    var bench = try Self.bench("write image to 0xFFF1 in pieces of 10 when unsure repeat")
    #expect(Self.answer(&bench, atMost: 2) == [10, 10])
    try bench.kill()
    Self.connect(&bench, mtu: 23)
    #expect(Self.answer(&bench) == [10, 10, 1])
    #expect(bench.printed == ["done"])
  }

  @Test func aPieceThatMayHaveArrivedIsUnsure() throws {
    var bench = try Self.bench("write image to 0xFFF1 in pieces of 10 otherwise print it.kind")
    #expect(Self.answer(&bench, atMost: 1) == [10])
    try bench.kill()
    Self.connect(&bench, mtu: 23)
    #expect(bench.printed == ["unsure", "done"])
  }

  @Test func aPieceWithoutResponseThatMayHaveLeftIsNotSentAgain() throws {
    var bench = try Self.bench("write image to 0xFFF1 without response in pieces of 10")
    #expect(Self.answer(&bench, atMost: 1) == [10])
    try bench.kill()
    Self.connect(&bench, mtu: 23)
    #expect(Self.answer(&bench) == [10, 10, 1])
  }

  /// A link is lost in between, and made again with another MTU.
  @Test func afterALostLinkTheRestIsSent() throws {
    var bench = try Self.bench("write image to 0xFFF1 in pieces when unsure repeat within 1min")
    #expect(Self.answer(&bench, atMost: 1) == [20])
    bench.host(.disconnected(Bench.strap, DisconnectReason(text: "lost")))
    bench.advance(.seconds(3))
    Self.connect(&bench, mtu: 13)
    // The piece that may have arrived is sent again unchanged.
    #expect(Self.answer(&bench) == [20, 1])
    #expect(bench.printed == ["done"])
  }

  /// Every piece has the timeout of a write, however long the whole takes.
  @Test func eachPieceHasItsOwnTimeout() throws {
    var bench = try Self.bench("write image to 0xFFF1 in pieces of 10 otherwise print it.kind")
    for _ in 0..<4 {
      bench.advance(.seconds(8))
      #expect(Self.answer(&bench, atMost: 1) == [10])
    }
    bench.advance(.seconds(8))
    #expect(Self.answer(&bench) == [1])
    #expect(bench.printed == ["done"])
  }

  @Test func aSecretInPiecesIsInNoRow() throws {
    var bench = try Self.bench(
      "write pin to 0xFFF1 in pieces of 2 otherwise print it.kind", inputs: [("pin", .text("123456789"))], top: "input pin: secret")
    #expect(Self.answer(&bench, atMost: 2) == [2, 2])
    for row in bench.commits.flatMap(\.rows) {
      #expect(!(row.value ?? []).windowsContain(Array("12345".utf8)) && !(row.value ?? []).windowsContain(Array("34".utf8)))
    }
    try bench.kill(inputs: [("pin", .text("123456789"))])
    Self.connect(&bench, mtu: 23)
    #expect(bench.printed == ["unsure", "done"])
  }
}

extension [UInt8] {
  func windowsContain(_ part: [UInt8]) -> Bool {
    guard count >= part.count else { return false }
    return (0...count - part.count).contains { Array(self[$0..<$0 + part.count]) == part }
  }
}
