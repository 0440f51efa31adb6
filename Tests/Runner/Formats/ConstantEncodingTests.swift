import Exchange
import Recipe
import Testing
import Vocabulary

@testable import Runner

/// The checker's findings for a constant that is written agree with the encoder, for every format
/// and every kind of value.
@Suite struct ConstantEncodingTests {
  private static let values: [(text: String, value: Value)] = [
    ("0", .int(0)), ("1", .int(1)), ("-1", .int(-1)), ("5", .int(5)), ("255", .int(255)), ("256", .int(256)),
    ("-40000", .int(-40000)), ("70000", .int(70000)), ("5000000000", .int(5_000_000_000)), ("1.5", .real(1.5)), ("3.0", .real(3)),
    ("-0.25", .real(-0.25)), ("true", .bool(true)), ("false", .bool(false)), ("nothing", .nothing), ("\"x\"", .text("x")),
    ("\"high\"", .text("high")), ("\"abcdef\"", .text("abcdef")), ("hex \"01\"", .bytes([1])), ("hex \"0102\"", .bytes([1, 2])),
    ("5s", .duration(.seconds(5))), ("[1, 2]", .list([.int(1), .int(2)])), ("[true]", .list([.bool(true)])), ("[]", .list([])),
    ("{nonsense: 1}", .record(["nonsense": .int(1)])), ("{value: 1}", .record(["value": .int(1)])),
    ("{value: true}", .record(["value": .bool(true)])), ("{value: 1.5}", .record(["value": .real(1.5)])),
    ("C4:7C:8D:6A:12:0F", AddressValue("C4:7C:8D:6A:12:0F").map { .address($0) } ?? .nothing), ("0x180D", .int(0x180D)),
    ("heart_rate", .uuid(UUID(0x180D))),
  ]

  /// A format of each kind of field.
  private static let own = [
    "value is u8", "value is i8", "value is u16be", "value is u64", "value is i64", "value is f32", "value is sfloat",
    "value is u8 meaning off = 0, on = 1", "value is u8 meaning off = 0, nothing = 255", "value is u8 meaning false = 0, true = 1",
    "value is u8 times 0.5", "value is i16 times 0.01 plus 20", "value is bytes", "value is bytes(2)", "value is text",
    "value is text(3)", "value is uuid", "value is date_time", "value is list of u8", "value is list(2) of u8",
    "value is heart_rate_measurement", "value is battery_level", "only is u8",
    "only is list of i8", "flags is bits(u8)\n    value is bit 0\n  end", "flags is bits(u8)\n    value is bits 0 to 1\n  end",
    "flags is bits(u8)\n    value is bits 0 to 1 meaning a = 0, high = 1\n  end", "one is u8\n  two is u8",
    "flags is bits(u8)\n    wide is bit 0\n  end\n  value is u16 if flags.wide else u8", "crc is u8 always 7\n  value is u8",
    "size is u8\n  value is text(size)",
  ]

  private static func errors(_ text: String) -> [String] {
    RecipeFile.parseAndCheck(Array(text.utf8), name: "x.ble").diagnostics.filter { $0.severity == .error }
      .map { "\($0.code) \($0.message)" }
  }

  private static func complaint(
    _ plan: FormatPlan, _ target: String, _ format: String, _ given: (text: String, value: Value)
  ) -> String? {
    let errors = errors("\(format)scan for \"x\"\nconnect\nwrite \(given.text) to \(target)\n")
    do throws(Failure) {
      if case .bytes = given.value {} else { _ = try plan.encode(given.value, zone: .utc) }
      return errors.isEmpty ? nil : "\(plan.name) holds \(given.text), but: \(errors)"
    } catch {
      return errors.isEmpty ? "\(plan.name) cannot hold \(given.text), and nothing says so: \(error.message)" : nil
    }
  }

  @Test(arguments: FormatCatalog.names.filter { AssignedNumbers.characteristic(named: $0) != nil })
  func theCheckAgreesWithTheRun(_ name: String) throws {
    let plan = try #require(FormatCatalog.plan(named: name))
    let complaints = Self.values.compactMap { Self.complaint(plan, name, "", $0) }
    #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
  }

  @Test(arguments: own) func theCheckAgreesWithTheRunForUserFormats(_ body: String) throws {
    let target = "5c1d0002-7e40-4f6e-9a0b-3d2f11aa0001"
    let format = "format own for characteristic \(target)\n  \(body)\nend\n"
    let declaration = try #require(RecipeFile.parse(Array(format.utf8), name: "x.ble").recipe?.formats.first)
    let plan = try #require(FormatCatalog.plan(of: declaration) { _ in nil })
    let complaints = Self.values.compactMap { Self.complaint(plan, target, format, $0) }
    #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
  }

  /// Without a format only bytes and text can be written.
  @Test func theCheckRefusesValuesWithoutBytes() {
    let target = "5c1d0002-7e40-4f6e-9a0b-3d2f11aa0001"
    for given in Self.values {
      let isWritten =
        switch given.value {
        case .text, .bytes: true
        default: false
        }
      #expect(Self.errors("scan for \"x\"\nconnect\nwrite \(given.text) to \(target)\n").isEmpty == isWritten, "\(given.text)")
    }
  }
}
