import Foundation
import Recipe
import Testing
import Vocabulary

@testable import Runner

/// A checkpoint has places in the compiled code and numbers of locals. If the compiler gives other
/// code for the same text, an old checkpoint must be refused instead of continued elsewhere.
@Suite struct CheckpointVersionTests {
  private struct Entry: Equatable {
    var name: String
    var text: String
    var code: String
  }

  private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  private static let path = tests.appendingPathComponent("Golden/code.txt")

  private static func entries() throws -> [Entry] {
    var entries: [Entry] = []
    for folder in ["../recipes", "Golden/samples", "Samples"] {
      let place = tests.appendingPathComponent(folder)
      for name in try FileManager.default.contentsOfDirectory(atPath: place.path).sorted() where name.hasSuffix(".ble") {
        let bytes = Array(try Data(contentsOf: place.appendingPathComponent(name)))
        let parsed = RecipeFile.parse(bytes, name: name)
        guard let recipe = parsed.recipe, case .success(let program) = Compiler.compile(recipe, sources: parsed.sources)
        else { continue }
        entries.append(Entry(name: name, text: short(FNV1a.hash(bytes)), code: short(hash(program))))
      }
    }
    return entries
  }

  private static func short(_ hash: UInt64) -> String { String(hash, radix: 16) }

  /// Everything that a number in a checkpoint may refer to.
  private static func hash(_ program: Program) -> UInt64 {
    // By name, so that a new instruction changes nothing.
    var names: [OpCode: String] = [:]
    var lines = ["\(program.unitOf) \(program.statementOf)"]
    for op in program.code {
      let name = names[op.code] ?? "\(op.code)"
      names[op.code] = name
      lines.append("\(name) \(op.a) \(op.b) \(op.c)")
    }
    for unit in program.units { lines.append("\(unit.entry) \(unit.localCount) \(unit.localKeys)") }
    for variable in program.variables { lines.append("\(variable.name) \(variable.kind)") }
    return FNV1a.hash(lines.joined(separator: "\n").utf8)
  }

  /// The entries whose text is the same and whose code is not.
  private static func changed(_ old: [Entry], _ new: [Entry]) -> [String] {
    new.filter { entry in old.contains { $0.name == entry.name && $0.text == entry.text && $0.code != entry.code } }.map(\.name)
  }

  @Test func otherCodeHasAnotherVersion() throws {
    let entries = try Self.entries()
    #expect(entries.count > 30)
    let golden = (try? String(contentsOf: Self.path, encoding: .utf8)) ?? ""
    let lines = golden.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    let version = lines.first.flatMap { $0.last }.flatMap { UInt8($0) }
    let stored = lines.dropFirst().filter { $0.count == 3 }.map { Entry(name: $0[0], text: $0[1], code: $0[2]) }
    if version == Header.version {
      #expect(Self.changed(stored, entries).isEmpty, "increase Header.version, then write \(Self.path.path) again")
    }
    if ProcessInfo.processInfo.environment["TOOTH_WRITE_GOLDEN"] != nil {
      let text = "version \(Header.version)\n" + entries.map { "\($0.name) \($0.text) \($0.code)\n" }.joined()
      return try Data(text.utf8).write(to: Self.path)
    }
    #expect(version == Header.version, "TOOTH_WRITE_GOLDEN=1 writes \(Self.path.path) again")
    #expect(entries == stored, "TOOTH_WRITE_GOLDEN=1 writes \(Self.path.path) again")
  }

  @Test func aChangeOfCodeIsSeen() throws {
    let old = try Self.entries()
    var new = old
    #expect(Self.changed(old, new).isEmpty)
    new[0].code = "0"
    #expect(Self.changed(old, new) == [old[0].name])
    // An edited recipe has other code.
    new[0].text = "0"
    #expect(Self.changed(old, new).isEmpty)
  }
}
