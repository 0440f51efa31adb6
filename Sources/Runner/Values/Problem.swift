package import Exchange

/// A failure as a value, in `otherwise` and `on failure`.
package struct Problem: Equatable, Sendable {
  package var failure: Failure
  /// The line of the statement that failed.
  package var line: RecipeLine
  /// The index of the device in the machine's table.
  package var device: Int?
  /// Fields of particular failures: `attempts`, `others`, `out`, `err`, `code` of a command.
  package var extra: Record

  package init(_ failure: Failure, line: RecipeLine = .none, device: Int? = nil, extra: Record = Record()) {
    self.failure = failure
    self.line = line
    self.device = device
    self.extra = extra
  }

  /// `problem.kind`, `.message` …; `nil` if there is no such field.
  package func member(_ name: String) -> Value? {
    if let value = extra[name] { return value }
    switch name {
    case "kind": return .text(failure.kind.word)
    case "message": return .text(failure.message)
    case "line": return line.number == 0 ? .nothing : .int(Int64(line.number))
    case "device": return device.map { .device($0) } ?? .nothing
    case "code": return failure.code.map { .int(Int64($0)) } ?? .nothing
    case "hint": return failure.hint.map { .text($0) } ?? .nothing
    case "last_exchange":
      if failure.sent.isEmpty, failure.got.isEmpty { return .nothing }
      return .record(["sent": .bytes(failure.sent), "got": .bytes(failure.got)])
    case "delivered":
      switch failure.delivered {
      case nil: return .nothing
      case .notSent: return .text("not sent")
      case .maybe: return .text("maybe")
      case .reachedRadio: return .text("reached the radio")
      }
    default: return nil
    }
  }

  package static let memberNames = ["kind", "message", "line", "device", "code", "last_exchange", "delivered", "hint"]
}
