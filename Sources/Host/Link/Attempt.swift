import Packets
import Vocabulary

/// The failed attempts to reach a requested peer (rule 1).
struct Attempt: Equatable, Sendable {
  var peer: Address
  var reasons: [HCIStatus] = []

  /// Whether the next attempt is made at once, without a scan in between.
  var isUrgent: Bool { !reasons.isEmpty }
}
