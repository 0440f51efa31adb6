/// The words of the language, by where they are allowed.
package enum Words {
  /// Words that are parts of expressions and never names.
  package static let reserved: [String] = [
    "and", "contains", "else", "end", "every", "false", "for", "forever", "hex", "if", "in", "is", "it", "matches", "mod", "not",
    "nothing", "of", "or", "otherwise", "secret", "shell", "true", "until", "waiting", "while", "within",
  ]

  /// Words after which the line continues.
  package static let continuing: [String] = ["and", "or", "not", "is", "in", "contains", "matches", "mod"]

  package static let blocks: [String] = ["if", "repeat", "for", "try", "with"]

  package static let handlers: [String] = ["on", "every", "after", "whenever"]

  /// Words that are allowed only at the top level of a file.
  package static let topLevel: [String] = ["use", "include", "input", "remember", "procedure", "format", "peripheral", "test"]

  /// Words that close every open block if they are in column 1.
  package static let closing: [String] = ["procedure", "format", "peripheral", "test", "include", "input"]

  package static let actions: [String] = [
    "scan", "connect", "reconnect", "disconnect", "pair", "forget", "discover", "request", "read", "write", "subscribe",
    "unsubscribe", "wait", "print", "log", "warn", "debug", "append", "save", "progress", "run", "ask", "let", "set", "expect",
    "stop", "fail", "return", "leave", "skip", "restart", "checkpoint", "open", "send", "close", "serve", "advertise", "notify",
    "indicate", "update", "answer", "refuse", "simulate", "start", "kill", "resume", "make",
  ]

  /// Words inside phrases that are followed by a value.
  package static let phrases: [String] = [
    "to", "from", "with", "as", "by", "than", "code", "raw", "handle", "where", "at", "up", "per", "named", "made", "ending",
    "unit",
    "plus", "starts", "always", "times", "meaning", "again", "forever", "pieces", "next", "recipe", "channel", "psm", "keeping",
  ]

  package static let units: [String] = ["ms", "s", "min", "h", "d", "us"]

  package static let all = actions + blocks + handlers + topLevel

  /// Other words of phrases and the names of events.
  private static let others: [String] = [
    "each", "once", "appear", "appears", "without", "response", "when", "unsure", "everything", "anything", "all", "strongest",
    "stronger", "advertisement", "services", "restore", "failure", "adapter", "line", "passkey", "data", "subscribe",
  ]

  /// Whether the word has a meaning somewhere in a statement.
  static func isOfLanguage(_ word: String) -> Bool {
    all.contains(word) || reserved.contains(word) || phrases.contains(word) || others.contains(word)
  }

  package static func isReserved(_ word: String) -> Bool { reserved.contains(word) }

  /// Whether the word may be a NAME of the grammar.
  package static func isName(_ word: String) -> Bool {
    guard let first = word.utf8.first, first == 0x5F || (0x61...0x7A).contains(first) else { return false }
    return !isReserved(word)
  }
}
