/// Words of a POSIX shell.
package enum ShellText {
  /// In single quotes, whatever it contains.
  package static func quoted(_ word: String) -> String {
    // By scalars, because to Swift a quotation mark with an accent is another character.
    var text = "'"
    for scalar in word.unicodeScalars {
      if scalar == "'" { text += "'\\''" } else { text.unicodeScalars.append(scalar) }
    }
    return text + "'"
  }

  /// In single quotes only if the shell would not read it as one word of the same text.
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
