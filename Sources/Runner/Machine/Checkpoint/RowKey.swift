/// The key of a row: its kind and number, combined in one integer for the database.
package struct RowKey: Hashable, Comparable, Sendable {
  package enum Kind: UInt8, Sendable {
    case header = 1, variable, fiber, device, attributeCache, timer, queuedEvent, keptEvent, output, heldEvent, found, listen, seen
    case pieces, entry
    /// The state of the server, and the value of one of its attributes.
    case server, served
    /// A part of a list in a variable.
    case listPart
  }

  package var kind: Kind
  /// 0 to 2^55 - 1.
  package var number: UInt64

  package init(_ kind: Kind, _ number: UInt64 = 0) {
    self.kind = kind
    self.number = number
  }

  static func listPart(_ part: Int, of variable: Int) -> RowKey { listPart(part, of: UInt64(variable)) }

  static func listPart(_ part: Int, of variable: UInt64) -> RowKey { RowKey(.listPart, variable << 32 | UInt64(part)) }

  /// The key of a queued event; several handlers may have the same event in their queues.
  static func queued(_ event: MachineEvent, _ unit: Int) -> RowKey {
    RowKey(.queuedEvent, event.sequence << 14 | UInt64(unit & 0x3FFF))
  }

  package var integer: Int64 { Int64(kind.rawValue) << 55 | Int64(number & 0x7F_FFFF_FFFF_FFFF) }

  package init?(integer: Int64) {
    guard integer > 0, let kind = Kind(rawValue: UInt8(truncatingIfNeeded: integer >> 55)) else { return nil }
    self.init(kind, UInt64(integer & 0x7F_FFFF_FFFF_FFFF))
  }

  package static func < (left: RowKey, right: RowKey) -> Bool { left.integer < right.integer }
}
