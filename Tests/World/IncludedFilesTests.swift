import Glibc
import Journal
import Linux
import Recipe
import Runner
import Session
import Testing
import Vocabulary
import World
@testable import Adapters
@testable import KeeperProcess
@testable import Session
@testable import World

/// `include` with files on disk: which file is meant, what is refused, and what a checkpoint knows
/// of them.
@Suite(.serialized) struct IncludedFilesTests {
  let playground = Playground()

  func write(_ text: String, to name: String) {
    if let slash = name.lastIndex(of: "/") { mkdir("\(playground.path)/\(name[..<slash])", 0o755) }
    let descriptor = open("\(playground.path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    defer { close(descriptor) }
    #expect(descriptor >= 0)
    do { try writeAll(descriptor, Array(text.utf8), named: name) } catch { Issue.record("\(error)") }
  }

  func load(_ name: String = "main.ble") throws -> LoadedRecipe { try RecipeLoader.load(path: "\(playground.path)/\(name)") }

  // MARK: Which file is meant

  @Test func aPathBeginsInTheFolderOfTheFileThatIncludes() throws {
    write("include \"lib/a.ble\"\nprint a + b\n", to: "main.ble")
    write("include \"b.ble\"\nlet a = 1\n", to: "lib/a.ble")
    write("let b = 2\n", to: "lib/b.ble")
    let loaded = try load()
    #expect(loaded.findings.isEmpty)
    #expect(loaded.sources.map(\.name) == ["main.ble", "lib/a.ble", "lib/b.ble"].map { "\(playground.path)/\($0)" })
  }

  /// The tests of an included file run with that file.
  @Test func testsOfIncludedFilesAreNotRun() throws {
    write("include \"a.ble\"\ntest \"own\"\n  expect a is 1\nend\n", to: "main.ble")
    write("let a = 1\ntest \"theirs\"\n  expect a is 1\nend\n", to: "a.ble")
    #expect(try TestFile(path: "\(playground.path)/main.ble").tests.map(\.name) == ["own"])
    #expect(try TestFile(path: "\(playground.path)/a.ble").tests.map(\.name) == ["theirs"])
  }

  @Test func aLinkToARecipeIsTheRecipe() throws {
    write("include \"lib.ble\"\nprint a\n", to: "real/main.ble")
    write("let a = 1\n", to: "real/lib.ble")
    symlink("real/main.ble", "\(playground.path)/link.ble")
    #expect(try load("link.ble").findings.isEmpty)
    symlink("real", "\(playground.path)/folder")
    let loaded = try load("folder/main.ble")
    #expect(loaded.findings.isEmpty)
    #expect(loaded.sources.last?.name == "\(playground.path)/folder/lib.ble")
  }

  @Test func oneFileByTwoPathsIsIncludedOnce() throws {
    write(
      "include \"a.ble\"\ninclude \"./a.ble\"\ninclude \"link.ble\"\ninclude \"\(playground.path)/a.ble\"\nprint a\n",
      to: "main.ble")
    write("let a = 1\n", to: "a.ble")
    symlink("a.ble", "\(playground.path)/link.ble")
    let loaded = try load()
    #expect(loaded.findings.isEmpty && loaded.sources.count == 2)
  }

  @Test func anIncludeCycleThroughALinkIsFound() throws {
    write("include \"a.ble\"\nprint 1\n", to: "main.ble")
    write("include \"again.ble\"\n", to: "a.ble")
    symlink("main.ble", "\(playground.path)/again.ble")
    #expect(try load().findings.map(\.code) == ["T038"])
  }

  @Test func aRecipeWithoutAFileIncludesFromTheWorkingDirectory() throws {
    write("let a = 1\n", to: "a.ble")
    let text = "include \"\(playground.path)/a.ble\"\nprint a\n"
    #expect(RecipeLoader.parse(name: "stdin", Array(text.utf8)).findings.isEmpty)
    #expect(RecipeLoader.parse(lines: ["include \"\(playground.path)/a.ble\"", "print a"]).findings.isEmpty)
    let missing = RecipeLoader.parse(lines: ["include \"no-such-file.ble\"", "print 1"])
    #expect(missing.findings.map(\.label) == ["there is no file no-such-file.ble"])
  }

  // MARK: What is refused

  @Test(arguments: [
    ("none.ble", "there is no file ROOT/none.ble"), ("folder", "ROOT/folder is a directory"),
    ("pipe", "ROOT/pipe cannot be read: it is not an ordinary file"),
    ("/dev/null", "/dev/null cannot be read: it is not an ordinary file"),
    ("main.ble/x.ble", "ROOT/main.ble/x.ble cannot be read: Not a directory"),
    ("loop", "ROOT/loop cannot be read: Too many levels of symbolic links"),
    ("large.ble", "ROOT/large.ble is too large: a file of a recipe has at most 1 MiB"),
    (String(repeating: "x", count: 300), "cannot be read: File name too long"),
  ])
  func invalidIncludesAreRefusedAtTheInclude(path: String, label: String) throws {
    write("# one\ninclude \"\(path)\"\nprint 1\n", to: "main.ble")
    mkdir("\(playground.path)/folder", 0o755)
    mkfifo("\(playground.path)/pipe", 0o644)
    symlink("loop", "\(playground.path)/loop")
    if path == "large.ble" { write(String(repeating: " ", count: 1 << 20) + "\n", to: path) }
    let loaded = try load()
    #expect(loaded.recipe == nil && loaded.findings.map(\.code) == ["T037"])
    let finding = try #require(loaded.findings.first)
    #expect(loaded.sources.place(of: finding.range) == "line 2")
    let parts = label.split(separator: "ROOT", omittingEmptySubsequences: false)
    #expect(finding.label.hasSuffix(parts.joined(separator: playground.path)), "\(finding.label)")
  }

  @Test func aForgottenEndingIsProposed() throws {
    write("include \"lib\"\nprint 1\n", to: "main.ble")
    write("let a = 1\n", to: "lib.ble")
    #expect(try load().findings.first?.notes == ["did you mean `lib.ble`?"])
  }

  @Test func anAirHasPeripheralsOfSeveralFiles() throws {
    write("include \"two.ble\"\nperipheral one named \"One\"\n  advertise heart_rate\nend\n", to: "main.ble")
    write("peripheral two named \"Two\"\n  advertise heart_rate\nend\n", to: "two.ble")
    let loaded = try load()
    #expect(loaded.recipe?.peripherals.map(\.name.text) == ["two", "one"], "\(loaded.findings.map(\.message))")
  }

  // MARK: A run that is killed

  static let recipe = """
    include "lib/strap.ble"
    scan for heart_rate
    connect
    let level = settle(3)
    print "level {level}"
    wait 1h

    """
  static let library = """
    procedure settle(rounds)
      let last = 0
      repeat rounds times
        read battery_level as level
        print "read {level}"
        wait 10s
        set last to level
      end
      return last
    end
    procedure other(): print "never"

    """

  /// The output of the second process, after the first was killed in the included procedure.
  private func killed(edited edit: () -> Void, asStarted: Bool = false) throws -> (
    output: String, errors: String, refusal: RecipeRefusal?
  ) {
    write(Self.recipe, to: "main.ble")
    write(Self.library, to: "lib/strap.ble")
    let devices = try RecipeLoader.load(path: projectFolder + "/recipes/devices/heart-rate-strap.ble")
    let world = try SimulatedWorld(devices: devices, seed: 1)
    let first = OutputPipe.collecting()
    try world.start(try plan(), console: Console(style: Console.Style(), output: first, errors: OutputPipe.collecting()))
    _ = world.run(for: .seconds(15))
    world.drop()
    #expect(first.collected.contains("read "))
    world.wait(.seconds(2))
    edit()
    let second = (output: OutputPipe.collecting(), errors: OutputPipe.collecting())
    var refusal: RecipeRefusal?
    do throws(StartRefusal) {
      var plan = try plan()
      plan.isAsStarted = asStarted
      try world.start(plan, console: Console(style: Console.Style(), output: second.output, errors: second.errors))
      _ = world.run(for: .minutes(5))
      world.drop()
    } catch {
      switch error {
      case .changed(let found), .recipe(let found): refusal = found
      default: Issue.record("\(error)")
      }
    }
    return (first.collected + second.output.collected, second.errors.collected, refusal)
  }

  private func plan() throws(StartRefusal) -> RunPlan {
    let loaded: LoadedRecipe
    do throws(RecipeUnreadable) { loaded = try RecipeLoader.load(path: "\(playground.path)/main.ble") } catch {
      throw .recipe(RecipeRefusal(findings: [], sources: []))
    }
    return RunPlan(
      loaded: loaded, path: "main.ble", identity: RunIdentity(owner: .name("included"), inputs: []), inputs: RunInputs(),
      options: RunOptions(directory: playground.path), state: StateDirectory(path: "\(playground.path)/state"))
  }

  @Test func aRunContinuesInAnIncludedFile() throws {
    let told = try killed {}
    #expect(told.refusal == nil)
    #expect(told.errors.contains("continues at line 6 of \(playground.path)/lib/strap.ble: wait 10s (killed"), "\(told.errors)")
    #expect(!told.errors.contains("edits"))
    let lines = told.output.split(separator: "\n")
    #expect(lines.count { $0.hasPrefix("read ") } == 3 && lines.last?.hasPrefix("level ") == true, "\(told.output)")
  }

  @Test func anEditOfAnIncludedFileIsAnEditOfTheRecipe() throws {
    let told = try killed {
      write("# new\n" + Self.library.replacing("\"never\"", with: "\"ever\""), to: "lib/strap.ble")
    }
    #expect(told.refusal == nil)
    #expect(
      told.errors.contains(
        "resumed with your edits (1 line changed, none of them running); line 6 of \(playground.path)/lib/strap.ble is now line 7 of"
      ),
      "\(told.errors)")
    #expect(told.output.split(separator: "\n").last?.hasPrefix("level ") == true)
  }

  @Test func movedStatementsContinueInTheNewFile() throws {
    let told = try killed {
      write("include \"more.ble\"\n", to: "lib/strap.ble")
      write(Self.library, to: "lib/more.ble")
    }
    #expect(told.refusal == nil)
    #expect(told.errors.contains("continues at line 6 of \(playground.path)/lib/more.ble: wait 10s"), "\(told.errors)")
  }

  @Test func anEditAtTheCurrentStatementIsRefused() throws {
    let told = try killed { write(Self.library.replacing("wait 10s", with: "wait 11s"), to: "lib/strap.ble") }
    let finding = try #require(told.refusal?.findings.first)
    #expect(finding.code == "T410")
    #expect(finding.label.contains("was here, when line 6 of \(playground.path)/lib/strap.ble said:  wait 10s"))
    #expect(told.refusal?.sources.place(of: finding.range) == "line 6 of \(playground.path)/lib/strap.ble")
  }

  @Test func theCheckpointKeepsTheIncludedFiles() throws {
    let told = try killed(
      edited: {
        write(Self.library.replacing("wait 10s", with: "wait 11s"), to: "lib/strap.ble")
      }, asStarted: true)
    #expect(told.refusal == nil)
    #expect(told.output.split(separator: "\n").last?.hasPrefix("level ") == true, "\(told.errors)")
    #expect(told.errors.contains("wait 10s"))
  }

  @Test func aMissingIncludeIsReported() throws {
    let told = try killed { unlink("\(playground.path)/lib/strap.ble") }
    #expect(told.refusal?.findings.map(\.code) == ["T037"])
  }

  @Test func checkpointSummariesNameTheFile() throws {
    _ = try killed {}
    // The run is in its long wait by now: summaries read none of the files.
    unlink("\(playground.path)/lib/strap.ble")
    let state = StateDirectory(path: "\(playground.path)/state")
    let found = try #require(try RunStore.peek(RunID(RunIdentity(owner: .name("included"), inputs: [])), in: state, withRows: true))
    #expect(RunSummary(found, .utc).lines.contains { $0.title == "at" && $0.text.hasPrefix("line 6: wait 1h") })
  }
}
