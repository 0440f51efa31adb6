/// The reason for the end of a run, as `on stop as why` names it.
package enum StopReason: UInt8, Sendable {
  case finished, stopped, failed, interrupted, terminated

  package var word: String {
    switch self {
    case .finished: "finished"
    case .stopped: "stopped"
    case .failed: "failed"
    case .interrupted: "interrupted"
    case .terminated: "terminated"
    }
  }
}
