import Vocabulary

/// The targets of the controller's one Create Connection, and its duty.
struct InitiatorPlan: Equatable, Sendable {
  /// Ascending by address.
  var targets: [Address]
  /// Whether to use the filter accept list. Without it there is one target.
  var useList: Bool
  /// Whether to scan all the time (a direct attempt, a retry) or a fifth of it (pending).
  var isFull: Bool
  /// Whether to use LE Coded as well as LE 1M.
  var isCoded = false

  /// The scan interval in 0.625 ms.
  var scanInterval: UInt16 { isFull ? isCoded ? 0x00C0 : 0x0060 : 0x0100 }
  var scanWindow: UInt16 { isFull ? 0x0060 : 0x0030 }
}
