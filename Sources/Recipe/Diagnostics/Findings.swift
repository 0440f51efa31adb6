package import Exchange

/// Collects findings, at most one error per line. Sorts them in textual order, the recipe before
/// its included files.
package struct Findings: Sendable {
  package private(set) var all: [Diagnostic] = []
  /// The maximum number of errors.
  static let limit = 100
  private var linesWithErrors: [Line] = []
  private let sources: [SourceText]
  /// The file number of the first text.
  private let firstFile: UInt16

  private struct Line: Equatable {
    var file: UInt16
    var line: Int
  }

  package init(sources: [SourceText], firstFile: UInt16 = 0) {
    self.sources = sources
    self.firstFile = firstFile
  }

  /// Whether further errors are dropped, so that the check may stop.
  package var isFull: Bool { linesWithErrors.count >= Self.limit }

  package var hasErrors: Bool { all.contains { $0.severity == .error } }

  package mutating func add(_ diagnostic: Diagnostic) {
    if diagnostic.severity == .error {
      let line = line(of: diagnostic.range)
      guard linesWithErrors.count < Self.limit, !linesWithErrors.contains(line) else { return }
      linesWithErrors.append(line)
    }
    all.append(diagnostic)
  }

  /// Removes the findings with these codes.
  mutating func drop(_ codes: [String]) { all.removeAll { codes.contains($0.code) } }

  package func hasError(onLineOf range: SourceRange) -> Bool { linesWithErrors.contains(line(of: range)) }

  package var sorted: [Diagnostic] {
    // On a line with an error, warnings only distract.
    all.filter { $0.severity == .error || !linesWithErrors.contains(line(of: $0.range)) }.enumerated().sorted {
      ($0.element.range.file, $0.element.range.start, $0.offset) < ($1.element.range.file, $1.element.range.start, $1.offset)
    }.map(\.element)
  }

  private func line(of range: SourceRange) -> Line {
    let index = Int(range.file) - Int(firstFile)
    return Line(file: range.file, line: sources.indices.contains(index) ? sources[index].line(of: range.start) : 1)
  }
}
