import Linux
import Testing

/// The manual pages, README.md and the program agree.
@Suite struct DocumentTests {
  let folder = Folder()

  static let pages = ["README.md", "docs/tutorial.md", "man/tooth-recipe.5", "man/tooth.1"]

  static func text(_ page: String) throws -> String {
    let text = ManualTests.plain(try projectFile(page))
    return ["\\fB", "\\fR", "\\fI", "`"].reduce(text) { $0.split(separator: $1, omittingEmptySubsequences: false).joined() }
  }

  static func words(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }

  /// Every word that begins with this, up to the first other character.
  static func names(in text: String, beginning start: String, _ isOwn: (Character) -> Bool) -> Set<String> {
    Set(
      text.split(separator: start, omittingEmptySubsequences: false).dropFirst().map { start + $0.prefix(while: isOwn) }
        .filter { $0 != start })
  }

  /// The lines of a section of a manual page.
  static func section(_ name: String, of page: String) throws -> [Substring] {
    let lines = try projectFile(page).split(separator: "\n")
    let from = try #require(lines.firstIndex(of: ".SH \(name)"), "\(page) has no \(name)")
    return Array(lines[(from + 1)...].prefix { !$0.hasPrefix(".SH ") })
  }

  /// `time-limit` and the placeholder of its value.
  static func options() throws -> [String: String?] {
    var options: [String: String?] = [:]
    for line in try section("OPTIONS", of: "man/tooth.1") where line.hasPrefix("\\fB") {
      let usage = ManualTests.plain(String(line.dropFirst(3).dropLast(3)))
      let words = (usage.split(separator: ", ").last ?? "").split { $0 == " " || $0 == "[" }
      guard let name = words.first?.drop(while: { $0 == "-" }) else { continue }
      options.updateValue(words.count > 1 ? String(words[1]) : nil, forKey: String(name))
    }
    return options
  }

  static func variables() throws -> Set<String> {
    let all = try section("ENVIRONMENT", of: "man/tooth.1").prefix { $0 != ".PP" }.joined(separator: " ")
    return names(in: all, beginning: "TOOTH_") { $0.isUppercase || $0 == "_" }
  }

  @Test func everyDocumentedOptionExists() throws {
    let options = Set(try Self.options().keys)
    #expect(options.count > 30)
    // Options of other programs, and inputs of recipes.
    let others: Set = ["--INPUT", "--limit", "--dry-run", "--now", "--man", "--help"]
    for page in Self.pages {
      let named = Self.names(in: try Self.text(page), beginning: "--") { $0.isLetter || $0 == "-" }
      for name in named.subtracting(others) where name.dropFirst(2).first?.isLetter ?? false {
        #expect(options.contains(String(name.dropFirst(2))), "\(page) names \(name)")
      }
    }
    for command in ["run", "scan", "service", "keeper", "check"] {
      let named = Self.names(in: Tooth.run("help", command).output, beginning: "--") { $0.isLetter || $0 == "-" }
      for name in named.subtracting(others) {
        #expect(options.contains(String(name.dropFirst(2))), "help \(command) names \(name)")
      }
    }
  }

  @Test func everyDocumentedVariableExists() throws {
    let variables = try Self.variables()
    let others: Set = ["TOOTH_SECRET_NAME", "TOOTH_SECRET_PIN", "TOOTH_SECRET_", "TOOTH_KEEPER_DIRECTORY", "TOOTH_HISTORY"]
    for page in Self.pages {
      let named = Self.names(in: try Self.text(page), beginning: "TOOTH_") { $0.isUppercase || $0 == "_" }
      #expect(named.subtracting(others).isSubset(of: variables), "\(page): \(named.subtracting(others).subtracting(variables))")
    }
  }

  /// Each variable does what its option does. Durations and numbers are tested with invalid values.
  @Test(arguments: [
    ("ascii", ["read", "Ünknown", "battery_level", "--within", "1s"]), ("plain", ["scan"]), ("quiet", ["run", "-e", "log 1"]),
    ("verbose", ["run", "-e", "debug 1"]), ("csv-escape", ["run", "-e", "print \"=1+1\"", "--output", "csv"]),
    ("events", ["read", "Strap 7", "battery_level", "--output", "json"]), ("keep-going", ["repl"]),
    ("strict", ["run", "-e", "every 1s: fail \"x\"", "-e", "wait 5s"]),
    ("output=json", ["names", "battery_level"]), ("color=always", ["read", "Strap 7", "x"]),
    ("diagnostics=json", ["read", "Strap 7", "x"]), ("seed=3", ["scan"]), ("time-limit=3s", ["run", "-e", "wait 5s"]),
    ("allow=run", ["run", "-e", "run \"true\""]), ("allow=none", ["run", "-e", "append 1 to \"x\""]),
  ])
  func aVariableDoesWhatItsOptionDoes(_ option: String, _ words: [String]) throws {
    let parts = option.split(separator: "=").map(String.init)
    let variable = "TOOTH_" + parts[0].uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    #expect(try Self.variables().contains(variable))
    var world = ["--adapter", "sim:demo", "--clock", "virtual"]
    if parts[0] != "time-limit" { world += ["--time-limit", "1min"] }
    if parts[0] != "seed" { world += ["--seed", "7"] }
    let all = words + (words[0] == "names" ? [] : world)
    func result(_ more: [String], _ variables: [String: String]) -> Tooth.Result {
      Tooth.start(all + more, input: "fail \"x\"\nprint 2\n", environment: variables, directory: folder.path).wait()
    }
    let base = parts[0] == "time-limit" ? ["TOOTH_TIME_LIMIT": "1min"] : [:]
    let by = result(["--\(option)"], [:])
    #expect(result([], [variable: parts.count > 1 ? parts[1] : "1"]) == by)
    #expect(result([], base) != by, "the option does nothing: \(by)")
  }

  /// An invalid value in the environment is reported with the name of its variable.
  @Test func aWrongVariableIsNamed() throws {
    folder.file("r.ble", "print 1\n")
    var count = 0
    for (name, value) in try Self.options() {
      let variable = "TOOTH_" + String(name.map { $0 == "-" ? "_" : $0 }).uppercased()
      guard let value, ["DURATION", "N", "FORMAT", "KIND", "WHEN"].contains(value), try Self.variables().contains(variable) else {
        continue
      }
      let result = Tooth.run("run", "r.ble", environment: [variable: "soon"], directory: folder.path)
      #expect(result.code == 2 && result.errors.hasPrefix("error: \(variable) takes "), "\(variable): \(result)")
      #expect(!result.errors.contains("--\(name)"), "\(result)")
      count += 1
    }
    #expect(count >= 11)
    let allowed = Tooth.run("run", "r.ble", environment: ["TOOTH_ALLOW": "all"], directory: folder.path)
    for command in [["scan"], ["run", "r.ble"]] {
      let named = Tooth.start(command, environment: ["TOOTH_ADAPTER": "usb:0"], directory: folder.path).wait()
      #expect(named.code == 9 && named.errors.hasPrefix("error: TOOTH_ADAPTER: there is no adapter usb:0"), "\(named)")
    }
    let excluded = Tooth.run(
      "scan", "--direct", "--adapter", "unix:air", environment: ["TOOTH_KEEPER": "1"], directory: folder.path)
    #expect(excluded.errors.contains("--direct and TOOTH_KEEPER cannot be used together"), "\(excluded)")
    #expect(allowed.code == 2 && allowed.errors.contains("TOOTH_ALLOW takes "), "\(allowed)")
  }

  @Test func exitCodesAreTheSameEverywhere() throws {
    var page: [(String, String)] = []
    for line in try Self.section("EXIT STATUS", of: "man/tooth.1") {
      if line.hasPrefix(".B ") {
        page.append((ManualTests.plain(String(line.dropFirst(3))), ""))
      } else if !line.hasPrefix("."), !page.isEmpty {
        page[page.count - 1].1 = ManualTests.plain(String(line))
      }
    }
    #expect(page.count == 15)
    #expect(page.allSatisfy { $0.1.hasSuffix(".") })
    let reference = try Self.section("EXIT STATUS", of: "man/tooth-recipe.5").filter { $0.first?.isNumber ?? false }.map(
      String.init)
    #expect(reference == page.map(\.0))
  }

  @Test func theManualListsWhatThisVersionLacks() throws {
    let phrases = Set(try projectFile("Tests/Golden/not-yet.txt").split(separator: "\n").map(String.init))
    let section = try Self.section("NOT IN THIS VERSION", of: "man/tooth-recipe.5").drop { $0 != ".PP" }.dropFirst().prefix {
      $0 != ".PP"
    }
    let named = section.joined(separator: " ").split(separator: "\\fB").dropFirst(0).compactMap { part -> String? in
      part.firstRange(of: "\\fR").map { String(part[..<$0.lowerBound]) }
    }
    #expect(Set(named) == phrases)
  }

  @Test func theManualListsTheCodesOfFindings() throws {
    let page = Self.words(try Self.text("man/tooth-recipe.5"))
    let from = try #require(page.firstRange(of: "Errors are T"))
    let sentence = page[from.lowerBound...].prefix { $0 != "." }
    let parts = sentence.split(separator: ";")
    func numbers(_ text: Substring) -> Set<Int> {
      var found: Set<Int> = []
      var last: Int?
      var isRange = false
      for word in text.split(separator: " ") {
        let number = word.first == "T" ? Int(word.dropFirst().prefix { $0.isNumber }) : nil
        if let number {
          found.formUnion(isRange ? (last ?? number)...number : number...number)
          last = number
        }
        isRange = word == "to"
      }
      return found
    }
    let errors = numbers(parts[0])
    let warnings = numbers(try #require(parts.dropFirst().first))
    #expect(errors.count > 60 && errors.isDisjoint(with: warnings))
    for name in Files.names(in: "\(Tooth.package)/Tests/Golden/diagnostics") {
      let golden = try projectFile("Tests/Golden/diagnostics/\(name)")
      for (word, allowed) in [("error", errors), ("warning", warnings), ("note", warnings)] {
        let codes = Self.names(in: golden, beginning: "\(word)[T") { $0.isNumber }.compactMap { Int($0.dropFirst(word.count + 2)) }
        for code in codes where code < 300 { #expect(allowed.contains(code), "\(name): \(word)[T\(code)]") }
      }
    }
  }

  /// Sentences that were once wrong, each with its correction.
  @Test func documentsDoNotRepeatPastErrors() throws {
    for page in Self.pages {
      let text = Self.words(try Self.text(page))
      for wrong in ["first usable", "not those of the kernel", "Every option has a twin"] {
        #expect(!text.contains(wrong), "\(page): \(wrong)")
      }
    }
    #expect(!Tooth.run("help").output.contains("Every option"))
    let unnamed = "the default is one that has a keeper, else the first without links of other programs"
    #expect(Self.words(try Self.text("man/tooth.1")).contains(unnamed))
    #expect(Self.words(Tooth.run("help", "run").output).contains(unnamed))

    #expect(Self.words(try Self.text("man/tooth-recipe.5")).contains("Every statement up to the end of the line belongs to it."))
    let adapter = ["--adapter", "sim:demo"]
    #expect(Tooth.start(["run", "-e", "if false: print 1; print 2", "-e", "print 3"] + adapter).wait().output == "3\n")

    folder.file("warned.ble", "scan for heart_rate\nwait forever\nprint 1\n")
    #expect(Tooth.run("check", "\(folder.path)/warned.ble").errors.contains("warning[T240]"))
    #expect(Tooth.run("check", "\(folder.path)/warned.ble").code == 0)
    #expect(Tooth.run("check", "--strict", "\(folder.path)/warned.ble").code == 3)
  }

  /// Scripts/picture draws the picture of README.md from the output of Scripts/demo, so its lines
  /// are those of a real session.
  @Test func thePictureShowsTheDemo() throws {
    let picture = try projectFile("man/session.svg")
    #expect(try projectFile("README.md").contains("(man/session.svg)"))
    let shown = picture.split(separator: "\n").compactMap { line -> String? in
      guard line.hasPrefix("<text"), let start = line.firstIndex(of: ">"), let end = line.firstRange(of: "</text>") else {
        return nil
      }
      return String(line[line.index(after: start)..<end.lowerBound])
    }
    for words in [
      "$ tooth air ", "$ tooth run ", "log found Strap 7", "$ kill -9 ", "continues at line ", "61 bpm", "$ kill -INT ",
    ] {
      #expect(shown.contains { $0.contains(words) }, "no line has “\(words)”: \(shown)")
    }
    let recipe = try projectFile("recipes/heart-rate.ble").split(separator: "\n", omittingEmptySubsequences: false)
    let resumed = try #require(shown.first { $0.contains("continues at line ") })
    let place = resumed.split(separator: "continues at line ")[1].split(separator: ": ", maxSplits: 1)
    let line = try #require(Int(place[0]))
    #expect(place[1].hasPrefix(recipe[line - 1]), "the recipe has changed: run Scripts/picture again")
  }

  @Test func theBuiltInAirIsTheOneOfTheFile() throws {
    let shown = Tooth.run("scan", "--adapter", "sim:demo", "--clock", "virtual", "--time-limit", "5s", "--seed", "1")
    #expect(shown.code == 0 && shown.output.contains("\tStrap 7\t") && shown.output.contains("\tRoom 3\t"), "\(shown)")
    let file = Tooth.run(
      "scan", "--adapter", "sim:\(Tooth.package)/recipes/devices/demo.ble", "--clock", "virtual", "--time-limit", "5s", "--seed",
      "1")
    #expect(file.output == shown.output)
  }
}
