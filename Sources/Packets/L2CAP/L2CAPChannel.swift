/// The fixed channels of an LE link (Vol 3, Part A, 2.1).
package enum L2CAPChannel {
  package static let attribute: UInt16 = 0x0004
  package static let signalling: UInt16 = 0x0005
  package static let security: UInt16 = 0x0006
  /// The first and the last dynamically allocated channel.
  package static let dynamic: ClosedRange<UInt16> = 0x0040...0x007F
}
