import Recipe

/// A page of `tooth explain`: what a code means and why it is an error, with examples.
package struct Explanation: Sendable {
  /// `T231`.
  package var code: String
  /// The meaning in one line.
  package var title: String
  /// Paragraphs, separated by empty lines.
  package var text: String
  package var wrong = Example()
  package var right = Example()
  /// Files that the examples include.
  package var files: [Example] = []
  /// The simulated peripherals while the examples run; only for failures of a run.
  package var air: Example?

  package struct Example: Sendable {
    package var name = ""
    package var bytes: [UInt8] = []
    /// How many times the text is repeated to make the example.
    package var repeats = 1

    /// The displayed text, without bytes that are not text.
    package var shown: String { String(decoding: bytes, as: UTF8.self) }
    package var recipe: [UInt8] { repeats == 1 ? bytes : Array(repeatElement(bytes, count: repeats).joined()) }
  }
}

/// All pages. They are parsed when one is requested.
package enum Explanations {
  package static func page(_ code: String) -> Explanation? { all().first { $0.code == code } }

  /// All pages, ordered by code.
  package static func all() -> [Explanation] {
    [ReadingPages.text, CheckingPages.text, RunningPages.text].flatMap { pages($0.description) }
  }

  /// The code of a word: `t231` and `231` mean T231.
  package static func code(of word: String) -> String {
    let digits = word.hasPrefix("T") || word.hasPrefix("t") ? word.dropFirst() : word[...]
    return digits.utf8.count == 3 && digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? "T\(digits)" : word
  }

  /// The code that was probably meant.
  package static func nearest(to word: String) -> String? {
    let codes = all().map(\.code)
    let code = code(of: word)
    // The last digit is the most likely to be wrong.
    return codes.first { $0.dropLast() == code.dropLast() } ?? Spelling.nearest(to: code, among: codes)
  }

  private static func pages(_ text: String) -> [Explanation] {
    var pages: [Explanation] = []
    var section: [Substring] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("=== "), !section.isEmpty {
        pages.append(page(section))
        section = []
      }
      section.append(line)
    }
    pages.append(page(section))
    return pages
  }

  private static func page(_ lines: [Substring]) -> Explanation {
    let header = (lines.first ?? "").dropFirst(4)
    var page = Explanation(code: String(header.prefix(4)), title: String(header.dropFirst(5)), text: "")
    var part = ""
    var content: [Substring] = []
    for line in lines.dropFirst() + ["--- "] {
      guard line.hasPrefix("--- ") else {
        content.append(line)
        continue
      }
      finish(part, content, &page)
      part = String(line.dropFirst(4))
      content = []
    }
    return page
  }

  private static func finish(_ part: String, _ lines: [Substring], _ page: inout Explanation) {
    var lines = lines
    while lines.last == "" { lines.removeLast() }
    let words = part.split(separator: " ").map(String.init)
    guard let kind = words.first else {
      page.text = lines.joined(separator: "\n")
      return
    }
    var example = Explanation.Example(bytes: bytes(of: lines.joined(separator: "\n") + "\n"))
    if words.count == 3, words[1] == "repeated", let number = Int(words[2]) { example.repeats = number }
    switch kind {
    case "wrong": page.wrong = example
    case "right": page.right = example
    case "air": page.air = example
    default:
      example.name = words.count > 1 ? words[1] : ""
      page.files.append(example)
    }
  }

  /// The bytes of a text, in which `\xNN` stands for a byte.
  private static func bytes(of text: String) -> [UInt8] {
    let source = Array(text.utf8)
    var result: [UInt8] = []
    var place = 0
    while place < source.count {
      if source[place] == UInt8(ascii: "\\"), place + 3 < source.count, source[place + 1] == UInt8(ascii: "x"),
        let byte = UInt8(String(decoding: source[place + 2..<place + 4], as: UTF8.self), radix: 16)
      {
        result.append(byte)
        place += 4
      } else {
        result.append(source[place])
        place += 1
      }
    }
    return result
  }

  // MARK: - display

  /// The page as text, with lines of at most about 110 columns.
  package static func text(of page: Explanation) -> String {
    var text = "\(page.code): \(page.title)\n\n\(page.text)\n"
    for file in page.files { text += "\nWith \(file.name):\n\n\(indented(file))" }
    text += "\nWrong:\n\n\(indented(page.wrong))"
    if page.wrong.repeats > 1 { text += "    … \(page.wrong.repeats) times\n" }
    text += "\nRight:\n\n\(indented(page.right))"
    return text
  }

  private static func indented(_ example: Explanation.Example) -> String {
    example.shown.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      .map { $0.isEmpty ? "\n" : "    \($0)\n" }.joined()
  }

  /// All codes with their titles.
  package static func list() -> String { all().map { "\($0.code)  \($0.title)\n" }.joined() }
}
