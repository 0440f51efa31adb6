/// Quotes words for a POSIX shell.
package enum ShellText {
  /// Returns a word in single quotes.
  package static func quoted(_ word: String) -> String {
    // Compares scalars, because a quotation mark and a combining accent are one Swift character.
    var text = "'"
    for scalar in word.unicodeScalars {
      if scalar == "'" { text += "'\\''" } else { text.unicodeScalars.append(scalar) }
    }
    return text + "'"
  }

  /// Returns a word as it is if it is safe in a shell, and otherwise in single quotes.
  package static func word(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "+")...UInt8(ascii: ":"),
        UInt8(ascii: "_"), UInt8(ascii: "@"), UInt8(ascii: "="):
        true
      default: byte >= 0x80
      }
    }
    return isPlain && !word.isEmpty ? word : quoted(word)
  }
}
