import Exchange
import Recipe
import Session
import Terminal

/// `tooth explain`: lists the codes of findings and failures, prints the page of a code, or
/// explains an exit code.
enum ExplainCommand {
  static func run(_ line: [String], _ command: Command) throws(UsageError) -> Int32 {
    let arguments = try Arguments(line, of: command, inputs: [])
    let console = Console(style: arguments.style())
    guard let word = arguments.words.first else {
      console.printFolded(Explanations.list())
      return 0
    }
    guard arguments.words.count == 1 else { throw UsageError("tooth explain takes one code", hint: HelpText.usage(command)) }
    if let meaning = meaning(ofExitCode: word) {
      console.printFolded(meaning)
      return 0
    }
    // A word that `try … otherwise if` knows, such as stale_bond.
    let kind = Failure.Kind.allCases.first { $0.word == word }
    guard let page = Explanations.page(kind.map(FailureText.code) ?? Explanations.code(of: word)) else {
      let near = nearest(to: word).map { " — did you mean \($0)?" } ?? ""
      throw UsageError("there is no code \(word)\(near)", hint: "tooth explain lists them")
    }
    console.print(fitted(Explanations.text(of: page), columns: console.columns))
    return 0
  }

  /// Wraps the paragraphs of a page for this terminal. Examples stay as they are.
  private static func fitted(_ page: String, columns: Int?) -> String {
    guard let columns else { return page }
    var lines: [String] = []
    for line in page.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      let isProse = !line.isEmpty && !line.hasPrefix(" ") && !line.hasPrefix("-")
      if isProse, let last = lines.last, !last.isEmpty, !last.hasPrefix(" ") {
        lines[lines.count - 1] += " \(line)"
      } else {
        lines.append(line)
      }
    }
    return lines.map { $0.hasPrefix(" ") ? $0 : HelpText.wrapped($0, width: min(columns, 100)) }.joined(separator: "\n")
  }

  private static func nearest(to word: String) -> String? {
    Spelling.nearest(to: word, among: Failure.Kind.allCases.map(\.word)) ?? Explanations.nearest(to: word)
  }

  /// The meaning of an exit code of at most three digits, unless it is the code of a page.
  private static func meaning(ofExitCode word: String) -> String? {
    guard word.utf8.count <= 3, word.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(word),
      Explanations.page("T\(word)") == nil
    else { return nil }
    let entry = OptionTable.exitCodes.first { entry in
      let ends = entry.code.split(separator: "-").compactMap { Int($0) }
      if ends.count == 2 { return ends[0] <= number && number <= ends[1] }
      return entry.code.split { $0 == "," || $0 == " " }.contains { Int($0) == number }
    }
    guard let entry else { return nil }
    let pages = Explanations.all().filter { page in
      let words = page.text.split(whereSeparator: { $0 == " " || $0 == "\n" || $0 == "." || $0 == "," })
      return words.indices.dropFirst(3).contains { place in
        Array(words[place - 3...place]) == ["exit", "code", "is", "\(number)"]
      }
    }
    var text = "exit code \(number): \(entry.meaning)\n"
    if !pages.isEmpty { text += "\nFailures that end with it, for tooth explain:\n\n" }
    for page in pages { text += "  \(page.code)  \(page.title)\n" }
    return text
  }
}
