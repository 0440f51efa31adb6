import Exchange
import Recipe
import Testing
import Vocabulary

@testable import Runner

private let here = Surroundings()

private func call(_ name: String, _ arguments: Value...) throws(Failure) -> Value {
  guard let builtIn = BuiltIn.named(name) else { throw .value("no such built-in") }
  return try builtIn.apply(arguments, here)
}

private func method(_ value: Value, _ name: String, _ arguments: Value...) throws(Failure) -> Value {
  guard let method = Method.named(name) else { throw .value("no such method") }
  return try method.apply(to: value, arguments, here)
}

struct BuiltInTests {
  @Test(
    arguments: [
      ("u8", Value.int(255), [255]), ("u16", .int(600), [0x58, 0x02]), ("u16be", .int(600), [0x02, 0x58]),
      ("u24", .int(0x01_0203), [3, 2, 1]),
      ("i8", .int(-1), [255]), ("i24", .int(-2), [254, 255, 255]), ("u32", .real(3), [3, 0, 0, 0]),
      ("i64be", .int(-1), Array(repeating: 255, count: 8)),
      ("f32", .real(1.5), [0, 0, 0xC0, 0x3F]), ("sfloat", .real(36.4), [0x6C, 0xF1]), ("sfloat", .nothing, [0xFF, 0x07]),
      ("medfloat", .real(36.4), [0x6C, 0x01, 0x00, 0xFF]), ("medfloat", .nothing, [0xFF, 0xFF, 0x7F, 0x00]),
      ("sfloat", .int(72), [72, 0]),
      ("sfloat", .int(-2045), [0x03, 0x08]),
    ] as [(String, Value, [UInt8])])
  func numbersBecomeBytesAndComeBack(name: String, value: Value, bytes: [UInt8]) throws {
    #expect(try call(name, value) == .bytes(bytes))
    #expect(try Value.equal(try method(.bytes([9] + bytes), name, .int(1)), value))
  }

  @Test(
    arguments: [
      ("u8", 300, "300 does not fit in u8 (0 to 255) — u16(300)?"), ("u8", -1, "-1 does not fit in u8 (0 to 255) — i8(-1)?"),
      ("i8", 200, "200 does not fit in i8 (-128 to 127) — i16(200)?"),
      ("u16be", 70_000, "70000 does not fit in u16be (0 to 65535) — u24be(70000)?"),
    ] as [(String, Int64, String)])
  func rangeErrorsNameTheRange(name: String, number: Int64, text: String) {
    #expect(message { () throws(Failure) in try call(name, .int(number)) } == text)
  }

  @Test func theMedicalFloatsGoThroughAllTheirValues() {
    for raw in UInt64(0)...0xFFFF {
      guard let number = MedicalFloat.decode(raw, size: 2) else {
        #expect([0x07FE, 0x07FF, 0x0800, 0x0801, 0x0802].contains(raw))
        continue
      }
      let again = MedicalFloat.encode(number, size: 2).flatMap { MedicalFloat.decode($0, size: 2) }
      #expect(again == number, "\(raw)")
    }
    for raw: UInt64 in [0x007F_FFFE, 0x007F_FFFF, 0x0080_0000, 0x0080_0001, 0x0080_0002] {
      #expect(MedicalFloat.decode(raw, size: 4) == nil)
    }
    for raw: UInt64 in [0x7F7F_FFFF, 0x8080_0001, 0xFF00_016C, 0x0012_D687, 0x8000_0001] {
      let number = MedicalFloat.decode(raw, size: 4)
      #expect(number.flatMap { MedicalFloat.encode($0, size: 4) }.flatMap { MedicalFloat.decode($0, size: 4) } == number)
    }
    #expect(MedicalFloat.encode(1e30, size: 2) == nil)
    #expect(MedicalFloat.encode(1e-30, size: 2) == 0)
    #expect(MedicalFloat.encode(20_480, size: 2).flatMap { MedicalFloat.decode($0, size: 2) } == 20_500)
    #expect(MedicalFloat.encode(20_444.5, size: 2).flatMap { MedicalFloat.decode($0, size: 2) } == 20_440)
  }

  @Test func everyBuiltInIsStoredByNumber() {
    for name in BuiltIn.names { #expect(BuiltIn.named(name).flatMap { BuiltIn(id: $0.id) }?.name == name) }
    for name in Method.names { #expect(Method.named(name).flatMap { Method(id: $0.id) }?.name == name) }
    #expect(BuiltIn.named("print") == nil)
  }

  @Test func functionsFollowTheLanguage() throws {
    let digits = Value.text("123456789")
    #expect(try call("crc16", digits) == .int(0x29B1))
    #expect(try call("crc32", digits) == .int(0xCBF4_3926))
    #expect(try call("count", .text("é🫀")) == .int(2))
    #expect(try call("number", .text(" -0x2A ")) == .int(-42))
    #expect(try call("number", .text("3.5")) == .real(3.5))
    #expect(try call("bytes", .text("01 ff")) == .bytes([1, 255]))
    #expect(try call("bytes", .list([.int(1), .int(255)])) == .bytes([1, 255]))
    #expect(try call("address", .text("C4:7C:8D:6A:12:0F")) == .address(AddressValue(bits: 0xC47C_8D6A_120F, kind: nil)))
    #expect(try call("uuid", .text("heart_rate")) == .uuid(UUID(0x180D)))
    #expect(try call("uuid", .text("0x180D")) == .uuid(UUID(0x180D)))
    #expect(try call("floor", .real(-1.5)) == .int(-2))
    #expect(try call("round", .real(2.5)) == .int(3))
    #expect(try call("round", .real(1.256), .int(2)) == .real(1.26))
    #expect(try call("min", .int(3), .real(2.5)) == .real(2.5))
    #expect(try call("max", .list([.duration(.seconds(1)), .duration(.seconds(2))])) == .duration(.seconds(2)))
    #expect(try call("sum", .list([])) == .int(0))
    #expect(try call("average", .list([.int(1), .int(2)])) == .real(1.5))
    #expect(try call("chunks", .bytes([1, 2, 3]), .int(2)) == .list([.bytes([1, 2]), .bytes([3])]))
    #expect(try call("chunks", .text("éab"), .int(2)) == .list([.text("éa"), .text("b")]))
    #expect(try call("join", .list([.int(1), .text("a")]), .text(", ")) == .text("1, a"))
    #expect(try call("json", .record(["a": .list([.nothing])])) == .text("{\"a\":[null]}"))
    #expect(try call("json", .text("[1]")) == .list([.int(1)]))
    #expect(try call("text", .record(["a": .int(1)])) == .text("a=1"))
  }

  @Test func methodsFollowTheLanguage() throws {
    #expect(try method(.text(" Ab "), "trim") == .text("Ab"))
    #expect(try method(.text("a,b,"), "split", .text(",")) == .list([.text("a"), .text("b"), .text("")]))
    #expect(try method(.text("a\r\nb\n"), "lines") == .list([.text("a"), .text("b")]))
    #expect(try method(.text(""), "lines") == .list([]))
    #expect(try method(.text("abab"), "replace", .text("b"), .text("xx")) == .text("axxaxx"))
    #expect(try method(.text("abc"), "ends_with", .text("bc")) == .bool(true))
    #expect(try method(.bytes([0x68, 0x69]), "text") == .text("hi"))
    #expect(try method(.bytes([0xFF, 0x68]), "text", .int(1)) == .text("h"))
    #expect(try method(.list([.int(3), .real(1.5)]), "sort") == .list([.real(1.5), .int(3)]))
    #expect(try method(.record(["a": .int(1)]), "get", .text("b"), .int(2)) == .int(2))
    #expect(try method(.record(["a": .int(1)]), "without", .text("a")) == .record([:]))
  }

  @Test func impossibleCallsFailWithAReason() {
    #expect(message { () throws(Failure) in try call("number", .text("abc")) } == "\"abc\" is not a number")
    #expect(message { () throws(Failure) in try call("min", .list([])) } == "an empty list has no min")
    #expect(message { () throws(Failure) in try call("floor", .real(1e300)) } != nil)
    #expect(message { () throws(Failure) in try call("count") } == "`count` takes 1 argument, not 0")
    #expect(message { () throws(Failure) in try call("u8", .text("1")) } == "u8 takes a number, not a text")
    #expect(message { () throws(Failure) in try call("u8", .real(1.5)) } == "1.5 is not whole, so it does not fit in u8")
    #expect(
      message { () throws(Failure) in try method(.bytes([1]), "u16", .int(0)) }
        == "`.u16(0)` reads 2 bytes at 0, but there are only 1")
    #expect(message { () throws(Failure) in try method(.bytes([1]), "u16", .int(.max)) } != nil)
    #expect(message { () throws(Failure) in try method(.bytes([0xFF]), "text") } == "the bytes are not UTF-8")
    #expect(message { () throws(Failure) in try method(.list([.int(1), .text("a")]), "sort") } != nil)
    #expect(message { () throws(Failure) in try method(.int(1), "upper") } == "a number has no `.upper()`; a text has")
    #expect(message { () throws(Failure) in try call("chunks", .bytes([1]), .int(0)) } != nil)
    #expect(message { () throws(Failure) in try call("abs", .int(.min)) } != nil)
  }
}
