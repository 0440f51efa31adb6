import Exchange

/// What came of a file's text.
package struct ParsedRecipe: Sendable {
  /// Nothing when the text has errors.
  package var recipe: RecipeFile?
  /// In textual order.
  package var diagnostics: [Diagnostic]
  /// The recipe's own text, then those of the files it includes, as their ranges are numbered.
  package var sources: [SourceText]

  package var source: SourceText { sources[of: .none] }
}

extension RecipeFile {
  /// A recipe has at most 1 MiB.
  package static let maximumSize = 1 << 20

  /// Reads a whole file. Every error is found, at most one a line; the tree is there only when there is none.
  package static func parse(_ bytes: [UInt8], name: String, file: UInt16 = 0) -> ParsedRecipe {
    let top = SourceRange(file: file, start: 0, end: 0)
    guard bytes.count <= maximumSize else {
      let finding = Diagnostic(
        "T002", "this file is too large", at: top, "a recipe has at most 1 MiB, this one has \(bytes.count) bytes")
      return ParsedRecipe(recipe: nil, diagnostics: [finding], sources: [SourceText(name: name, bytes: [])])
    }
    if let place = firstNonUTF8(bytes) {
      let start = UInt32(truncatingIfNeeded: place)
      let finding = Diagnostic(
        "T001", "this file is not UTF-8 text", at: SourceRange(file: file, start: start, end: start + 1),
        "byte \(place) (0x\(String(bytes[place], radix: 16))) cannot stand here")
      return ParsedRecipe(recipe: nil, diagnostics: [finding], sources: [SourceText(name: name, bytes: bytes)])
    }
    let source = SourceText(name: name, bytes: bytes)
    var parser = Parser(source: source, file: file)
    let recipe = parser.recipe(name: name)
    return ParsedRecipe(
      recipe: parser.findings.hasErrors ? nil : recipe, diagnostics: parser.findings.sorted, sources: [source])
  }

  /// For texts of our own.
  package static func parse(_ text: String, name: String = "recipe.ble") -> ParsedRecipe { parse(Array(text.utf8), name: name) }

  /// Where the bytes stop being UTF-8. Zero bytes count as no text.
  private static func firstNonUTF8(_ bytes: [UInt8]) -> Int? {
    var place = 0
    while place < bytes.count {
      let first = bytes[place]
      let length: Int
      let low: UInt32
      switch first {
      case 0: return place
      case 1..<0x80: (length, low) = (1, 0)
      case 0xC2..<0xE0: (length, low) = (2, 0x80)
      case 0xE0..<0xF0: (length, low) = (3, 0x800)
      case 0xF0..<0xF5: (length, low) = (4, 0x10000)
      default: return place
      }
      if length > 1 {
        guard place + length <= bytes.count else { return place }
        var value = UInt32(first) & (0x7F >> UInt32(length))
        for next in bytes[place + 1..<place + length] {
          guard next & 0xC0 == 0x80 else { return place }
          value = value << 6 | UInt32(next & 0x3F)
        }
        guard value >= low, UnicodeScalar(value) != nil else { return place }
      }
      place += length
    }
    return nil
  }
}
