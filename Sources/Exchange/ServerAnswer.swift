/// The owner's answer to a request of a central.
package enum ServerAnswer: Equatable, Sendable {
  /// For a write: stores the value. For a read: returns the stored value.
  case accept
  case value([UInt8])
  /// Refuses with an ATT error code; 0x80 to 0x9F are for applications (Vol 3, Part F, 3.4.1.1).
  case refuse(UInt8)
}
