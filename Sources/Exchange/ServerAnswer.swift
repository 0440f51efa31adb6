/// What the owner says to a request of a central.
package enum ServerAnswer: Equatable, Sendable {
  /// To a write: stored. To a read: the stored value.
  case accept
  case value([UInt8])
  /// An ATT error code: 0x80 to 0x9F are the application's own (Vol 3, Part F, 3.4.1.1).
  case refuse(UInt8)
}
