import Linux
import Recipe
import Session
import Terminal
import Vocabulary
import World

/// `tooth test`: runs the tests of recipes, each in its own simulation.
struct TestCommand {
  private let arguments: Arguments
  private let console: Console
  private let options: TestOptions

  static func run(_ line: [String], _ command: Command) throws(UsageError) -> Int32 {
    // `--kill` may be given without a value.
    let arguments = try Arguments(line, of: command, inputs: [])
    var options = TestOptions(seed: try arguments.number("seed") ?? 1)
    if let how = arguments.value("kill") { options.kills = try kills(how) }
    for name in ["chaos", "jobs"] where try arguments.number(name) == 0 {
      throw UsageError("--\(name) is a number of at least 1")
    }
    options.chaos = Int(clamping: try arguments.number("chaos") ?? 0)
    for what in arguments.all("allow").flatMap({ $0.split(separator: ",") }) {
      guard what == "run" || what == "none" else { throw UsageError("--allow of `tooth test` takes run or none, not \(what)") }
      options.startsPrograms = what == "run"
    }
    let test = TestCommand(arguments: arguments, console: Console(style: arguments.style()), options: options)
    return try test.run()
  }

  private static func kills(_ how: String) throws(UsageError) -> TestOptions.Kills {
    switch how {
    case "kept": return .kept(sample: nil)
    case "direct": return .direct(sample: nil)
    default:
      for (word, isDirect) in [("sample:", false), ("direct:", true)] where how.hasPrefix(word) {
        guard let count = Int(how.dropFirst(word.utf8.count)), count > 0 else { break }
        return isDirect ? .direct(sample: count) : .kept(sample: count)
      }
      throw UsageError("--kill takes kept, direct, sample:N, direct:N, or without a value, not \(how)")
    }
  }

  private func run() throws(UsageError) -> Int32 {
    var files: [TestFile] = []
    var worst: Int32 = 0
    for path in try paths() {
      do throws(TestRefusal) {
        files.append(try TestFile(path: path))
      } catch {
        switch error {
        case .unreadable(let failure):
          console.complain(failure.message, hint: failure.hint)
          worst = max(worst, 2)
        case .recipe(let refusal):
          console.findings(refusal.findings, in: refusal.sources)
          worst = 3
        }
      }
    }
    guard worst == 0 else { return worst }
    let glob = arguments.value("name").map { Glob($0) }
    let chosen = files.flatMap { file in
      file.tests.filter { test in glob?.matches(Array(test.name.utf8)) ?? true }.map { (file, $0) }
    }
    guard !chosen.isEmpty else {
      if let name = arguments.value("name"), files.contains(where: { !$0.tests.isEmpty }) {
        throw UsageError(
          "no test has the name \(name)", hint: "* and ? match other characters: --name \(ShellText.word("*\(name)*"))")
      }
      throw UsageError("there are no tests here", hint: "a test is a block of a recipe: test \"what is true\" … end")
    }
    let jobs = try arguments.number("jobs") ?? 1
    var report = TestReport(console: console, arguments: arguments, count: chosen.count)
    report.begin()
    do throws(SystemFailure) {
      try runAll(chosen, jobs: min(chosen.count, max(1, Int(clamping: jobs))), &report)
      try report.end()
    } catch {
      console.complain("\(error)")
      return 2
    }
    return report.failed > 0 ? 4 : 0
  }

  /// Distributes the tests among workers; results are collected in the order of the tests.
  private func runAll(_ chosen: [(TestFile, TestCase)], jobs: Int, _ report: inout TestReport) throws(SystemFailure) {
    guard jobs > 1 else {
      for (file, test) in chosen { report.take(report.result(of: try TestSweep(test, of: file, options).run())) }
      return
    }
    var workers: [Worker] = []
    for number in 0..<jobs {
      let own = report
      workers.append(
        try Worker { say in
          var report = own
          for place in stride(from: number, to: chosen.count, by: jobs) {
            guard let verdict = try? TestSweep(chosen[place].1, of: chosen[place].0, options).run() else { return }
            say(report.result(of: verdict).encoded)
          }
        })
    }
    for place in chosen.indices {
      guard let message = workers[place % jobs].next(), let result = try? TestResult(encoded: message) else {
        throw SystemFailure("running \(chosen[place].1.name) in a process of its own", code: SystemFailure.noChild)
      }
      report.take(result)
    }
  }

  /// The named files, and the test files in named folders.
  private func paths() throws(UsageError) -> [String] {
    let words = arguments.words.isEmpty ? ["."] : arguments.words
    var paths: [String] = []
    for word in words {
      let name = word.count > 1 && word.hasSuffix("/") ? String(word.dropLast()) : word
      if Files.isFolder(name, followsLinks: true) {
        // Files found in folders are filtered, but a named file that cannot be read is reported.
        paths += TestFile.below(name).filter { TestFile.mayHaveTests($0) }
      } else {
        paths.append(word)
      }
    }
    // Run a file once, even if it is named twice or in a named folder.
    var seen: Set<String> = []
    return paths.filter { seen.insert(realPath($0) ?? $0).inserted }
  }
}
