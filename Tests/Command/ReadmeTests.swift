import Glibc
import Testing

/// What README.md promises is true: the targets it names exist, and the `tooth` commands in it run.
@Suite struct ReadmeTests {
  /// The lines of the fenced `sh` blocks, without comments.
  static func commands(in text: String) -> [String] {
    var commands: [String] = []
    var inside = false
    for line in text.split(separator: "\n") {
      if line.hasPrefix("```") {
        inside = line == "```sh"
      } else if inside {
        let command = line.prefix(upTo: line.firstRange(of: " #")?.lowerBound ?? line.endIndex)
        let trimmed = command.drop { $0 == " " || $0 == "$" }
        if !trimmed.isEmpty, !trimmed.hasPrefix("#") { commands.append(String(trimmed)) }
      }
    }
    return commands
  }

  /// The words between single backticks.
  static func quoted(in text: String) -> [String] {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }.map {
      String($0.element)
    }
  }

  static func targets() throws -> Set<String> {
    let makefile = try projectFile("Makefile")
    return Set(
      makefile.split(separator: "\n").compactMap { line in
        guard let first = line.first, first.isLetter, let colon = line.firstIndex(of: ":"), !line[colon...].hasPrefix(":=") else {
          return nil
        }
        return String(line[..<colon])
      })
  }

  @Test func theTwoCommandsAreNamed() throws {
    let commands = Self.commands(in: try projectFile("README.md"))
    #expect(commands.contains("make demo"))
    #expect(commands.contains("make test"))
  }

  @Test func everyMakeTargetExists() throws {
    let readme = try projectFile("README.md")
    let targets = try Self.targets()
    for command in Self.commands(in: readme) + Self.quoted(in: readme) where command.hasPrefix("make ") {
      for word in command.split(separator: " ").dropFirst() where !word.contains("=") {
        #expect(targets.contains(String(word)), "\(command)")
      }
    }
  }

  @Test func everyFileThatIsNamedExists() throws {
    for page in ["README.md", "ARCHITECTURE.md"] {
      for name in Self.quoted(in: try projectFile(page)) {
        let isFile = name.hasSuffix(".md") || name == "LICENSE" || ["Scripts/", "recipes/", "man/"].contains { name.hasPrefix($0) }
        if isFile, !name.contains("*") { #expect(access("\(Program.root)/\(name)", F_OK) == 0, "\(page) names \(name)") }
      }
    }
  }

  @Test func everyCommandRuns() throws {
    for command in Self.commands(in: try projectFile("README.md")) {
      var words = command.split(separator: " ").map(String.init)
      switch words.removeFirst() {
      case "make": continue
      case "tooth", ".build/release/tooth":
        let outcome = try Program.run(words)
        #expect(outcome.code == 0, "\(command)\n\(outcome.errors)")
      case let other: Issue.record("README.md has a command that no test runs: \(other)")
      }
    }
  }

  @Test func theProgramSaysItsVersion() throws {
    let outcome = try Program.run(["version"])
    #expect(outcome.code == 0)
    #expect(outcome.output.hasPrefix("tooth "))
    #expect(outcome.errors.isEmpty)
  }
}
