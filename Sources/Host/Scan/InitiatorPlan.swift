import Vocabulary

/// Whom the controller looks for with its one Create Connection, and how hard.
struct InitiatorPlan: Equatable, Sendable {
  /// In the order of addresses.
  var targets: [Address]
  /// Through the filter accept list; else there is one target.
  var useList: Bool
  /// All the time (a direct attempt, a retry), or a fifth of it (pending).
  var isFull: Bool
  /// On the LE Coded PHY beside LE 1M.
  var isCoded = false

  /// In 0.625 ms.
  var scanInterval: UInt16 { isFull ? isCoded ? 0x00C0 : 0x0060 : 0x0100 }
  var scanWindow: UInt16 { isFull ? 0x0060 : 0x0030 }
}
