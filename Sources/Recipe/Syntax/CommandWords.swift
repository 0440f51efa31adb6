import Vocabulary

/// Splits a command into words as `run` does: at white space, except in single quotes, and before
/// the values of expressions are inserted.
package enum CommandWords {
  /// Returns the words; `nil` if a quote is not closed.
  ///
  /// - Parameter hidesQuoted: whether to replace each character between quotes with U+FFFC.
  package static func split(_ parts: [StringSyntax.Part], hidesQuoted: Bool = false) -> [[StringSyntax.Part]]? {
    var words: [[StringSyntax.Part]] = []
    var word: [StringSyntax.Part] = []
    var text = ""
    var isInside = false
    var isQuoted = false
    func endText() { if !text.isEmpty { word.append(.text(text)) } }
    func endWord() {
      endText()
      if isInside { words.append(word.isEmpty ? [.text("")] : word) }
      (word, text, isInside) = ([], "", false)
    }
    for part in parts {
      switch part {
      case .text(let piece):
        for character in piece.unicodeScalars {
          if character == "'" {
            isQuoted.toggle()
            isInside = true
          } else if !isQuoted, [" ", "\t", "\n", "\r"].contains(character) {
            endWord()
          } else {
            text.unicodeScalars.append(isQuoted && hidesQuoted ? "\u{FFFC}" : character)
            isInside = true
          }
        }
      case .expression:
        endText()
        text = ""
        word.append(part)
        isInside = true
      }
    }
    endWord()
    return isQuoted ? nil : words
  }

  package static func split(_ text: String) -> [String]? {
    split([.text(text)])?.map { word in
      word.map { part in if case .text(let piece) = part { piece } else { "" } }.joined()
    }
  }

  /// Returns a part of an unquoted word that has a special meaning in a shell, or the whole word;
  /// `nil` if there is none. A single `&` inside a word is permitted because URLs contain it.
  /// - Parameter endsWord: whether no value follows in the same word.
  package static func shellSign(in word: String, endsWord: Bool) -> String? {
    if word.hasPrefix(">") || word.hasPrefix("<") || word.hasPrefix("2>") { return word }
    if endsWord, word.hasSuffix("&"), !word.hasSuffix("&&") { return "&" }
    for sign in ["&&", "||", "|", ";", "`", ">", "<"] where word.holds(sign) { return sign }
    for piece in word.split(separator: "$", omittingEmptySubsequences: false).dropFirst() {
      guard let first = piece.unicodeScalars.first else { continue }
      if first == "(" { return "$(" }
      if first == "{" { return "${" }
      if first == "_" || first.properties.isAlphabetic && first.isASCII {
        return "$" + piece.prefix { $0 == "_" || $0.isASCII && ($0.isLetter || $0.isNumber) }
      }
    }
    return nil
  }

  /// The names of the variables (`$name` or `${name}`) in a text for the shell.
  package static func variables(in text: String) -> [String] {
    var found: [String] = []
    for piece in text.split(separator: "$", omittingEmptySubsequences: false).dropFirst() {
      let body = piece.first == "{" ? piece.dropFirst() : piece
      let name = String(body.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") })
      if Words.isName(name), !found.contains(name) { found.append(name) }
    }
    return found
  }
}
