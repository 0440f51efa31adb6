import Runner
import Vocabulary

/// The words of `tooth do`, which are the language; a bare `then` ends a line. A word with white
/// space and no quote, and the word after `hex`, is a string, because the shell has removed its
/// quotes.
package enum SpokenRecipe {
  /// The lines, each as its words.
  private static func lines(of words: [String]) -> [[String]] {
    var lines: [[String]] = []
    var line: [String] = []
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "then" {
        lines.append(line)
        line = []
      } else if line.isEmpty, let several = split(word) {
        // No statement starts with a string, so several words were quoted together.
        rest = (several + rest)[...]
      } else if line.last == "hex", !isQuoted(word) {
        line.append(RecipeLiteral.text(word))
      } else {
        line.append(word.utf8.contains { $0 == 0x20 || $0 == 0x09 } && !isQuoted(word) ? RecipeLiteral.text(word) : word)
      }
    }
    return lines + [line]
  }

  /// Every word that may be an alias.
  package static func words(of words: [String]) -> [String] { lines(of: words).flatMap { $0 } }

  /// Splits a word into several, if it contains them; quoted strings stay whole.
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

  /// Returns the recipe. It prints the value of its last statement unless that has a name. It first
  /// declares aliases used as devices. For an alias of a name it looks for the device; where a
  /// device is looked for, the alias means the name.
  package static func text(of words: [String], aliases: [(name: String, device: String)]) -> String {
    var lines = lines(of: words)
    var text = ""
    for alias in aliases {
      let isAddress = AddressValue(alias.device) != nil
      var isSought = false
      var isNamed = false
      for index in lines.indices {
        for place in lines[index].indices.dropFirst() where lines[index][place] == alias.name {
          let before = lines[index][place - 1]
          if lines[index][0] == "scan", ["for", "strongest", "all", "or"].contains(before) {
            isSought = true
            if !isAddress { lines[index][place] = RecipeLiteral.text(alias.device) }
          } else if isDevicePlace(before, in: lines[index][0]) {
            isNamed = true
          }
        }
      }
      if isAddress, isSought || isNamed {
        text += "let \(alias.name) = \(OneShotDevice.literal(alias.device))\n"
      } else if isNamed {
        text += OneShotDevice.finding(alias.device, as: alias.name) + "\n"
      }
    }
    return LastValue.printed(text + lines.map { $0.joined(separator: " ") }.joined(separator: "\n") + "\n")
  }

  /// Whether a device follows a word of a statement.
  private static func isDevicePlace(_ word: String, in statement: String) -> Bool {
    switch word {
    case "to": ["connect", "reconnect"].contains(statement)
    case "from": statement == "disconnect"
    case "of", "with": true
    case "forget": statement == "forget"
    default: word.hasSuffix(",") && ["connect", "reconnect"].contains(statement)
    }
  }
}
