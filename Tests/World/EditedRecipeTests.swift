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

/// The six pairs of the language reference, as a user sees them: a run is killed, its recipe
/// edited, and the run started again.
///
/// Golden files: `before.ble`, `after.ble`, and `expected.txt`, whose first line says in words what
/// it must show and whose second when the run is killed. `TOOTH_WRITE_GOLDEN=1` rewrites the rest.
@Suite(.serialized) struct EditedRecipeTests {
  static let folder = projectFolder + "/Tests/Golden/edited"
  static let projectFolder = #filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/" + $1 }

  @Test(arguments: [
    "1-comments-and-neighbours", "2-a-constant-is-text", "3-a-new-variable-and-its-timer", "4-the-live-statement-is-gone",
    "5-a-header-around-it-changed", "6-the-second-of-two-equals",
  ])
  func anEditedRecipe(name: String) throws {
    let golden = try text(of: "\(Self.folder)/\(name)/expected.txt")
    let lines = golden.split(separator: "\n", omittingEmptySubsequences: false)
    let words = try #require(lines.dropFirst().first)
    let span = try #require(DurationText.parse(String(words.dropFirst("killed after ".count))))
    let shown = try tell(name, killedAfter: span)
    let actual = "\(lines[0])\n\(words)\n\(shown)"
    if getenv("TOOTH_WRITE_GOLDEN") != nil {
      try write(actual, to: "\(Self.folder)/\(name)/expected.txt")
    } else {
      #expect(actual == golden)
    }
  }

  /// The output of the second process in two hours, and how it ends.
  private func tell(_ name: String, killedAfter span: TimeSpan) throws -> String {
    var template = Array("/tmp/tooth-edited.XXXXXX".utf8CString)
    let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
    defer { removeFolder(folder) }
    let devices = RecipeLoader.parse(
      name: "strap.ble", Array(try text(of: Self.projectFolder + "/recipes/devices/heart-rate-strap.ble").utf8))
    let world = try SimulatedWorld(devices: devices, seed: 1)
    try world.start(try plan("before", name, folder), console: try console("\(folder)/first"))
    _ = world.run(for: span)
    world.drop()
    world.wait(.seconds(2))
    let second = try console("\(folder)/second")
    var end = "exit 0"
    do throws(StartRefusal) {
      try world.start(try plan("after", name, folder), console: second)
      _ = world.run(for: .hours(2))
      end = "still running"
      world.drop()
    } catch {
      end = "exit \(error.exitCode)"
      if case .changed(let refusal) = error { second.findings(refusal.findings, in: refusal.sources) }
    }
    return try text(of: "\(folder)/second") + end + "\n"
  }

  private func plan(_ which: String, _ name: String, _ folder: String) throws(StartRefusal) -> RunPlan {
    let bytes = Array(((try? text(of: "\(Self.folder)/\(name)/\(which).ble")) ?? "").utf8)
    return RunPlan(
      loaded: RecipeLoader.parse(name: "lock.ble", bytes), path: "lock.ble",
      identity: RunIdentity(owner: .path("lock.ble"), inputs: []),
      inputs: RunInputs(), options: RunOptions(directory: folder), state: StateDirectory(path: "\(folder)/state"))
  }

  private func console(_ path: String) throws -> Console {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0o644)
    try #require(descriptor >= 0)
    return Console(style: Console.Style(), output: OutputPipe(descriptor: descriptor), errors: OutputPipe(descriptor: descriptor))
  }

  private func text(of path: String) throws -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    try #require(descriptor >= 0, "\(path)")
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &piece, piece.count)
      if count <= 0 { break }
      bytes += piece[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func write(_ text: String, to path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    var bytes = Array(text.utf8)
    try #require(Glibc.write(descriptor, &bytes, bytes.count) == bytes.count)
  }

  private func removeFolder(_ path: String) {
    guard let folder = opendir(path) else { return }
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name == "." || name == ".." { continue }
      if remove("\(path)/\(name)") != 0 { removeFolder("\(path)/\(name)") }
    }
    closedir(folder)
    remove(path)
  }
}
