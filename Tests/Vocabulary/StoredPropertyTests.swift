import Foundation
import Testing

/// Every stored property of a type with a byte form is saved, or says why it is not. The sources
/// are read as text, so there is no list of types to maintain.
@Suite struct StoredPropertyTests {
  private static let protocols: Set<String> = ["Durable", "Portable"]

  private static func sources() throws -> SourceTypes {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Sources")
    let names = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
    return SourceTypes(
      try names.filter { $0.hasSuffix(".swift") }.map {
        ($0, try String(contentsOf: root.appendingPathComponent($0), encoding: .utf8))
      })
  }

  @Test func everyStoredPropertyIsInBytes() throws {
    let sources = try Self.sources()
    let types = sources.entries.values.filter { $0.isStruct && !$0.conformances.isDisjoint(with: Self.protocols) }
    #expect(types.count > 100 && types.reduce(0) { $0 + $1.properties.count } > 500, "the sources were not found")
    let omissions = sources.omissions(of: Self.protocols)
    #expect(
      omissions.isEmpty,
      "Write it in `write(to:)`, or end its line with `// unsaved: REASON`:\n\(omissions.joined(separator: "\n"))")
  }

  @Test func anExcuseNeedsATypeWithBytes() throws {
    // A mark that is not needed would hide a later omission.
    for (name, entry) in try Self.sources().entries where entry.properties.contains(where: { $0.excuse != nil }) {
      #expect(!entry.conformances.isDisjoint(with: Self.protocols), "`// unsaved:` means nothing in \(name)")
    }
  }

  static let whole = """
    /// A part.
    package struct Part: Equatable, Sendable {
      package var name: String
      private(set) var count = 0
      var list: [Int] = []  // a comment with { a brace
      var text = "write(to: name) {"
      var size: Int { list.count }
      static let limit = 5
      var observed = 1 { didSet { count += 1 } }
      struct Inner {
        var value: Int
      }

      init() {
        let local = 3
      }
    }

    extension Part: Durable {
      init(reading reader: inout RawSpan) throws(DecodeError) { name = try reader.readText() }

      func write(to writer: inout ByteWriter) {
        writer.put(text: name)
        writeRest(to: &writer)
        writer.put(text: text)
      }

      private func writeRest(to writer: inout ByteWriter) { writer.put(flags) }

      private var flags: Int { count + size + observed }
    }

    extension Part.Inner: Portable {
      func write(to writer: inout ByteWriter) { writer.put(value) }
    }
    """

  private static func omissions(_ text: String, _ more: [(path: String, text: String)] = []) -> [String] {
    SourceTypes([("Runner/Part.swift", text)] + more).omissions(of: protocols)
  }

  @Test func aTypeThatWritesAllOfItselfHasNoOmission() { #expect(Self.omissions(Self.whole) == []) }

  @Test(arguments: [
    ("writer.put(text: name)", "name"), ("count + ", "count"), (" + observed", "observed"), ("writer.put(value)", "value"),
    ("writer.put(text: text)", "text"), ("count + size", "list"), ("writeRest(to: &writer)", "count"),
  ])
  func aPlantedOmissionIsFound(_ line: String, _ property: String) {
    let planted = Self.whole.replacingOccurrences(of: line, with: line == "count + size" ? "count" : "")
    #expect(Self.omissions(planted.replacingOccurrences(of: "{  +", with: "{")).contains { $0.contains("`\(property)` of") })
  }

  @Test func anOmissionNeedsAReason() {
    let planted = Self.whole.replacingOccurrences(of: "writer.put(text: text)", with: "")
    let line = "  var text = \"write(to: name) {\""
    for (excuse, isFound) in [("  // unsaved: made of the name", false), ("  // unsaved: ", true), ("  // not saved", true)] {
      #expect(Self.omissions(planted.replacingOccurrences(of: line, with: line + excuse)).isEmpty != isFound, "\(excuse)")
    }
  }

  @Test func aTypeOfAnotherModuleIsFound() {
    let elsewhere = ("Keeper/Part+Portable.swift", "extension Piece: Portable {\n  func write(to writer: inout ByteWriter) {}\n}\n")
    #expect(Self.omissions("struct Piece {\n  var size: Int\n}\n", [elsewhere]).count == 1)
  }

  @Test func aRawValueIsItsBytes() {
    #expect(Self.omissions("struct Code: Durable, RawRepresentable {\n  var rawValue: UInt8\n}\n") == [])
    #expect(Self.omissions("struct Code: Durable {\n  var other: UInt8\n}\n").count == 1)
  }
}
