import Glibc
import Journal
import Judgement
import Linux
import Recipe
import Runner
import Session
import Simulator
import Testing
import Vocabulary
import World

/// A temporary directory for one test, which is removed afterwards.
final class Playground {
  let path: String

  init() {
    // In memory, because tests make thousands of commits here.
    var template = Array((access("/dev/shm", W_OK) == 0 ? "/dev/shm/tooth-stage-XXXXXX" : "/tmp/tooth-stage-XXXXXX").utf8CString)
    path = mkdtemp(&template).map { String(cString: $0) } ?? "/nonexistent"
  }

  deinit { removeTree(path) }

  func content(_ name: String) -> String? {
    (try? readFile("\(path)/\(name)", limit: 1 << 24)).map { String(decoding: $0, as: UTF8.self) }
  }
}

/// Expects that every test in the text passes with these kills.
func passes(_ text: String, _ kills: TestOptions.Kills = .none, sourceLocation: SourceLocation = #_sourceLocation) throws {
  let playground = Playground()
  let path = "\(playground.path)/tests.ble"
  try saveFile(path, Array(text.utf8))
  let file = try TestFile(path: path)
  var options = TestOptions(seed: 1)
  options.kills = kills
  #expect(!file.tests.isEmpty, sourceLocation: sourceLocation)
  for test in file.tests {
    let verdict = try TestSweep(test, of: file, options).run()
    #expect(
      verdict.passed,
      "\(verdict.circumstance ?? "") \(String(describing: verdict.failure?.failure)) \(verdict.failure?.logs ?? [])",
      sourceLocation: sourceLocation)
  }
}

/// The project's folder.
let projectFolder = #filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/" + $1 }

/// One recipe on one air under the virtual clock, with its files, its output and its checkpoints.
final class Fixture {
  let playground = Playground()
  let world: SimulatedWorld
  let recipe: LoadedRecipe
  let inputs: RunInputs
  /// stdout and stderr of all processes so far.
  private var consoles: [(output: OutputPipe, errors: OutputPipe)] = []
  let format: Console.Style.Format

  init(
    recipe: String, devices: String, inputs: [(name: String, value: String)] = [], seed: UInt64 = 1,
    mtu: UInt16 = 517, adapter: ControllerModel? = nil, format: Console.Style.Format = .text
  ) throws {
    let devices = try Self.load(devices)
    self.recipe = try Self.load(recipe)
    self.format = format
    world = try SimulatedWorld(devices: devices, seed: seed, mtu: mtu, adapter: adapter)
    guard let tree = self.recipe.recipe else { throw RecipeRefusal(findings: self.recipe.findings, sources: [self.recipe.source]) }
    self.inputs = try InputReader(environment: { _ in nil }).read(inputs, of: tree, self.recipe.sources)
  }

  /// A file of the project, or the text itself if it has several lines.
  private static func load(_ text: String) throws -> LoadedRecipe {
    let loaded =
      text.contains("\n")
      ? RecipeLoader.parse(name: "test.ble", Array(text.utf8)) : try RecipeLoader.load(path: "\(projectFolder)/\(text)")
    #expect(!loaded.hasErrors, "\(loaded.findings.map(\.message))")
    return loaded
  }

  func plan() -> RunPlan {
    RunPlan(
      loaded: recipe, path: recipe.name, identity: RunIdentity(owner: .path(recipe.name), inputs: inputs.identity), inputs: inputs,
      options: RunOptions(directory: playground.path), state: StateDirectory(path: "\(playground.path)/state"))
  }

  func start(_ plan: RunPlan? = nil, hook: EffectHook? = nil) throws {
    let pipes = (output: OutputPipe.collecting(), errors: OutputPipe.collecting())
    consoles.append(pipes)
    let console = Console(style: Console.Style(format: format), output: pipes.output, errors: pipes.errors)
    try world.start(plan ?? self.plan(), console: console, hook: hook)
  }

  var output: String { consoles.map(\.output.collected).joined() }
  var errors: String { consoles.map(\.errors.collected).joined() }
  var lastErrors: String { consoles.last?.errors.collected ?? "" }
}

extension [TestOptions.Kills] {
  /// Without kills, and at this many of the effects with and without links; at all with FULL=1.
  static func swept(_ many: Int) -> Self {
    let sample = environment("FULL") == nil ? many : nil
    return [.none, .kept(sample: sample), .direct(sample: sample)]
  }
}
