import Vocabulary

/// The words of `tooth do`: they are the language, and a bare `then` ends a line. A word that holds
/// white space and no quote, and the word after `hex`, is a text, because the shell has taken its
/// quotes.
package enum SpokenRecipe {
  /// The recipe without a `print` of its last value.
  static func lines(of words: [String]) -> String {
    var lines: [String] = []
    var line: [String] = []
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "then" {
        lines.append(line.joined(separator: " "))
        line = []
      } else if line.isEmpty, let several = split(word) {
        // No statement begins with a text: several words were put in quotes together.
        rest = (several + rest)[...]
      } else if line.last == "hex", !isQuoted(word) {
        line.append(RecipeLiteral.text(word))
      } else {
        line.append(word.utf8.contains { $0 == 0x20 || $0 == 0x09 } && !isQuoted(word) ? RecipeLiteral.text(word) : word)
      }
    }
    lines.append(line.joined(separator: " "))
    return lines.joined(separator: "\n") + "\n"
  }

  /// The words of a word, when there are several; texts in quotes stay whole.
  private static func split(_ word: String) -> [String]? {
    var words: [String] = []
    var current: [UInt8] = []
    var quote: UInt8?
    for byte in word.utf8 {
      if quote == nil, byte == 0x20 {
        if !current.isEmpty { words.append(String(decoding: current, as: UTF8.self)) }
        current = []
        continue
      }
      if byte == quote {
        quote = nil
      } else if quote == nil, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      }
      current.append(byte)
    }
    if !current.isEmpty { words.append(String(decoding: current, as: UTF8.self)) }
    return words.count > 1 ? words : nil
  }

  private static func isQuoted(_ word: String) -> Bool {
    word.utf8.contains { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'") }
  }

  /// The recipe; the value of its last statement is printed unless it is named. Aliases that stand
  /// where a device does are declared first.
  package static func text(of words: [String], aliases: [(name: String, device: String)]) -> String {
    let places = ["to", "from", "of", "with", "for", "strongest", "all"]
    var text = ""
    for alias in aliases
    where zip(words, words.dropFirst()).contains(where: { places.contains($0) && $1 == alias.name }) {
      text += "let \(alias.name) = \(OneShotDevice.literal(alias.device))\n"
    }
    return LastValue.printed(text + lines(of: words))
  }
}
