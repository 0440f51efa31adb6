package import Exchange
package import Recipe
package import Runner
import Vocabulary

/// A failure of a run as a diagnostic of its recipe: the line, the caret, what was sent and what
/// was received.
package enum FailureText {
  /// `line` is that of the statement; 0 if there is none.
  package static func finding(_ report: FailureReport, line: Int) -> Diagnostic {
    let failure = report.failure
    var label = ""
    if let device = report.device { label = device }
    if let code = failure.code, failure.kind != .file, failure.kind != .user {
      label += (label.isEmpty ? "" : ", ") + "code 0x\(Hex.text(UInt8(truncatingIfNeeded: code)))"
    }
    var notes: [String] = []
    if let fault = failure.fault { return finding(report, fault, line: line) }
    var facts: [Diagnostic.Fact] = []
    if !failure.sent.isEmpty { facts.append(Diagnostic.Fact("sent   \(Hex.text(failure.sent))")) }
    if !failure.got.isEmpty { facts.append(Diagnostic.Fact("got    \(Hex.text(failure.got))")) }
    if let compared = failure.compared {
      facts.append(Diagnostic.Fact("left   \(compared.left)"))
      facts.append(Diagnostic.Fact("right  \(compared.right)"))
    }
    if report.attempts > 1 { notes.append("it was tried \(report.attempts) times") }
    // An answer leaves no doubt about what was delivered.
    if let delivered = failure.delivered, failure.got.isEmpty {
      switch delivered {
      case .notSent: notes.append("the request was not sent")
      case .maybe where failure.layer == .os && failure.kind != .adapter: notes.append("the program may have done its work")
      case .maybe: notes.append(report.device == nil ? "it may have been done" : "it may have reached the device")
      case .reachedRadio: notes.append("it reached the device's radio; its answer is missing")
      }
    }
    if let hint = failure.hint { notes.append(hint) }
    return Diagnostic(code(of: failure.kind), failure.message, at: report.range, label, facts: facts, notes: notes)
  }

  /// The diagnostic of a value that does not match a format: the format's line, and the bytes with
  /// carets under the wrong ones.
  private static func finding(_ report: FailureReport, _ fault: DecodeFault, line: Int) -> Diagnostic {
    let isBuiltIn = fault.place == .none
    var notes = ["the value came"]
    if let device = report.device { notes[0] += " from \(device)" }
    // The caret is at the format, so a note names the statement.
    if !isBuiltIn, line > 0 { notes[0] += " in line \(line)" }
    if notes[0] == "the value came" { notes = [] }
    if report.attempts > 1 { notes.append("it was tried \(report.attempts) times") }
    if let hint = report.failure.hint { notes.append(hint) }
    return Diagnostic(
      code(of: report.failure.kind), fault.summary, at: isBuiltIn ? report.range : fault.place,
      isBuiltIn ? "`\(fault.field)` \(fault.reason)" : fault.reason, facts: [BytePicture.fact(report.failure.got, fault)],
      notes: notes)
  }

  /// The bytes with carets under the wrong ones, for a command without a recipe.
  package static func picture(of bytes: [UInt8], _ fault: DecodeFault) -> Diagnostic.Fact { BytePicture.fact(bytes, fault) }

  /// These codes must never change.
  package static func code(of kind: Failure.Kind) -> String {
    switch kind {
    case .notFound: "T301"
    case .unreachable: "T302"
    case .disconnected: "T303"
    case .timeout: "T304"
    case .refused: "T305"
    case .needsPairing: "T306"
    case .missing: "T307"
    case .staleBond: "T308"
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
