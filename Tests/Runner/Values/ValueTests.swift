import Exchange
import Recipe
import Testing
import Vocabulary

@testable import Runner

/// The message of the failure, or nil if there is none.
func message(_ work: () throws(Failure) -> Value) -> String? {
  do {
    _ = try work()
    return nil
  } catch {
    return error.message
  }
}

private let here = Surroundings(zone: TimeZoneRules(fixed: 3600), deviceNames: ["strap"])

private let samples: [Value] = [
  .nothing, .bool(true), .bool(false), .int(0), .int(-1), .int(.min), .int(.max), .real(1.5), .real(-0.0), .text(""), .text("é🫀"),
  .bytes([]), .bytes([1, 2, 255]), .duration(.seconds(90)), .time(.simulationStart),
  .address(AddressValue(bits: 0xC47C_8D6A_120F, kind: nil)), .address(AddressValue(bits: 1, kind: .random)),
  .list([.int(1), .list([])]),
  .record(["bpm": .int(72), "rr": .list([.real(0.5)])]), .device(3), .unset, .uuid(UUID(0x180D)),
  .problem(
    Problem(
      Failure(.refused, "no", blame: .refused, layer: .att, code: 5, sent: [1], got: [2], hint: "pair"), line: 9, device: 1,
      extra: ["attempts": .int(3)])),
  .attribute(AttributeValue(device: 1, service: UUID(0x180D), characteristic: UUID(0x2A37), handle: 12, properties: 0x10)),
]

struct ValueTests {
  @Test func aValueTakesSeventeenBytes() { #expect(MemoryLayout<Value>.size <= 17) }

  @Test(arguments: samples) func valuesReadBackEqual(value: Value) throws {
    let bytes = value.encoded
    #expect(try Value(encoded: bytes) == value)
    for count in 0..<bytes.count { #expect(throws: DecodeError.self) { try Value(encoded: Array(bytes[..<count])) } }
    #expect(throws: DecodeError.self) { try Value(encoded: bytes + [0]) }
  }

  @Test func anOlderFormOfUnsetIsRead() throws {
    #expect(try Value(encoded: [13] + Array(repeating: 0xFF, count: 9) + [1]) == .unset)
    #expect(throws: DecodeError.self) { try Value(encoded: [13, 1]) }
  }

  @Test func aDamagedCheckpointCannotNestWithoutEnd() {
    #expect(throws: DecodeError.self) {
      try Value(encoded: Array(repeating: [10, 1], count: 100_000).flatMap { $0 } + [0])
    }
  }

  @Test(
    arguments: [
      (BinaryOperator.add, Value.int(1), Value.int(2), Value.int(3)), (.add, .int(1), .real(0.5), .real(1.5)),
      (.add, .text("a"), .text("b"), .text("ab")), (.add, .bytes([1]), .bytes([2]), .bytes([1, 2])),
      (.add, .list([.int(1)]), .list([.int(2)]), .list([.int(1), .int(2)])),
      (.add, .time(.simulationStart), .duration(.zero), .time(.simulationStart)),
      (.subtract, .time(.simulationStart), .time(.simulationStart), .duration(.zero)),
      (.multiply, .duration(.seconds(2)), .int(3), .duration(.seconds(6))),
      (.multiply, .real(0.5), .duration(.seconds(2)), .duration(.seconds(1))), (.divide, .int(6), .int(2), .real(3)),
      (.divide, .duration(.seconds(3)), .duration(.seconds(2)), .real(1.5)), (.modulo, .int(-1), .int(7), .int(6)),
      (.modulo, .int(1), .int(-7), .int(-6)), (.modulo, .int(.min), .int(-1), .int(0)), (.modulo, .real(-1), .real(7), .real(6)),
      (.bitAnd, .int(6), .int(3), .int(2)), (.shiftLeft, .int(1), .int(62), .int(1 << 62)),
      (.shiftRight, .int(-1), .int(63), .int(-1)),
      (.equal, .int(1), .real(1), .bool(true)), (.equal, .int(.max), .real(9_223_372_036_854_775_808), .bool(false)),
      (.equal, .text("1"), .int(1), .bool(false)), (.equal, .nothing, .bool(false), .bool(false)),
      (.equal, .record(["a": .int(1), "b": .int(2)]), .record(["b": .real(2), "a": .int(1)]), .bool(true)),
      (.equal, .address(AddressValue(bits: 1, kind: nil)), .address(AddressValue(bits: 1, kind: .random)), .bool(true)),
      (.equal, .uuid(UUID(0x2A19)), .int(0x2A19), .bool(true)), (.less, .int(1), .real(1.5), .bool(true)),
      (.less, .real(.nan), .int(1), .bool(false)),
      (.greaterOrEqual, .real(.nan), .int(1), .bool(false)), (.lessOrEqual, .text("a"), .text("b"), .bool(true)),
      (.in, .real(2), .list([.int(1), .int(2)]), .bool(true)), (.in, .text("a"), .record(["a": .nothing]), .bool(true)),
      (.in, .text("a"), .list([.bytes([])]), .bool(false)), (.contains, .text("heart rate"), .text("rate"), .bool(true)),
      (.matches, .text("Polar H10"), .text("Polar*"), .bool(true)), (.matches, .text("Polar H10"), .text("polar*"), .bool(false)),
      (.and, .bool(true), .bool(false), .bool(false)), (.or, .bool(true), .bool(false), .bool(true)),
    ] as [(BinaryOperator, Value, Value, Value)])
  func operatorsFollowTheLanguage(operation: BinaryOperator, a: Value, b: Value, result: Value) throws {
    #expect(try Value.apply(operation, a, b) == result)
  }

  /// The message names no operation that the recipe does not contain.
  @Test func theLeastNumberCannotBeNegated() {
    let failure = #expect(throws: Failure.self) { try Value.negate(.int(.min)) }
    #expect(failure?.message == "-9223372036854775808 without its sign does not fit in a 64-bit number")
  }

  @Test(
    arguments: [
      (BinaryOperator.add, Value.int(.max), Value.int(1), "does not fit in a 64-bit number"),
      (.multiply, .int(.min), .int(-1), "64-bit"),
      (.divide, .int(1), .int(0), "divided by zero"), (.modulo, .int(1), .int(0), "divided by zero"),
      (.divide, .real(1), .real(0), "zero"),
      (.add, .text("a"), .int(1), "a text and a number cannot be added"),
      (.equal, .bytes([]), .text(""), "bytes and text cannot be compared"),
      (.equal, .list([.bytes([])]), .list([.text("")]), "bytes and text"), (.less, .int(1), .text("a"), "cannot be compared"),
      (.shiftLeft, .int(1), .int(64), "64 bits"), (.shiftLeft, .int(1), .int(63), "does not fit"),
      (.shiftRight, .int(1), .int(-1), "64 bits"),
      (.add, .duration(TimeSpan(nanoseconds: .max)), .duration(.seconds(1)), "out of range"),
      (.and, .int(1), .bool(true), "a condition is true or false"),
      (.contains, .list([]), .int(1), "looks into a text"), (.in, .text("a"), .text("abc"), "lists and record keys"),
      (.divide, .duration(TimeSpan(nanoseconds: .min)), .int(-1), "out of range"),
      (.multiply, .duration(.days(1)), .real(.infinity), "out of range"),
    ] as [(BinaryOperator, Value, Value, String)])
  func operatorErrorsHaveAReason(operation: BinaryOperator, a: Value, b: Value, part: String) {
    let text = message { () throws(Failure) in try Value.apply(operation, a, b) }
    #expect(text?.contains(part) == true, "\(text ?? "no failure")")
  }

  @Test func fieldsElementsAndSlices() throws {
    let record = Value.record(["bpm": .int(72)])
    #expect(try record.member("bpm", here) == .int(72))
    #expect(message { () throws(Failure) in try record.member("bmp", here) } == "there is no field `bmp`; there are: bpm")
    #expect(try Value.duration(.seconds(90)).member("minutes", here) == .real(1.5))
    #expect(try Value.duration(.seconds(90)).member("ms", here) == .int(90_000))
    #expect(try Value.time(.simulationStart).member("hour", here) == .int(1))
    #expect(try Value.time(.simulationStart).member("weekday", here) == .text("thursday"))
    #expect(try Value.time(.simulationStart).member("date", here) == .text("2026-01-01"))
    #expect(try Value.time(.simulationStart).member("unix", here) == .int(1_767_225_600))
    #expect(try Value.list([.int(1), .int(2)]).member("last", here) == .int(2))
    #expect(message { () throws(Failure) in try Value.list([]).member("first", here) } != nil)
    #expect(try Value.bytes([7, 8]).element(at: .int(1)) == .int(8))
    #expect(
      message { () throws(Failure) in try Value.bytes([7, 8]).element(at: .int(2)) }
        == "index 2 is out of range: the 2 elements have index 0 to 1")
    #expect(message { () throws(Failure) in try Value.bytes([7, 8]).element(at: .int(.min)) } != nil)
    #expect(try Value.bytes([1, 2, 3]).slice(from: .int(1), to: .int(.max)) == .bytes([2, 3]))
    #expect(try Value.bytes([1, 2, 3]).slice(from: .int(9), to: .int(1)) == .bytes([]))
    #expect(try Value.text("añb").slice(from: .int(1), to: .int(2)) == .text("ñ"))
    #expect(message { () throws(Failure) in try Value.text("a").slice(from: .int(-1), to: .int(2)) } != nil)
  }

  @Test func settingANestedElementKeepsCopies() throws {
    let before = Value.record(["x": .list([.int(1), .record(["y": .nothing])])])
    let after = try before.setting([.member("x"), .index(.int(1)), .member("z")], to: .int(5))
    #expect(after == .record(["x": .list([.int(1), .record(["y": .nothing, "z": .int(5)])])]))
    #expect(before == .record(["x": .list([.int(1), .record(["y": .nothing])])]))
    #expect(try Value.bytes([1]).setting([.index(.int(0))], to: .int(255)) == .bytes([255]))
    for (steps, value) in [
      ([PathStep.member("q"), .member("z")], Value.int(1)), ([.index(.text("x")), .index(.int(2))], .int(1)),
      ([.member("x"), .member("y")], .int(1)),
    ] {
      var copy = before
      #expect(throws: Failure.self) { try copy.set(steps, to: value) }
      #expect(copy == before)
    }
  }

  @Test func growingInPlaceEqualsTheOperator() throws {
    for (a, b) in [
      (Value.list([.int(1)]), Value.list([.int(2)])), (.text("a"), .text("b")), (.bytes([1]), .bytes([2])), (.int(1), .int(2)),
    ] {
      var grown = a
      try grown.grow(by: b)
      #expect(try grown == Value.add(a, b))
    }
    var number = Value.int(.max)
    #expect(throws: Failure.self) { try number.grow(by: .int(1)) }
    #expect(number == .int(.max))
  }

  @Test func anAttributeHasItsMembers() throws {
    let attribute = Value.attribute(
      AttributeValue(device: 0, service: UUID(0x180D), characteristic: UUID(0x2A37), handle: 3, properties: 0x12))
    #expect(try attribute.member("name", here) == .text("heart_rate_measurement"))
    #expect(try attribute.member("properties", here) == .list([.text("read"), .text("notify")]))
    #expect(TextRendering.text(of: attribute, here) == "heart_rate_measurement")
  }

  @Test func valuesNestAtMostSixtyFourDeep() throws {
    var value = Value.int(1)
    for _ in 0..<64 { value = try Value.checked(list: [value]) }
    let deepest = value
    #expect(message { () throws(Failure) in try Value.checked(list: [deepest]) } != nil)
    #expect(message { () throws(Failure) in try Value.record([:]).setting([.member("a")], to: deepest) } != nil)
  }

  /// Each step is small, and doubles the size of its result.
  @Test func selfContainingValuesAreLimited() {
    typealias Step = (Value) throws(Failure) -> Value
    let steps: [(what: String, step: Step)] = [
      ("a list in a list", { x throws(Failure) in try Value.checked(list: [x, x]) }),
      ("a record in a record", { x throws(Failure) in try Value.checked(record: ["a": x, "b": x]) }),
      (
        "a field set twice",
        { x throws(Failure) in try Value.record([:]).setting([.member("a")], to: x).setting([.member("b")], to: x) }
      ),
      (
        "a list of lists",
        { x throws(Failure) in
          if case .list = x { return try Value.add(x, x) }
          return .list([.list(Array(repeating: .int(1), count: 1000))])
        }
      ),
    ]
    for (what, step) in steps {
      var value = Value.text("of sixteen octets, or some more")
      var count = 0
      while count < 64, let next = try? step(value) {
        value = next
        count += 1
      }
      #expect((12...24).contains(count), "\(what): \(count)")
      let last = value
      #expect(message { () throws(Failure) in try step(last) }?.contains("4,194,304 parts") == true, "\(what)")
    }
  }

  @Test(
    arguments: [
      (Value.int(72), "72"), (.real(3), "3.0"), (.real(25.78), "25.78"), (.nothing, "nothing"), (.bytes([1, 2, 255]), "0102ff"),
      (.list([.int(1), .text("a\"")]), "[1,\"a\\\"\"]"),
      (.record(["bpm": .int(72), "contact": .text("good")]), "bpm=72 contact=good"),
      (.record(["r": .record(["a": .nothing]), "l": .list([])]), "r={\"a\":null} l=[]"),
      (.time(.simulationStart), "2026-01-01T01:00:00+01:00"), (.duration(.minutes(90)), "1h30min"), (.device(0), "strap"),
      (.address(AddressValue(bits: 0xC47C_8D6A_120F, kind: .random)), "C4:7C:8D:6A:12:0F"), (.uuid(UUID(0x180D)), "0x180D"),
    ] as [(Value, String)])
  func printShowsTheTextOfAValue(value: Value, text: String) { #expect(TextRendering.text(of: value, here) == text) }

  @Test func formatsInBraces() throws {
    #expect(try TextRendering.text(of: .real(21.449), format: .decimals(1), here) == "21.4")
    #expect(try TextRendering.text(of: .int(-7), format: .padded(4, zeros: true), here) == "-007")
    #expect(try TextRendering.text(of: .text("ab"), format: .padded(4, zeros: false), here) == "ab  ")
    #expect(try TextRendering.text(of: .bytes([0x0F]), format: .hex, here) == "0f")
    #expect(try TextRendering.text(of: .nothing, format: .decimals(1), here) == "nothing")
    #expect(throws: Failure.self) { try TextRendering.text(of: .text("a"), format: .decimals(1), here) }
  }

  @Test(arguments: [
    (
      "[1, -2.5e1, \"a\\u00e9\\ud83e\\udec0\\n\", true, null]",
      Value.list([.int(1), .real(-25), .text("aé🫀\n"), .bool(true), .nothing])
    ),
    (" {\"a\": {\"b\": []}, \"a\": 2} ", .record(["a": .int(2)])), ("9223372036854775807", .int(.max)),
  ]) func jsonIsRead(text: String, value: Value) throws { #expect(try JSON.parse(Array(text.utf8)) == value) }

  @Test(arguments: [
    "", "[1,]", "{\"a\"}", "01", "1.", "+1", "nul", "\"\\x\"", "\"\\ud800\"", "\"a", "[1] 2", "1e999", "9223372036854775808",
    "{a: 1}", "\"\t\"",
    String(repeating: "[", count: 65) + String(repeating: "]", count: 65), String(repeating: "[", count: 100_000),
  ]) func invalidJSONIsRefused(text: String) { #expect(throws: Failure.self) { try JSON.parse(Array(text.utf8)) } }

  @Test func csvBothWays() throws {
    let rows = Value.list([.record(["a": .text("x,\"y\""), "b": .nothing]), .record(["a": .text("1\n2"), "b": .int(5)])])
    let text = try CSV.text(of: rows, here)
    #expect(text == "a,b\n\"x,\"\"y\"\"\",\n\"1\n2\",5\n")
    #expect(
      try CSV.parse(Array(text.utf8))
        == .list([.record(["a": .text("x,\"y\""), "b": .text("")]), .record(["a": .text("1\n2"), "b": .text("5")])]))
    #expect(try CSV.parse(Array("a,b\r\n\r\n1\r\n".utf8)) == .list([.record(["a": .text("1"), "b": .nothing])]))
    #expect(throws: Failure.self) { try CSV.parse(Array("a\n\"x".utf8)) }
    #expect(throws: Failure.self) { try CSV.parse(Array("a\n1,2".utf8)) }
    // A row with one empty field is a row.
    let empty = try CSV.text(of: .list([.record(["a": .text("")]), .record(["a": .text("x")]), .record(["a": .nothing])]), here)
    #expect(empty == "a\n\"\"\nx\n\"\"\n")
    #expect(try CSV.parse(Array(empty.utf8)) == .list(["", "x", ""].map { .record(["a": .text($0)]) }))
    #expect(throws: Failure.self, "a column would be lost") { try CSV.parse(Array("a,b,a\n1,2,3".utf8)) }
    #expect(try CSV.parse(Array("a,,\n1,,".utf8)) == .list([.record(["a": .text("1"), "": .text("")])]))
  }

  @Test(arguments: [
    ("*", "", true), ("", "", true), ("", "a", false), ("?", "é", true), ("a*b*c", "axxbyyc", true), ("a*b*c", "axxbyy", false),
    ("*a", "ba", true), ("**", "x", true),
  ]) func globs(pattern: String, text: String, fits: Bool) { #expect(Glob.matches(pattern, text) == fits) }

  /// Texts that look alike but have other scalars differ, whatever compares them.
  @Test func textsAreComparedByTheirScalars() throws {
    let (short, long) = (Value.text("\u{e9}"), Value.text("e\u{301}"))
    #expect(try !Value.equal(short, long) && Value.equal(long, long))
    #expect(try Value.order(short, long) != 0 && Value.order(short, long) == -Value.order(long, short))
    let parsed = try JSON.parse(Array("{\"\u{e9}\": 1, \"e\u{301}\": 2}".utf8))
    guard case .record(let record) = parsed else {
      Issue.record("\(parsed)")
      return
    }
    #expect(record.count == 2 && record["e\u{301}"] == .int(2))
    #expect(record["\u{e9}"] == .int(1))
  }

  @Test func aHostileGlobTerminates() {
    #expect(!Glob.matches(String(repeating: "a*", count: 200) + "b", String(repeating: "a", count: 20_000)))
  }
}
