import Exchange
import Recipe
import Testing
import Vocabulary

@testable import Runner

/// A record that lacks a field is refused instead of written with zeros.
@Suite struct MissingFieldTests {
  private static func plan(_ text: String, named name: String) throws -> FormatPlan {
    let parsed = RecipeFile.parse(Array((text + "\n").utf8), name: "test.ble")
    let formats = try #require(parsed.recipe, "\(parsed.diagnostics.map(\.message))").formats
    let wanted = try #require(formats.first { $0.name.text == name })
    return try #require(FormatCatalog.plan(of: wanted) { name in formats.first { $0.name.text == name } })
  }

  private static func failure(_ plan: FormatPlan, _ value: Value) -> Failure? {
    do throws(Failure) {
      _ = try plan.encode(value, zone: .utc)
      return nil
    } catch {
      return error
    }
  }

  /// A record that a built-in format has read cannot be written with one field removed, unless a
  /// condition makes that field optional.
  @Test func noBuiltInFormatMakesUpAField() throws {
    var random = SplitMix(seed: 5)
    var tried = 0
    for name in FormatCatalog.names {
      let plan = try #require(FormatCatalog.plan(named: name))
      guard !plan.isSingleValue else { continue }
      for _ in 0..<200 {
        let bytes = (0..<Int(random.next() % 40)).map { _ in UInt8(truncatingIfNeeded: random.next() >> 20) }
        guard case .record(let record)? = try? plan.decode(bytes, zone: .utc), Self.failure(plan, .record(record)) == nil else {
          continue
        }
        var flags: Set<Int> = []
        for step in plan.steps { if case .bits(let bits) = step.kind { flags.formUnion(bits.fields.compactMap(\.output)) } }
        for (index, output) in plan.outputs.enumerated() where !output.isOptional && !flags.contains(index) {
          var less = record
          less.remove(output.name)
          let failure = Self.failure(plan, .record(less))
          #expect(failure?.kind == .value, "\(name) without \(output.name)")
          #expect(
            failure?.message.contains("`\(output.name)`") == true, "\(name) without \(output.name): \(failure?.message ?? "")")
          tried += 1
        }
      }
    }
    #expect(tried > 1_000)
  }

  /// A sensor without contact detection sends a plain heart rate.
  @Test func flagsOfABuiltInFormatAreZeroBesideThoseThatFollow() throws {
    let plan = try #require(FormatCatalog.plan(named: "heart_rate_measurement"))
    #expect(try plan.encode(.record(["bpm": .int(72)]), zone: .utc) == [0, 72])
    #expect(Self.failure(plan, .record([:]))?.message == "`heart_rate_measurement` needs `bpm`")
  }

  private static let led = """
    format colour
      red is u8
      green is u8
    end
    format led
      flags is bits(u8)
        blinks is bit 0
        has_time is bit 1
        mode is bits 2 to 3 meaning off = 0, on = 1
      end
      size is u8
      name is text(size)
      kind is u8
      extra is u8 if kind is 7
      colour is colour
      time is u16 if flags.has_time
      steps is list of colour
    end
    """

  private static let whole: Record = [
    "blinks": .bool(true), "mode": .text("on"), "name": .text("ab"), "kind": .int(1),
    "colour": .record(["red": .int(1), "green": .int(2)]), "steps": .list([.record(["red": .int(3), "green": .int(4)])]),
  ]

  @Test func derivedFieldsAreWritten() throws {
    let plan = try Self.plan(Self.led, named: "led")
    #expect(try plan.encode(.record(Self.whole), zone: .utc) == [0x05, 2, 0x61, 0x62, 1, 1, 2, 3, 4])
    var timed = Self.whole
    timed.set("time", .int(0x0102))
    #expect(try plan.encode(.record(timed), zone: .utc) == [0x07, 2, 0x61, 0x62, 1, 1, 2, 2, 1, 3, 4])
  }

  @Test(arguments: ["blinks", "mode", "name", "kind", "colour", "steps"]) func eachFieldIsNamedWhenItIsMissing(field: String) throws
  {
    let plan = try Self.plan(Self.led, named: "led")
    var record = Self.whole
    record.remove(field)
    #expect(Self.failure(plan, .record(record))?.message == "`led` needs `\(field)`")
    record.set(field, .nothing)
    #expect(Self.failure(plan, .record(record))?.kind == .value)
  }

  @Test func partsOfPartsAreNeededToo() throws {
    let plan = try Self.plan(Self.led, named: "led")
    var record = Self.whole
    record.set("colour", .record(["red": .int(1)]))
    #expect(Self.failure(plan, .record(record))?.message.contains("`green`") == true)
    record = Self.whole
    record.set("steps", .list([.record(["green": .int(1)])]))
    #expect(Self.failure(plan, .record(record))?.message.contains("`red`") == true)
    record = Self.whole
    record.set("kind", .int(7))
    #expect(Self.failure(plan, .record(record))?.message.contains("`extra`") == true)
    #expect(Self.failure(plan, .record([:])) != nil)
  }

  @Test func fieldsOfOneFlagAreNeededTogether() throws {
    let plan = try #require(FormatCatalog.plan(named: "csc_measurement"))
    #expect(Self.failure(plan, .record(["wheel_revolutions": .int(1)]))?.message.contains("`wheel_time`") == true)
    #expect(try plan.encode(.record([:]), zone: .utc) == [0])
  }

  // MARK: Numbers that are too large

  @Test(arguments: ["u64", "u64be"]) func a64BitNumberIsNotADouble(type: String) throws {
    let largest: [UInt8] = type == "u64" ? [255, 255, 255, 255, 255, 255, 255, 127] : [127, 255, 255, 255, 255, 255, 255, 255]
    for (bytes, number) in [
      (largest, Int64.max as Int64?), (Array(repeating: 255, count: 8), nil),
      ([0x80] + Array(repeating: 0, count: 6) + [0x80], nil),
    ] {
      let method = try #require(Method.named(type))
      let read = Result { () throws(Failure) in try method.apply(to: .bytes(bytes), [.int(0)], Surroundings()) }
      Self.expect(read, number)
      let plan = try Self.plan("format f\n  a is \(type)\n  b is u8\nend", named: "f")
      let field = Result { () throws(Failure) in try plan.decode(bytes + [1], zone: .utc).member("a", Surroundings()) }
      Self.expect(field, number)
      let list = try Self.plan("format f\n  value is list of \(type)\nend", named: "f")
      let element = Result { () throws(Failure) in try list.decode(bytes + bytes, zone: .utc).element(at: .int(1)) }
      Self.expect(element, number)
    }
    let hidden = try Self.plan("format f\n  _a is \(type)\n  b is u8\nend", named: "f")
    #expect(try hidden.decode(Array(repeating: 255, count: 8) + [1], zone: .utc) == .record(["b": .int(1)]))
  }

  private static func expect(_ result: Result<Value, Failure>, _ number: Int64?) {
    switch result {
    case .success(let value): #expect(value == number.map { .int($0) })
    case .failure(let failure):
      #expect(number == nil)
      #expect(failure.kind == .value, "\(failure.message)")
    }
  }
}
