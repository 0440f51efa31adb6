import Linux
import Recipe
import Session
import Testing
import Vocabulary
@testable import Adapters
@testable import KeeperProcess
@testable import Runner
@testable import Session
@testable import World

/// A recipe that is compiled as a whole, and one that is appended entry by entry, give the same
/// run.
@Suite struct AppendedRecipeTests {
  /// A recipe split into its declarations and its statements, each as a text.
  struct Parts {
    var base: ParsedFile
    var entries: [String] = []

    /// A `connect` and its set-up form one entry, with `ready` at its end.
    /// - Parameter movesProcedures: places procedures that use a `let` of the body where they are,
    /// as at a prompt.
    init(_ text: [UInt8], movesProcedures: Bool) throws {
      let whole = ParsedFile(text, name: "whole.ble")
      var rest = text
      var handlers: [String] = []
      var takesSetUp = false
      var procedures = movesProcedures ? whole.tree.procedures.map(\.range) : []
      func blank(_ range: Range<Int>) { for place in range where rest[place] != 0x0A { rest[place] = 0x20 } }
      for member in whole.tree.body {
        while let procedure = procedures.first, procedure.start < member.range.start {
          let range = Int(procedure.start)..<Int(procedure.end)
          entries.append(String(decoding: text[range], as: UTF8.self) + "\n")
          blank(range)
          procedures.removeFirst()
        }
        let range = Int(member.range.start)..<Int(member.range.end)
        let piece = String(decoding: text[range], as: UTF8.self) + "\n"
        blank(range)
        if let next = rest[range.upperBound...].first(where: { $0 != 0x20 }), next == UInt8(ascii: ";"),
          let place = rest[range.upperBound...].firstIndex(of: next)
        {
          rest[place] = 0x20
        }
        switch member {
        case .handler, .whenever: handlers.append(piece)
        case .statement(let statement):
          let connects = if case .connect = statement.kind { true } else { false }
          if takesSetUp, statement.isSetUp { entries[entries.count - 1] += piece } else { entries.append(piece) }
          takesSetUp = connects || takesSetUp && statement.isSetUp
        }
      }
      // They are active from the start wherever they appear, and may use any name.
      entries += handlers
      base = ParsedFile(rest, name: "whole.ble")
      try #require(base.diagnostics.isEmpty && base.tree.body.isEmpty, "\(base.diagnostics.map(\.message))")
    }
  }

  static func appended(_ text: [UInt8]) throws -> (compiler: Compiler, entries: Int) {
    var parts = try Parts(text, movesProcedures: false)
    if (try? Compiler(compiling: parts.base.tree, sources: [parts.base.source])) == nil {
      parts = try Parts(text, movesProcedures: true)
    }
    var compiler = try Compiler(compiling: parts.base.tree, sources: [parts.base.source])
    for (index, entry) in parts.entries.enumerated() {
      let before = compiler.compiled
      let parsed = ParsedFile(
        Array(entry.utf8), name: "entry \(index + 1)", file: compiler.nextFile, firstID: compiler.nextStatement)
      try #require(parsed.diagnostics.isEmpty, "\(parsed.diagnostics.map(\.message)) in \(entry)")
      try compiler.append(parsed.tree, parsed.source)
      try Self.demandStable(before, compiler.compiled)
    }
    return (compiler, parts.entries.count)
  }

  /// Existing code keeps its numbers. Only the end of the body is replaced.
  static func demandStable(_ old: Program, _ new: Program) throws {
    let changed = old.code.indices.filter { old.code[$0] != new.code[$0] }
    try #require(changed.count == 1 && changed.allSatisfy { old.code[$0].code == .finish && new.code[$0].code == .jump })
    try #require(Array(new.statementOf.prefix(old.statementOf.count)) == old.statementOf)
    try #require(Array(new.rangeOf.prefix(old.rangeOf.count)) == old.rangeOf)
    try #require(Array(new.statements.prefix(old.statements.count)) == old.statements)
    try #require(Array(new.constants.prefix(old.constants.count)) == old.constants)
    try #require(new.variables.prefix(old.variables.count).map(\.name) == old.variables.map(\.name))
    for (before, after) in zip(old.units, new.units).dropFirst() { try #require(before == after) }
  }

  static func run(_ fixture: Fixture, _ program: Program?) throws -> (output: String, code: Int32?, at: Moment) {
    var plan = fixture.plan()
    plan.program = program
    try fixture.start(plan)
    _ = fixture.world.run(for: .minutes(10))
    let code = fixture.world.session?.isOver == true ? fixture.world.session?.exitStatus.code : nil
    return (fixture.output, code, fixture.world.now.moment)
  }

  @Test(arguments: [
    ("recipes/heart-rate.ble", "recipes/devices/heart-rate-strap.ble"),
    ("recipes/thermometer.ble", "recipes/devices/thermometer.ble"), ("recipes/valve.ble", "recipes/devices/valve.ble"),
  ])
  func wholeAndAppendedAreTheSameRun(recipe: String, devices: String) throws {
    let whole = try Fixture(recipe: recipe, devices: devices)
    let expected = try Self.run(whole, nil)
    let other = try Fixture(recipe: recipe, devices: devices)
    let (compiler, count) = try Self.appended(other.recipe.text)
    #expect(count > 2)
    let actual = try Self.run(other, compiler.compiled)
    #expect(actual.output == expected.output)
    // The valve is only written to.
    #expect(expected.output.isEmpty == (recipe == "recipes/valve.ble"))
    #expect(actual.code == expected.code && actual.at == expected.at)
  }

  /// Recipes whose devices are not on this air: the variables, units and waits are the same, in any
  /// order.
  @Test func everySampleCanBeAppendedStatementByStatement() throws {
    var tried = 0
    for name in ["recipes", "recipes/devices", "Tests/Golden/samples", "Tests/Golden/edited/1-comments-and-neighbours"] {
      for file in Self.recipes(in: "\(projectFolder)/\(name)") {
        let loaded = try RecipeLoader.load(path: "\(projectFolder)/\(name)/\(file)")
        guard let recipe = loaded.recipe, !loaded.hasErrors, !recipe.body.isEmpty,
          case .success(let whole) = Compiler.compile(recipe, sources: loaded.sources)
        else { continue }
        tried += 1
        let grown = try Self.appended(loaded.text).compiler.compiled
        func names(_ program: Program) -> [String] { program.variables.map { "\($0.name) \($0.kind)" }.sorted() }
        func waits(_ program: Program) -> [String] {
          program.statements.filter { $0.unit >= 0 }.map { "\($0.normalized) \($0.waits.count)" }.sorted()
        }
        #expect(names(grown) == names(whole), "\(file)")
        #expect(waits(grown) == waits(whole), "\(file)")
        #expect(grown.units.count == whole.units.count, "\(file)")
      }
    }
    #expect(tried >= 4)
  }

  private static func recipes(in folder: String) -> [String] {
    let samples = [
      "heart", "lock", "thermo", "firmware", "gateway", "uart", "beacons", "glucose", "sim", "valve", "ota", "night", "fridge",
    ]
    let names =
      ["heart-rate.ble", "thermometer.ble", "valve.ble", "before.ble", "after.ble", "demo.ble"]
      + (1...13).flatMap { number in
        let two = number < 10 ? "0\(number)" : "\(number)"
        return samples.map { "\(two)-\($0).ble" }
      }
    return names.filter { realPath("\(folder)/\($0)") != nil }
  }

  // MARK: Entries

  private func compiler(_ text: String) throws -> Compiler {
    let parsed = ParsedFile(Array(text.utf8), name: "base.ble")
    return try Compiler(compiling: parsed.tree, sources: [parsed.source])
  }

  private func entry(_ text: String, _ compiler: Compiler) -> (tree: RecipeFile, source: SourceText) {
    let parsed = ParsedFile(
      Array(text.utf8), name: "entry", file: compiler.nextFile, firstID: compiler.nextStatement)
    return (parsed.tree, parsed.source)
  }

  @Test func aRejectedEntryLeavesEverythingAsItWas() throws {
    var compiler = try compiler("let a = 1\nprocedure p(): return 1\nprint a\n")
    let before = compiler.compiled
    let (file, statement) = (compiler.nextFile, compiler.nextStatement)
    let bad = entry("let b = 2\nprocedure p(): return 2\n", compiler)
    #expect(throws: CompileError.self) { try compiler.append(bad.tree, bad.source) }
    #expect(compiler.nextFile == file && compiler.nextStatement == statement)
    #expect(compiler.compiled.code == before.code && compiler.compiled.variables == before.variables)
    #expect(compiler.compiled.units == before.units && compiler.compiled.lines == before.lines)
    // Its numbers are free for the next one.
    let good = entry("let b = 3\nprint b + a\n", compiler)
    try compiler.append(good.tree, good.source)
    #expect(compiler.compiled.variables.map(\.name) == ["a", "b"])
  }

  @Test func anEntryCanTurnAConstantIntoAVariable() throws {
    var compiler = try compiler("let a = 1\nprint a\n")
    #expect(compiler.compiled.variables[0].kind == .constant)
    let change = entry("set a to 2\n", compiler)
    try compiler.append(change.tree, change.source)
    #expect(compiler.compiled.variables[0].kind == .state)
    #expect(compiler.compiled.initialisers.allSatisfy { !$0.isConstant })
  }

  @Test func lineNumbersNameTheirEntry() throws {
    var compiler = try compiler("print 1\n")
    let more = entry("print 2\nprint 3\n", compiler)
    try compiler.append(more.tree, more.source)
    let program = compiler.compiled
    let last = try #require(program.statements.last)
    #expect(program.lines.text(of: program.line(of: last.id)) == "line 2 of entry")
  }
}
