import Exchange
import Vocabulary

/// How the controller scans, as the combination of all requests.
struct ScanMode: Equatable, Sendable {
  var duty: ScanRequest.Duty
  /// The devices to report, which must be on the accept list; `nil` reports all.
  var listed: [Address]?

  /// The scan interval in 0.625 ms. The duty is full, half on each of two PHYs, or a fifth. All
  /// scans are active, because scan responses contain names.
  var interval: UInt16 {
    switch duty {
    case .full: 0x0060
    case .coded: 0x00C0
    case .gentle, .spare: 0x01E0
    }
  }
  var window: UInt16 { 0x0060 }
}
