import Exchange

/// The content of an `append`. The header of a CSV file is written if the file is empty.
package enum AppendContent: Equatable, Sendable {
  /// Column names, and cells already quoted for the file. Lists and single values have no names.
  case csv(columns: [String], cells: [String])
  /// A line with its line end. It starts on a new line of the file.
  case line([UInt8])
  /// Bytes that are appended unchanged.
  case bytes([UInt8])

  /// Whether the first record of a file has a header before it.
  package var hasHeader: Bool { if case .csv(let columns, _) = self { !columns.isEmpty } else { false } }

  package var isLine: Bool { if case .bytes = self { false } else { true } }
}
