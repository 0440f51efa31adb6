import Exchange
import Vocabulary

/// How the controller scans: what all wishes come to together.
struct ScanMode: Equatable, Sendable {
  var duty: ScanRequest.Duty
  /// Whether only devices of the accept list are reported; then these must be on it.
  var listed: [Address]?

  /// In 0.625 ms: always listening, or a fifth of the time. Both ask for scan responses, where
  /// names are.
  var interval: UInt16 { duty == .full ? 0x0060 : 0x01E0 }
  var window: UInt16 { 0x0060 }
}
