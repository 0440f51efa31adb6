import Exchange
import Vocabulary

/// Parsing what is typed at a prompt.
extension Parser {
  /// Whether a value that is a statement of its own begins here, as a prompt allows. A variable
  /// with the name of a statement needs parentheses.
  var beginsValue: Bool {
    guard isEntry else { return false }
    switch kind {
    case .number, .duration, .text, .uuid, .address: return true
    case .symbol(let symbol): return [.openRound, .openSquare, .openCurly, .minus].contains(symbol)
    case .word(let word):
      if ["true", "false", "nothing", "it", "hex", "not"].contains(word) { return true }
      guard Words.isName(word), !Words.all.contains(word) else { return false }
      switch following.kind {
      case .newline, .endOfFile: return true
      case .symbol(let symbol): return ![.equal, .plusEqual, .minusEqual].contains(symbol)
      case .word(let next): return Words.continuing.contains(next) || next == "if" || next == "otherwise"
      default: return false
      }
    default: return false
    }
  }

  /// Whether more lines must follow: a block, a bracket or a line is open, and there is no error
  /// before the end.
  var isOpen: Bool {
    var depth = 0
    var last: Int?
    for (place, token) in tokens.enumerated() {
      switch token.kind {
      case .newline, .endOfFile: continue
      case .symbol(.openRound), .symbol(.openSquare), .symbol(.openCurly): depth += 1
      case .symbol(.closeRound), .symbol(.closeSquare), .symbol(.closeCurly): depth -= 1
      default: break
      }
      last = place
    }
    guard let last else { return false }
    let isLineOpen = depth > 0 || continuesLine(last) || isOpenText(last)
    guard endsInBlock || isLineOpen else { return false }
    // An error at the end may disappear with more text in the line.
    let end = tokens[last].range.end
    return !findings.all.contains { finding in
      finding.severity == .error && finding.code != "T016" && (!isLineOpen || finding.range.end < end) && !isOpening(finding.range)
    }
  }

  /// Whether an error is at an opening bracket or text, which is where unclosed ones are reported.
  private func isOpening(_ range: SourceRange) -> Bool {
    ["(", "[", "{", "\"\"\""].contains(source.text(range))
  }

  /// Whether the token is an unclosed text of several lines.
  private func isOpenText(_ token: Int) -> Bool {
    tokens[token].kind == .bad && source.text(tokens[token].range).hasPrefix("\"\"\"")
  }
}

extension RecipeFile {
  /// What may follow a text at a prompt.
  package static func expectation(after text: String) -> Expectation {
    let source = SourceText(name: "", bytes: Array(text.utf8))
    var parser = Parser(source: source, file: 0)
    parser.isEntry = true
    _ = parser.recipe(name: "")
    guard parser.tokens.indices.contains(parser.expectedAt) else { return Expectation() }
    switch parser.tokens[parser.expectedAt].kind {
    case .newline, .endOfFile: return Expectation(words: parser.expected, parts: parser.expectedParts)
    default: return Expectation()
    }
  }

  /// Whether an entry needs more lines.
  package static func isOpen(entry: String) -> Bool {
    let source = SourceText(name: "", bytes: Array(entry.utf8))
    var parser = Parser(source: source, file: 0)
    parser.isEntry = true
    _ = parser.recipe(name: "")
    return parser.isOpen
  }
}

/// What the parser would accept at a place.
package struct Expectation: Sendable {
  package struct Parts: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let value = Parts(rawValue: 1)
    package static let device = Parts(rawValue: 2)
    package static let attribute = Parts(rawValue: 4)
    /// The event of a handler, and one that a statement waits for.
    package static let handledEvent = Parts(rawValue: 8)
    package static let awaitedEvent = Parts(rawValue: 16)
    /// A name that can be set.
    package static let variable = Parts(rawValue: 32)
  }

  package var words: [String] = []
  package var parts: Parts = []

  /// The events that `on` and `wait for` can name at a prompt, which does not serve or read lines.
  package static let handledEvents = Parser.events.filter {
    !["write", "read", "subscribe", "unsubscribe", "line"].contains($0)
  }
  package static let awaitedEvents = handledEvents.filter { !["restore", "failure", "stop"].contains($0) }
}
