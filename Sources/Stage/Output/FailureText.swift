package import Recipe
package import Runner
import Exchange
import Vocabulary

/// A failure of a run as a finding about its recipe: the line, the caret, what was sent and what came back.
package enum FailureText {
  package static func finding(_ report: FailureReport) -> Diagnostic {
    let failure = report.failure
    var label = ""
    if let device = report.device { label = device }
    if let code = failure.code, failure.kind != .file, failure.kind != .user {
      label += (label.isEmpty ? "" : ", ") + "code 0x\(Hex.text(UInt8(truncatingIfNeeded: code)))"
    }
    var notes: [String] = []
    if !failure.sent.isEmpty { notes.append("sent   \(Hex.text(failure.sent))") }
    if !failure.got.isEmpty { notes.append("got    \(Hex.text(failure.got))") }
    if report.attempts > 1 { notes.append("it was tried \(report.attempts) times") }
    // With an answer in hand there is no doubt about what was delivered.
    if let delivered = failure.delivered, failure.got.isEmpty {
      switch delivered {
      case .notSent: notes.append("it never left this machine")
      case .maybe: notes.append("it may have reached the device")
      case .reachedRadio: notes.append("it reached the device's radio; its answer is missing")
      }
    }
    if let hint = failure.hint { notes.append(hint) }
    return Diagnostic(code(of: failure.kind), failure.message, at: report.range, label, notes: notes)
  }

  /// Stable for ever.
  private static func code(of kind: Failure.Kind) -> String {
    switch kind {
    case .notFound: "T301"
    case .unreachable: "T302"
    case .disconnected: "T303"
    case .timeout: "T304"
    case .refused: "T305"
    case .needsPairing: "T306"
    case .missing: "T307"
    case .unsure: "T310"
    case .adapter: "T320"
    case .expectation: "T330"
    case .decode: "T340"
    case .value: "T350"
    case .file: "T360"
    case .command: "T370"
    case .user: "T380"
    case .cancelled: "T399"
    }
  }
}
