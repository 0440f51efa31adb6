import Exchange

/// What an `append` adds. The header of a CSV file is written when the file is empty.
package enum AppendContent: Equatable, Sendable {
  /// Columns as they are called; cells as they stand in the file, quoted where need be.
  case csv(columns: [String], cells: [String])
  /// A line with its end. It begins on a line of its own.
  case line([UInt8])
  /// Bytes, added as they are.
  case bytes([UInt8])

  package var isLine: Bool { if case .bytes = self { false } else { true } }
}
