import Recipe
import Testing

/// Runs the examples of `man/tooth-recipe.5` and compares their output with the page.
///
/// A line `.\" example: HOW` precedes each: `run DEVICE LIMIT CODE` (against a device of
/// recipes/devices, or of an `air` example, under the virtual clock), `output` (of the example
/// before), `air NAME` (a file of peripherals), `check` (no findings), `text` (not run).
@Suite struct ManualTests {
  struct Example {
    var how: [String]
    /// Line number in the page.
    var line: Int
    var text: String
  }

  static func examples() throws -> [Example] {
    var examples: [Example] = []
    var how: [String]?
    var inside = false
    for (index, line) in try projectFile("man/tooth-recipe.5").split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      if line.hasPrefix(".\\\" example: ") {
        how = line.dropFirst(13).split(separator: " ").map(String.init)
      } else if line == ".EX" {
        examples.append(
          Example(how: try #require(how, "line \(index + 1): nothing says how this is run"), line: index + 1, text: ""))
        how = nil
        inside = true
      } else if line == ".EE" {
        inside = false
      } else if inside {
        examples[examples.count - 1].text += plain(String(line)) + "\n"
      }
    }
    return examples
  }

  /// A line of roff as a reader sees it.
  static func plain(_ line: String) -> String {
    var text = line
    for (mark, meaning) in [("\\&", ""), ("\\-", "-"), ("\\(aq", "'"), ("\\(ha", "^"), ("\\(ti", "~"), ("\\e", "\\")] {
      text = text.split(separator: mark, omittingEmptySubsequences: false).joined(separator: meaning)
    }
    return text
  }

  @Test func everyManualExampleWorksAsDescribed() throws {
    let folder = Folder()
    let examples = try Self.examples()
    for example in examples where example.how.first == "air" { folder.file("\(example.how[1]).ble", example.text) }
    var last: Tooth.Result?
    var count = 0
    for example in examples {
      let place = "man/tooth-recipe.5:\(example.line)"
      switch example.how.first {
      case "run":
        try #require(example.how.count == 4, "\(place): run DEVICE LIMIT CODE")
        let (device, limit, code) = (example.how[1], example.how[2], example.how[3])
        let own = folder.content("\(device).ble") != nil
        let air = own ? "\(folder.path)/\(device).ble" : "\(Tooth.package)/recipes/devices/\(device).ble"
        let recipe = folder.file("example.ble", example.text)
        let result = Tooth.run(
          "run", recipe, "--adapter", "sim:\(air)", "--clock", "virtual", "--time-limit", limit, "--seed", "1", "--fresh",
          "--state", "\(folder.path)/state", directory: folder.path)
        #expect("\(result.code)" == code, "\(place)\n\(result.errors)")
        last = result
        count += 1
      case "output": #expect(last?.output == example.text, "\(place)")
      case "air", "check":
        let result = Tooth.run("check", folder.file("example.ble", example.text))
        #expect(result.code == 0, "\(place)\n\(result.errors)")
      case "text": continue
      case "test":
        let result = Tooth.run("test", folder.file("example.ble", example.text), "--kill=sample:40", "--chaos", "5")
        #expect(result.code == 0, "\(place): \(result.output)\(result.errors)")
      default: Issue.record("\(place): examples are run, output, air, check or text")
      }
    }
    #expect(count >= 8)
  }

  @Test func everyBuiltInFormatIsNamed() throws {
    let text = try projectFile("man/tooth-recipe.5")
    for name in FormatCatalog.names {
      #expect(text.contains("\\fB\(name)\\fR"), "\(name)")
    }
  }
}
