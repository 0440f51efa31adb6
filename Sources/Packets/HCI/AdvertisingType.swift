/// The type of legacy advertising (Vol 4, Part E, 7.8.5).
package enum AdvertisingType: UInt8, Sendable {
  /// ADV_IND
  case connectableUndirected = 0
  /// ADV_DIRECT_IND, high duty cycle, for 1.28 s.
  case directedHighDuty = 1
  /// ADV_SCAN_IND
  case scannableUndirected = 2
  /// ADV_NONCONN_IND
  case nonConnectable = 3
  /// ADV_DIRECT_IND, low duty cycle.
  case directedLowDuty = 4

  package var isConnectable: Bool { self != .scannableUndirected && self != .nonConnectable }
  package var isScannable: Bool { self == .connectableUndirected || self == .scannableUndirected }
  package var isDirected: Bool { self == .directedHighDuty || self == .directedLowDuty }
}
