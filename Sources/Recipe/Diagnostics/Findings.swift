import Exchange

/// Collects findings of one file: at most one error a line, in textual order at the end.
package struct Findings: Sendable {
  package private(set) var all: [Diagnostic] = []
  /// More than this many errors help nobody.
  private static let limit = 100
  private var linesWithErrors: [Int] = []
  private let source: SourceText

  package init(source: SourceText) { self.source = source }

  /// Whether nothing more would be added: whoever reads on may stop.
  package var isFull: Bool { linesWithErrors.count >= Self.limit }

  package var hasErrors: Bool { all.contains { $0.severity == .error } }

  package mutating func add(_ diagnostic: Diagnostic) {
    if diagnostic.severity == .error {
      let line = source.line(of: diagnostic.range.start)
      guard linesWithErrors.count < Self.limit, !linesWithErrors.contains(line) else { return }
      linesWithErrors.append(line)
    }
    all.append(diagnostic)
  }

  package func hasError(onLine line: Int) -> Bool { linesWithErrors.contains(line) }

  package var sorted: [Diagnostic] {
    // On a line with an error, warnings only distract.
    all.filter { $0.severity == .error || !linesWithErrors.contains(source.line(of: $0.range.start)) }.enumerated().sorted {
      ($0.element.range.start, $0.offset) < ($1.element.range.start, $1.offset)
    }.map(\.element)
  }
}
