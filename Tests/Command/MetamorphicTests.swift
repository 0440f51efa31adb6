import Linux
import Testing
import Vocabulary

/// A recipe rewritten without a change of meaning causes the same packets at the same times, the
/// same output, and the same files.
@Suite struct MetamorphicTests {
  /// Recipes of recipes/, each with a name that it declares.
  static let recipes = [
    ("heart-rate", "beats"), ("thermometer", "celsius"), ("valve", "mornings"), ("beacons", "came"), ("plant", "thirsty"),
    ("button", "last"), ("room-sensors", "percent"), ("lock", "report"), ("firmware", "sent"), ("uart", "heard"),
    ("glucose", "fetched"),
    ("scale", "kilograms"), ("light-bulb", "wanted"), ("battery-survey", "levels"), ("gateway", "row"),
    ("bonded-lock", "state"), ("panic-button", "number"),
  ]

  static let changes: [(what: String, change: @Sendable (String, String) -> String)] = [
    ("laid out by fmt", { text, _ in formatted(indentedOddly(text)) }), ("with another name", renamed),
    ("broken at commas", broken),
    ("in a try that does not fail", wrapped),
  ]

  struct RecipeResult: Equatable {
    var code: Int32
    var output: String
    var files: [String?]
    var packets: String?
  }

  static func observe(of text: String, _ name: String) -> RecipeResult {
    let folder = Folder()
    folder.file("r.ble", text)
    folder.file("image.bin", Array((0..<3000).map { UInt8(truncatingIfNeeded: $0 * 7) }))
    let inputs = ["firmware": ["--image", "image.bin"], "uart": ["--say", "hello"], "valve": ["--at", "00:01"]][name] ?? []
    let result = Tooth.start(
      ["run", "r.ble"] + inputs + [
        "--adapter", "sim:\(Tooth.package)/recipes/devices/\(name == "heart-rate" ? "heart-rate-strap" : name).ble", "--clock",
        "virtual", "--time-limit", "150s", "--seed",
        "1",
        "--state", "state", "--capture", "air.btsnoop", "-q",
      ], environment: ["HOME": folder.path], directory: folder.path
    ).wait()
    let files = [
      "beats.csv", "valve.log", "presses.csv", "thirsty.csv", "rooms.csv", "door.csv", "glucose.csv", "weights.csv",
      "batteries.csv",
      "readings.jsonl", "rooms.json",
    ]
    let packets = (try? readFile("\(folder.path)/air.btsnoop", limit: 64 << 20)).map { "\($0.count) octets, \(FNV1a.hash($0))" }
    #expect(!result.errors.contains("error["), "\(name): \(result.errors)")
    return RecipeResult(code: result.code, output: result.output, files: files.map { folder.content($0) }, packets: packets)
  }

  @Test(arguments: recipes) func rewritingARecipeChangesNoPacketOrFile(name: String, variable: String) throws {
    let text = String(decoding: try readFile("\(Tooth.package)/recipes/\(name).ble", limit: 1 << 20), as: UTF8.self)
    let plain = Self.observe(of: text, name)
    #expect(plain.packets != nil && (plain.code == 0 || plain.code == 8 || plain.code == 20), "\(name): \(plain)")
    for (what, change) in Self.changes {
      let changed = change(text, variable)
      #expect(changed != text, "\(name) is not changed by being \(what)")
      let done = Self.observe(of: changed, name)
      #expect(done == plain, "\(name), \(what):\n\(changed)")
    }
    // A real change is detected.
    if name == "thermometer" {
      #expect(
        Self.observe(
          of: text.split(separator: "\n").map { $0 == "disconnect" ? "wait 1s\n\($0)" : $0 }.joined(separator: "\n"), name) != plain
      )
    }
  }

  // MARK: Rewrites

  private static func indentedOddly(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : "      " + $0.drop { $0 == " " } }
      .joined(separator: "\n").replacing("\n      #!", with: "\n#!")
  }

  private static func formatted(_ text: String) -> String {
    let result = Tooth.run("fmt", "-", input: text)
    #expect(result.code == 0, "\(result.errors)")
    return result.output + "\n"
  }

  /// The ranges of texts, comments and code. `{…}` in a text is code.
  private static func walk(_ text: String, _ visit: (inout String, [Character], inout Int, _ isCode: Bool, _ isText: Bool) -> Void)
    -> String
  {
    var result = ""
    let all = Array(text)
    var place = 0
    var isText = false
    var braces = 0
    var isComment = false
    while place < all.count {
      let character = all[place]
      if character == "\n" { isComment = false }
      if !isComment, character == "\"" { isText.toggle() }
      if isText, character == "{" { braces += 1 }
      if isText, character == "}" { braces -= 1 }
      if !isText { braces = 0 }
      if !isText, character == "#" { isComment = true }
      let before = place
      visit(&result, all, &place, !isComment && (!isText || braces > 0), isText)
      if place == before {
        result.append(character)
        place += 1
      }
    }
    return result
  }

  private static func isOfName(_ character: Character?) -> Bool {
    character.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false
  }

  private static func renamed(_ text: String, _ name: String) -> String {
    walk(text) { result, all, place, isCode, isText in
      guard isCode, all[place...].starts(with: name), !isOfName(result.last), result.last != ".", result.last != "-",
        !isOfName(place + name.count < all.count ? all[place + name.count] : nil)
      else { return }
      // A key of a record with the same name, which stays.
      let behind = place + name.count < all.count ? all[place + name.count] : " "
      let before = result.last { $0 != " " }
      if !isText, behind == ":", before == "{" || before == "," { return }
      result += "other_\(name)"
      place += name.count
    }
  }

  /// After a plus sign, too.
  private static func broken(_ text: String, _ name: String) -> String {
    walk(text) { result, all, place, isCode, isText in
      guard isCode, !isText, place + 2 < all.count else { return }
      if all[place] == ",", all[place + 1] == " " {
        result += ",\n        "
        place += 2
      } else if all[place] == " ", all[place + 1] == "+", all[place + 2] == " " {
        result += " +\n        "
        place += 3
      }
    }
  }

  private static func wrapped(_ text: String, _ name: String) -> String {
    let verbs = ["scan", "connect", "read", "write", "disconnect", "print", "append", "wait"]
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { line -> String in
      guard let verb = line.split(separator: " ").first, verbs.contains(String(verb)), !line.hasSuffix(","),
        !line.contains(" otherwise ")
      else { return String(line) }
      let code = line.split(separator: "#", maxSplits: 1)[0]
      return "try: \(code)"
    }.joined(separator: "\n")
  }
}
