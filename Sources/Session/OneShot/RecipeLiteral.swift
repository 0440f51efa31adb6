import Vocabulary

/// Values as a recipe writes them.
package enum RecipeLiteral {
  /// A text in quotes. Control characters and what else a terminal should not get are escaped.
  package static func text(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\", "\"", "{": result += "\\" + String(scalar)
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      default:
        let alone = String(scalar)
        result += Shown.text(alone) == alone ? alone : "\\u{\(String(scalar.value, radix: 16))}"
      }
    }
    return result + "\""
  }
}
