import Exchange

/// The result of parsing a recipe and its included files.
package struct ParsedRecipe: Sendable {
  /// `nil` if there are errors.
  package var recipe: RecipeFile?
  /// Everything that parsed, without the statements that have errors.
  package var tree: RecipeFile
  /// In textual order.
  package var diagnostics: [Diagnostic]
  /// The recipe's own text, then those of its included files, indexed by file number.
  package var sources: [SourceText]
  /// The contents of a checkpoint, for `StoredRecipe`.
  package var stored: [UInt8]
  /// Finds its included files again without reading them.
  var replay = RecipeReplay()

  package var source: SourceText { sources[of: .none] }
}

extension RecipeFile {
  /// The maximum size of a recipe including its included files: 1 MiB.
  package static let maximumSize = 1 << 20

  /// Parses a recipe without other files. Finds all errors, at most one per line.
  package static func parse(_ bytes: [UInt8], name: String) -> ParsedRecipe {
    var assembly = RecipeAssembly(name: name, bytes)
    while assembly.wanted != nil { assembly.take(.refused("there are no other files here")) }
    return assembly.finish()
  }

  /// For texts of the program itself.
  package static func parse(_ text: String, name: String = "recipe.ble") -> ParsedRecipe { parse(Array(text.utf8), name: name) }
}

/// A single file, without the files it includes.
package struct ParsedFile: Sendable {
  /// Without the statements that have errors.
  package let tree: RecipeFile
  package let diagnostics: [Diagnostic]
  package let source: SourceText

  /// - Parameters:
  ///   - file: file number in ranges.
  ///   - firstID: id of the first statement.
  ///   - isEntry: whether it was typed at a prompt, where a value is a statement.
  package init(_ bytes: [UInt8], name: String, file: UInt16 = 0, firstID: Int = 0, isEntry: Bool = false) {
    if let finding = Self.unreadable(bytes, file) {
      self.init(
        unreadable: finding, SourceText(name: name, bytes: bytes.count > RecipeFile.maximumSize ? [] : bytes), firstID)
      return
    }
    let source = SourceText(name: name, bytes: bytes)
    var parser = Parser(source: source, file: file)
    parser.nextID = firstID
    parser.isEntry = isEntry
    self.init(tree: parser.recipe(name: name), diagnostics: parser.findings.sorted, source: source)
  }

  private init(tree: RecipeFile, diagnostics: [Diagnostic], source: SourceText) {
    self.tree = tree
    self.diagnostics = diagnostics
    self.source = source
  }

  private init(unreadable: Diagnostic, _ source: SourceText, _ firstID: Int) {
    var empty = RecipeFile(name: source.name)
    empty.idCount = firstID
    self.init(tree: empty, diagnostics: [unreadable], source: source)
  }

  private static func unreadable(_ bytes: [UInt8], _ file: UInt16) -> Diagnostic? {
    guard bytes.count <= RecipeFile.maximumSize else {
      return Diagnostic(
        "T002", "this file is too large", at: SourceRange(file: file, start: 0, end: 0),
        "a recipe can have at most 1 MiB")
    }
    guard let place = firstNonUTF8(bytes) else { return nil }
    let start = UInt32(truncatingIfNeeded: place)
    return Diagnostic(
      "T001", "this file is not UTF-8 text", at: SourceRange(file: file, start: start, end: start + 1),
      bytes[place] == 0 ? "byte \(place) is zero" : "byte \(place) (0x\(String(bytes[place], radix: 16))) is not allowed here")
  }

  /// The offset of the first byte that is not UTF-8. Zero bytes are refused, too.
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
