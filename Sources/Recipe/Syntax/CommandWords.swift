import Vocabulary

/// The words of a command as `run` splits them: at white space, before anything is put in; single
/// quotes keep a word together.
package enum CommandWords {
  /// Nothing when a quote is not closed.
  /// - Parameter hidesQuoted: puts U+FFFC in the place of each character between quotes.
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

  /// What a shell would not take for a part of an argument, in text without quotes: the whole word,
  /// or the sign in it. A single `&` stands in addresses of the Web.
  package static func shellSign(in word: String) -> String? {
    if word == "&" || word.hasPrefix(">") || word.hasPrefix("<") || word.hasPrefix("2>") { return word }
    for sign in ["&&", "||", "|", ";", "`"] where word.holds(sign) { return sign }
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

  /// The names of variables, which follow `$`, in a text for the shell.
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
