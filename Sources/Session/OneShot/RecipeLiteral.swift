import Vocabulary

/// Values in the syntax of a recipe.
package enum RecipeLiteral {
  /// A string literal. Escapes control characters and others that a terminal should not get.
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
