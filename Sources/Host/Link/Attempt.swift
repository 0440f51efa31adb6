import Packets
import Vocabulary

/// What became of the attempts to reach one wished peer so far (rule 1).
struct Attempt: Equatable, Sendable {
  var peer: Address
  var reasons: [HCIStatus] = []

  /// The next one is made at once, with no scan in between.
  var isUrgent: Bool { !reasons.isEmpty }
}
