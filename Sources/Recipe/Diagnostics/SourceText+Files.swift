package import Exchange

/// The texts of a recipe and of the files it includes: a range's file number is the index.
extension [SourceText] {
  /// The file that a range lies in; an empty one for a number without a file.
  package subscript(of range: SourceRange) -> SourceText {
    indices.contains(Int(range.file)) ? self[Int(range.file)] : SourceText(name: "", bytes: [])
  }

  package func text(_ range: SourceRange) -> String { self[of: range].text(range) }

  /// The line in its file that a range begins on, from 1.
  package func line(of range: SourceRange) -> Int { self[of: range].line(of: range.start) }

  /// An empty range at the beginning of a line of the file that `range` lies in.
  package func startOfLine(_ line: Int, in range: SourceRange) -> SourceRange {
    self[of: range].startOfLine(line, file: range.file)
  }

  /// `line 12`, and for a place in an included file `line 12 of common.ble`.
  package func place(of range: SourceRange) -> String {
    range.file == 0 ? "line \(line(of: range))" : "line \(line(of: range)) of \(self[of: range].name)"
  }
}
