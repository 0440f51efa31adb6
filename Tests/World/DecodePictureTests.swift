import Exchange
import Recipe
import Runner
import Session
import Terminal
import Testing
import Vocabulary
@testable import Adapters
@testable import KeeperProcess
@testable import Session
@testable import World

/// A value that does not match its format: the picture has a caret under the first wrong byte and
/// one under the field.
@Suite struct DecodePictureTests {
  static let formats: [(text: String, bytes: String)] = [
    ("format f\n  state is u8 meaning unlocked = 0, locked = 1\n  battery is u8 unit \"%\"\nend\n", "01 55"),
    ("format f\n  a is u16\n  b is u32be\n  c is i24\n  d is u64\nend\n", "01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10 11"),
    (
      "format f\n  flags is bits(u16)\n    wide is bit 0\n    more is bit 1\n  end\n  n is u16 if flags.wide else u8\n  m is u32 if flags.more\nend\n",
      "03 00 01 02 03 04 05 06"
    ),
    ("format f\n  size is u8\n  name is text(size)\n  last is u16\nend\n", "05 68 65 6c 6c 6f 01 02"),
    ("format f\n  size is u8\n  list is list(size) of u16\n  sum is u8\nend\n", "03 01 00 02 00 03 00 09"),
    ("format f\n  skip 2 bytes\n  made is date_time\n  raw is bytes(3)\nend\n", "00 00 ea 07 01 02 03 04 05 01 02 03"),
    (
      "format f\n  a is f32\n  b is sfloat\n  c is medfloat\n  d is f64\nend\n",
      "00 00 80 3f 01 00 01 00 00 00 00 00 00 00 00 00 f0 3f"
    ),
  ]

  private static func plan(_ text: String) throws -> FormatPlan {
    let others = try #require(RecipeFile.parse(Array(text.utf8), name: "lock.ble").recipe?.formats)
    let last = try #require(others.last)
    return try #require(FormatCatalog.plan(of: last) { name in others.first { $0.name.text == name } })
  }

  private static func picture(_ plan: FormatPlan, _ text: String, _ bytes: [UInt8]) throws -> [String]? {
    do throws(Failure) {
      _ = try plan.decode(bytes, zone: .utc)
      return nil
    } catch {
      let report = FailureReport(failure: error, range: SourceRange(start: 0, end: 3), device: "Lock", attempts: 1, ends: true)
      let source = SourceText(name: "lock.ble", bytes: Array(text.utf8))
      return DiagnosticRenderer().text(FailureText.finding(report, line: 12), in: [source]).split(separator: "\n").map(String.init)
    }
  }

  /// The indices of the bytes with a caret below them.
  private static func marked(_ lines: [String]) -> Range<Int>? {
    guard let row = lines.firstIndex(where: { $0.hasPrefix("  = bytes  ") }), row + 1 < lines.count else { return nil }
    let columns = Array(lines[row + 1]).indices.filter { Array(lines[row + 1])[$0] == "^" }
    guard let first = columns.first, let last = columns.last else { return nil }
    return (first - 11) / 3..<(last - 11) / 3 + 1
  }

  @Test(arguments: formats) func everyTruncationPointsAtTheFieldThatRanOut(text: String, bytes: String) throws {
    let plan = try Self.plan(text)
    let whole = try #require(Hex.bytes(bytes))
    let entries = plan.explain(whole, zone: .utc).trace.entries
    #expect(try Self.picture(plan, text, whole) == nil)
    for count in whole.indices {
      let lines = try #require(try Self.picture(plan, text, Array(whole[..<count])), "\(count) of \(bytes)")
      let shown: Comment = "\(count) octets:\n\(lines.joined(separator: "\n"))"
      #expect(lines[0] == "error[T340]: the value is too short for `f`", shown)
      let marked = try #require(Self.marked(lines), shown)
      // The missing byte is marked, from the start of its field.
      #expect(marked.upperBound == count + 1, shown)
      let field = entries.last { $0.offset <= count && count < $0.offset + $0.count && !$0.name.contains("[") }
      if let field { #expect(marked.lowerBound == field.offset, shown) }
      // The caret in the recipe is under a name in the format's text.
      let code = lines[2].drop { $0 != "│" }
      let under = Array(lines[3].drop { $0 != "│" })
      let name = String(zip(code, under).filter { $0.1 == "^" }.map(\.0))
      if let field { #expect(name == field.name || name == "flags", shown) }
      #expect(text.contains(" \(name) "), shown)
      #expect(lines.contains("  = note: the value came from Lock in line 12"), shown)
    }
  }

  @Test func thePictureOfTheReference() throws {
    let text =
      "# 1\n# 2\n# 3\n# 4\n# 5\n# 6\n# 7\n# 8\nformat lock_report\n  state   is u8 meaning unlocked = 0, locked = 1, jammed = 2\n  battery is u8 unit \"%\"\nend\n"
    let lines = try #require(try Self.picture(Self.plan(text), text, [1]))
    #expect(
      lines == [
        "error[T340]: the value is too short for `lock_report`",
        "  ┌─ lock.ble:11:3",
        "11│   battery is u8 unit \"%\"",
        "  │   ^^^^^^^ needs 1 byte at offset 1, but the value ends there",
        "  = bytes  01",
        "              ^ state = locked",
        "  = note: the value came from Lock in line 12",
      ])
  }

  @Test func invalidTextIsMarkedAtItsPosition() throws {
    let text = "format f\n  kind is u8\n  name is text(6)\nend\n"
    let plan = try Self.plan(text)
    for bad in 0..<6 {
      var bytes: [UInt8] = [1] + Array("abcdef".utf8)
      bytes[1 + bad] = 0xFF
      let lines = try #require(try Self.picture(plan, text, bytes))
      #expect(lines[0] == "error[T340]: the value does not fit `f`")
      #expect(lines[3].hasSuffix("^^^^ is not UTF-8 at offset \(1 + bad)"), "\(lines)")
      #expect(Self.marked(lines) == 1 + bad..<2 + bad, "\(lines)")
      #expect(lines[5].hasSuffix("^^ kind = 1"))
    }
    // The first byte of a truncated character.
    let lines = try #require(try Self.picture(plan, text, [1] + Array("abcde".utf8) + [0xC3]))
    #expect(Self.marked(lines) == 6..<7, "\(lines)")
  }

  @Test func aWrongConstantIsMarkedAsAWhole() throws {
    let text = "format f\n  kind is u8\n  magic is u16be always 0x0215\n  end_mark is u8 always 7\nend\n"
    let plan = try Self.plan(text)
    #expect(try Self.picture(plan, text, [9, 2, 0x16, 7]).flatMap(Self.marked) == 1..<3)
    #expect(try Self.picture(plan, text, [9, 2, 0x15, 8]).flatMap(Self.marked) == 3..<4)
  }

  /// Far into a long value only the part around the error is shown.
  @Test func aLongValueIsShownInPart() throws {
    let text = "format f\n  head is bytes(100)\n  n is u8 always 1\nend\n"
    let lines = try #require(try Self.picture(Self.plan(text), text, Array(repeating: 0x20, count: 300)))
    let bytes = try #require(lines.first { $0.hasPrefix("  = bytes") })
    #expect(bytes.hasPrefix("  = bytes  … 20 20"))
    #expect(bytes.hasSuffix("20 …"))
    #expect(bytes.count < 120)
    // The caret is below the seventeenth byte that is shown.
    let marks = try #require(lines.first { $0.contains("^^") && !$0.contains("│") })
    #expect(marks.prefix { $0 == " " }.count == "  = bytes  … ".count + 16 * 3)
  }

  @Test func aBuiltInFormatIsBlamedAtTheStatement() throws {
    let plan = try #require(FormatCatalog.plan(named: "heart_rate_measurement"))
    let lines = try #require(try Self.picture(plan, "read heart_rate_measurement\n", [1, 0x48]))
    #expect(lines[1] == "  ┌─ lock.ble:1:1")
    #expect(lines[3] == "  │ ^^^ `bpm` needs 2 bytes at offset 1, but only 1 is left", "\(lines)")
    #expect(Self.marked(lines) == 1..<3)
    #expect(lines.last == "  = note: the value came from Lock")
  }

  /// A failure that a checkpoint keeps shows the same picture afterwards.
  @Test func thePictureSurvivesACheckpoint() throws {
    let plan = try Self.plan(Self.formats[1].text)
    do throws(Failure) {
      _ = try plan.decode([1, 2, 3], zone: .utc)
      Issue.record("no failure")
    } catch {
      var writer = ByteWriter()
      error.write(to: &writer)
      let bytes = writer.bytes
      var reader = bytes.span.bytes
      #expect(try Failure(reading: &reader) == error)
      #expect(reader.byteCount == 0)
      // Truncated anywhere, it is refused and never traps.
      for count in bytes.indices {
        let part = Array(bytes[..<count])
        var reader = part.span.bytes
        #expect(throws: DecodeError.self) { _ = try Failure(reading: &reader) }
      }
    }
  }
}
