/// Splits the command of `run` into words at white space, before values are inserted. Single quotes
/// keep a word together.
package enum CommandWords {
  /// The words; `nil` if a quote is not closed.
  package static func split(_ parts: [StringSyntax.Part]) -> [[StringSyntax.Part]]? {
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
            text.unicodeScalars.append(character)
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

  /// Whether a shell would interpret the word instead of passing it as an argument.
  package static func isShellSign(_ word: String) -> Bool {
    ["|", "||", "&&", "&", ";", "2>&1"].contains(word) || word.hasPrefix(">") || word.hasPrefix("<") || word.hasPrefix("2>")
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
