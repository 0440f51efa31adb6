package import Exchange
package import Recipe

/// Where lines begin in a recipe and in the files it includes, to tell the line of a byte.
package struct LineTable: Equatable, Sendable {
  private struct File: Equatable {
    var name: String
    var starts: [Int]
  }

  private var files: [File]

  package init(_ sources: [SourceText]) { files = sources.map { File(name: $0.name, starts: $0.lineStarts) } }

  package var count: Int { files.count }

  mutating func append(_ source: SourceText) { files.append(File(name: source.name, starts: source.lineStarts)) }

  /// Nothing is known of a file without a text.
  package func line(of range: SourceRange) -> RecipeLine {
    guard files.indices.contains(Int(range.file)) else { return .none }
    let starts = files[Int(range.file)].starts
    var low = 0
    var high = starts.count
    while low < high {
      let middle = (low + high) / 2
      if starts[middle] <= Int(range.start) { low = middle + 1 } else { high = middle }
    }
    return RecipeLine(low, file: range.file)
  }

  /// The name of an included file; nothing for the recipe itself.
  package func fileName(of line: RecipeLine) -> String? {
    line.file > 0 && files.indices.contains(Int(line.file)) ? files[Int(line.file)].name : nil
  }

  /// `line 12`, or `line 12 of common.ble`.
  package func text(of line: RecipeLine) -> String {
    fileName(of: line).map { "line \(line.number) of \($0)" } ?? "line \(line.number)"
  }
}
