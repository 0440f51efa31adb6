import Glibc
import Linux
import Testing

/// README.md is true: the targets it names exist, and its `tooth` commands run.
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
        guard !trimmed.isEmpty, !trimmed.hasPrefix("#") else { continue }
        commands.append(trimmed.split(separator: " ").joined(separator: " "))
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

  @Test func everyNamedFileExists() throws {
    for page in Self.pages + ["ARCHITECTURE.md"] {
      for name in Self.quoted(in: try projectFile(page)) {
        let isFile =
          name.hasSuffix(".md") || name == "LICENSE"
          || ["Scripts/", "recipes/", "man/", "docs/", "Sources/", "Tests/", "Benchmarks/"].contains { name.hasPrefix($0) }
        if isFile, !name.contains("*") { #expect(access("\(Program.root)/\(name)", F_OK) == 0, "\(page) names \(name)") }
      }
    }
  }

  /// A fenced block: the language after its backticks, and its lines.
  struct Block {
    var info: [String]
    var lines: [String] = []
  }

  static func blocks(in text: String) -> [Block] {
    var blocks: [Block] = []
    var inside = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        inside.toggle()
        if inside { blocks.append(Block(info: line.dropFirst(3).split(separator: " ").map(String.init))) }
      } else if inside {
        blocks[blocks.count - 1].lines.append(String(line))
      }
    }
    return blocks
  }

  /// The lines of an `sh` block as a script. Each command must exit with 0 or with the code in its
  /// comment; a command that ends in `&` keeps running.
  static func script(_ block: Block, in folder: String) -> String {
    let program = parent(of: Tooth.path)
    var script = "cd '\(folder)'\nPATH=\(program):$PATH\ntrap 'kill $(jobs -p) 2>/dev/null' EXIT\n"
    for line in block.lines where !line.hasPrefix("make ") && !line.isEmpty {
      let parts = line.split(separator: "#", maxSplits: 1).map { String($0) }
      if parts[0].hasSuffix("&") {
        script += "\(line)\nfor i in $(seq 200); do [ -S air.sock ] && break; sleep 0.05; done\n"
        continue
      }
      var code = "0"
      if parts.count > 1, let named = parts[1].firstRange(of: "exit code ") { code = String(parts[1][named.upperBound...]) }
      script += "\(parts[0])\ncode=$?; [ $code = \(code) ] || { echo \"ended with $code: \"'\(parts[0])'; exit 99; }\n"
    }
    return script
  }

  /// Runs each job of a crontab twice, as cron does: with `sh` in the home directory, the variables
  /// of the crontab, no other environment, no terminal and no input.
  static func runCrontab(_ lines: [String], home: String) throws {
    let settings = lines.filter { $0.prefix { $0 != " " }.contains("=") }
    let jobs = lines.filter { !settings.contains($0) && !$0.isEmpty }
    let fixed = [
      "HOME=\(home)", "LOGNAME=\(home.split(separator: "/").last ?? "me")", "SHELL=/bin/sh",
      "PATH=\(parent(of: Tooth.path)):/usr/bin:/bin",
    ]
    #expect(!jobs.isEmpty)
    for job in jobs {
      let fields = job.split(separator: " ", maxSplits: 5).map(String.init)
      try #require(fields.count == 6, "not five fields and a command: \(job)")
      for (field, range) in zip(fields, [0...59, 0...23, 1...31, 1...12, 0...7]) {
        #expect(isCronField(field, range), "\(field) in \(job)")
      }
      for _ in 1...2 {
        let outcome = try Program.run(
          ["-i", "-C", home] + fixed + settings + ["setsid", "--wait", "/bin/sh", "-c", fields[5]], program: "/usr/bin/env")
        #expect(outcome.code == 0, "\(job)\n\(outcome.errors)")
        #expect(outcome.output + outcome.errors == "", "cron mails what a job prints")
      }
    }
  }

  /// `*`, a number, a range or a list of them, perhaps with a step.
  private static func isCronField(_ field: String, _ range: ClosedRange<Int>) -> Bool {
    field.split(separator: ",", omittingEmptySubsequences: false).allSatisfy { part in
      let halves = part.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
      let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
      let isStep = halves.count == 1 || (Int(halves[1]) ?? 0) > 0
      return isStep && (halves[0] == "*" || (1...2).contains(ends.count) && ends.allSatisfy { $0.map(range.contains) ?? false })
    }
  }

  /// Numbers vary between runs.
  static func shape(_ line: String) -> String {
    var shape = ""
    for character in line {
      let shown: Character = character.isNumber ? "0" : character
      if shown != "0" || shape.last != "0" { shape.append(shown) }
    }
    return shape
  }

  /// The pages whose commands run.
  static let pages = ["README.md", "docs/tutorial.md", "docs/coming-from.md"]

  @Test(arguments: pages) func everyDocumentedCommandPrintsWhatIsShown(page: String) throws {
    let folder = Folder()
    symlink("\(Program.root)/recipes", "\(folder.path)/recipes")
    var said: [String] = []
    var count = 0
    var crontabs = 0
    for block in Self.blocks(in: try projectFile(page)) {
      switch block.info.first {
      case "sh":
        let outcome = try Program.run(
          ["-c", Self.script(block, in: folder.path)], program: "/bin/bash", environment: ["TOOTH_STATE=\(folder.path)/state"])
        #expect(outcome.code == 0, "\(block.lines.joined(separator: "\n"))\n\(outcome.output)\(outcome.errors)")
        said = (outcome.output + outcome.errors).split(separator: "\n").map { Self.shape(String($0)) }
        count += block.lines.count
      case "output":
        // `…` at the end allows more text; otherwise a line appears as often as it is listed.
        let isWhole = block.lines.last != "…"
        for line in block.lines where line != "…" {
          let shape = Self.shape(line)
          let shown = block.lines.count { Self.shape($0) == shape }
          let count = said.count { $0 == shape }
          #expect(isWhole ? count == shown : count >= shown, "said \(count) times: \(line)\n\(said.joined(separator: "\n"))")
        }
      case "ble": folder.file(try #require(block.info.last), block.lines.joined(separator: "\n") + "\n")
      case "cron":
        try Self.runCrontab(block.lines, home: folder.path)
        crontabs += 1
      case "text": continue
      default: Issue.record("\(page) has a block that is neither sh, output, ble, cron nor text: \(block.info)")
      }
    }
    #expect(count >= 10)
    if page == "README.md" {
      #expect(crontabs == 1)
      let rows = String(decoding: try readFile("\(folder.path)/room.csv", limit: 1 << 16), as: UTF8.self).split(separator: "\n")
      #expect(rows.count == 3 && rows[0] == "time,celsius", "\(rows)")
    }
  }

  @Test func theProgramPrintsItsVersion() throws {
    let outcome = try Program.run(["version"])
    #expect(outcome.code == 0)
    #expect(outcome.output.hasPrefix("tooth "))
    #expect(outcome.errors.isEmpty)
  }
}
