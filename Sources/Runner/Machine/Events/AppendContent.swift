import Exchange

/// What an `append` adds. The header of a CSV file is written when the file is empty.
package enum AppendContent: Equatable, Sendable {
  /// Columns as they are called; cells as they stand in the file, quoted where need be.
  case csv(columns: [String], cells: [String])
  /// Whole bytes, the line end included.
  case bytes([UInt8])
}
