/// Bits of the LE feature mask (Vol 6, Part B, 4.6); the raw value is the bit number.
package enum LEFeature: UInt8, Sendable {
  case encryption = 0
  case connectionParametersRequest = 1
  case extendedReject = 2
  case peripheralInitiatedFeaturesExchange = 3
  case ping = 4
  case dataLengthExtension = 5
  case privacy = 6
  case extendedScannerFilterPolicies = 7
  case phy2M = 8
  case phyCoded = 11
  case extendedAdvertising = 12
  case periodicAdvertising = 13
  case channelSelectionAlgorithm2 = 14

  package static func mask(_ features: [LEFeature]) -> UInt64 {
    features.reduce(0) { $0 | 1 << UInt64($1.rawValue) }
  }
}
