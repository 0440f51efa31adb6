import Glibc
import Judgement
import Linux
import Synchronization
import Testing
import Vocabulary

/// The paths of the environment, and the two programs that are not ours.
enum Bumble {
  static let tshark = "/usr/bin/tshark"
  static let isTsharkThere = access(tshark, X_OK) == 0
  static let root = #filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/" + $1 }
  static let python = "\(root)/.build/interop/bin/python"
  /// Made by `make setup`.
  static let isThere = access(python, X_OK) == 0
  static let isCI = getenv("CI").map { String(cString: $0) } == "true"
  static let howToGetIt =
    "the environment of the interop tests is missing: `make setup` makes it (Python and Bumble, in .build/interop)"

  /// Beside the test bundle.
  static let tooth =
    (realPath("/proc/self/exe") ?? "").split(separator: "/").dropLast().reduce(into: "") { $0 += "/" + $1 } + "/tooth"

  static func recipe(_ name: String) -> String { "\(root)/Tests/Interop/recipes/\(name).ble" }

  private static let count = Mutex(0)

  /// `check` counts these lines.
  static func counted() {
    let number = count.withLock { count in
      count += 1
      return count
    }
    let line = Array("interop: test \(number)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
  }

  static let burst = 20_000
  /// More of everything.
  static let isFull = getenv("FULL").map { String(cString: $0) } == "1"
}

/// A temporary directory for one test, which is removed afterwards.
final class Folder {
  let path: String

  init() throws {
    var template = Array("/tmp/tooth-interop-XXXXXX".utf8CString)
    path = try #require(mkdtemp(&template).map { String(cString: $0) })
  }

  deinit { if let child = try? Child(["/bin/rm", "-rf", path]) { _ = child.end() } }
}

/// Bumble's peripheral on Bumble's controllers, and `tooth` over them.
struct BumblePeripheral {
  let folder: Folder
  let process: Child
  let adapter: String

  init(unix: Bool = false, mtu: Int = 517, _ options: String...) throws {
    folder = try Folder()
    let place = unix ? "\(folder.path)/h4" : "tcp"
    process = try Child(
      [Bumble.python, "\(Bumble.root)/Tests/Interop/peripheral.py", place, "--mtu", "\(mtu)", "--log", "\(folder.path)/air.log"]
        + options)
    guard let heard = process.line(beginning: "listening ") else {
      Issue.record("Bumble's peripheral does not come up: \(process.text)\(process.complaint)")
      throw CancellationError()
    }
    adapter = unix ? "unix:\(heard)" : "tcp:127.0.0.1:\(heard)"
  }

  /// Bumble's host as the peripheral of our air: our controllers under both.
  init(onOurs air: AirForBumble) throws {
    folder = try Folder()
    process = try Child([Bumble.python, "\(Bumble.root)/Tests/Interop/peripheral.py", "tcp-client:\(air.place)"])
    adapter = "tcp:\(air.place)"
    #expect(process.line(beginning: "listening ") != nil, "\(process.text)\(process.complaint)")
  }

  /// How many attributes it has.
  var tableSize: Int? { process.lines.first { $0.hasPrefix("attributes ") }.flatMap { Int($0.dropFirst(11)) } }
  /// Its attributes, one per line.
  var tree: [String] { process.lines.filter { $0.hasPrefix("tree ") } }

  func scan() throws -> Child {
    try Child([Bumble.tooth, "scan", "--adapter", adapter, "--time-limit", "2s", "--capture", Traces.new("scan")])
  }

  /// The traffic of the link, in the format of the air's log.
  var log: [String] { (textOfFile("\(folder.path)/air.log") ?? "").split(separator: "\n").map(String.init) }

  /// A run of a recipe of Tests/Interop/recipes. The same name resumes what was killed.
  func run(_ name: String, _ arguments: String...) throws -> Child {
    try Child(
      [Bumble.tooth, "run", Bumble.recipe(name), "--adapter", adapter, "--state", "\(folder.path)/state"]
        + (arguments.contains("--capture") ? [] : ["--capture", Traces.new(name)]) + arguments,
      in: folder.path)
  }

  /// Runs it to its end and returns its output lines.
  func lines(_ name: String, _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation) throws -> [String] {
    let child = try Child(
      [Bumble.tooth, "run", Bumble.recipe(name), "--adapter", adapter, "--state", "\(folder.path)/state"]
        + (arguments.contains("--capture") ? [] : ["--capture", Traces.new(name)]) + arguments,
      in: folder.path)
    child.companion = process
    let code = child.end(within: .seconds(100))
    #expect(code == 0, "\(child.text)\n\(child.complaint)\n\(process.complaint)", sourceLocation: sourceLocation)
    return child.lines
  }

  /// The output of Bumble's central while it performs this on the same link.
  func central(_ tasks: String..., sourceLocation: SourceLocation = #_sourceLocation) throws -> [String] {
    let child = try Child(
      [
        Bumble.python, "\(Bumble.root)/Tests/Interop/central.py", adapter.replacing("tcp:", with: "tcp-client:"), "--name",
        "Stranger",
      ] + tasks)
    child.companion = process
    let code = child.end(within: .seconds(100))
    #expect(
      code == 0 && child.lines.contains("done"), "\(child.text)\n\(child.complaint)\n\(process.complaint)",
      sourceLocation: sourceLocation)
    return child.lines
  }

  /// Waits until it has printed the text.
  func says(_ words: String) -> Bool { process.read(within: .seconds(20)) { $0.lines.contains(words) } }
}

/// Our air, with the shelf or another file, and Bumble's host as the central.
struct AirForBumble {
  let folder: Folder
  let air: Child
  let place: String

  init(_ name: String = "shelf", controller: String = "legacy") throws {
    folder = try Folder()
    air = try Child(
      [Bumble.tooth, "air", Bumble.recipe(name), "--listen", "tcp:127.0.0.1:0", "--seed", "7", "--controller", controller])
    let words = "hosts connect with --adapter tcp:"
    let air = air
    #expect(air.read { $0.complaint.contains(words) && $0.complaint.hasSuffix("\n") })
    place = air.complaint.split(separator: "tcp:").last.map { $0.filter { !$0.isWhitespace } } ?? ""
  }

  /// The output of the central while it performs these actions in order.
  func central(_ tasks: String..., sourceLocation: SourceLocation = #_sourceLocation) throws -> [String] {
    try central(tasks, trace: Traces.new("central"), sourceLocation: sourceLocation)
  }

  func central(_ tasks: [String], trace: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> [String] {
    let child = try Child(
      [Bumble.python, "\(Bumble.root)/Tests/Interop/central.py", "tcp-client:\(place)", "--trace", trace] + tasks)
    child.companion = air
    // On our air a request takes a connection event, and a small MTU many requests.
    let code = child.end(within: .seconds(Bumble.isFull ? 280 : 100))
    #expect(
      code == 0 && child.lines.contains("done"), "\(child.text)\n\(child.complaint)\n\(air.complaint)",
      sourceLocation: sourceLocation)
    return child.lines
  }
}
