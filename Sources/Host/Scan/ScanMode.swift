import Exchange
import Vocabulary

/// How the controller scans: what all wishes come to together.
struct ScanMode: Equatable, Sendable {
  var duty: ScanRequest.Duty
  /// Whether only devices of the accept list are reported; then these must be on it.
  var listed: [Address]?

  /// In 0.625 ms: always listening, half of the time on each of two PHYs, or a fifth of the time.
  /// All ask for scan responses, where names are.
  var interval: UInt16 {
    switch duty {
    case .full: 0x0060
    case .coded: 0x00C0
    case .gentle, .spare: 0x01E0
    }
  }
  var window: UInt16 { 0x0060 }
}
