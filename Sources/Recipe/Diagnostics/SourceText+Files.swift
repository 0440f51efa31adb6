package import Exchange

/// The texts of a recipe and its included files, indexed by file number.
extension [SourceText] {
  /// The file of a range; an empty one if the file number is unknown.
  package subscript(of range: SourceRange) -> SourceText {
    indices.contains(Int(range.file)) ? self[Int(range.file)] : SourceText(name: "", bytes: [])
  }

  package func text(_ range: SourceRange) -> String { self[of: range].text(range) }

  /// The line in its file where a range begins, from 1.
  package func line(of range: SourceRange) -> Int { self[of: range].line(of: range.start) }

  /// An empty range at the beginning of a line, in the file of `range`.
  package func startOfLine(_ line: Int, in range: SourceRange) -> SourceRange {
    self[of: range].startOfLine(line, file: range.file)
  }

  /// `line 12`, or `line 12 of common.ble` for a place in an included file.
  package func place(of range: SourceRange) -> String {
    range.file == 0 ? "line \(line(of: range))" : "line \(line(of: range)) of \(self[of: range].name)"
  }
}
