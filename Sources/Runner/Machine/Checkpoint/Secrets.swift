import Exchange
import Vocabulary

/// Secrets are known by their text: wherever it turns up in what is shown or saved, it is taken out.
///
/// A value computed from a secret that holds none of its text (a hash, a comparison, a count) is no secret.
struct Secrets: Equatable, Sendable {
  /// The texts, longest first, so that one inside another goes as a whole.
  private(set) var texts: [String] = []

  static let mark = "•••"

  var isEmpty: Bool { texts.isEmpty }

  mutating func add(_ value: Value) {
    guard case .text(let text) = value, !text.isEmpty, !texts.contains(text) else { return }
    texts.append(text)
    texts.sort { $0.utf8.count > $1.utf8.count }
  }

  func isIn(_ text: String) -> Bool { texts.contains { text.holds($0) } }

  func isIn(_ bytes: [UInt8]) -> Bool { texts.contains { bytes.holds(Array($0.utf8)) } }

  func isIn(_ value: Value) -> Bool {
    switch value {
    case .text(let text): isIn(text)
    case .bytes(let bytes): isIn(bytes)
    case .list(let list): list.contains { isIn($0) }
    case .record(let record): record.fields.contains { isIn($0.key) || isIn($0.value) }
    case .problem(let problem): isIn(problem.failure.message) || isIn(problem.failure.sent) || isIn(problem.failure.got)
    default: false
    }
  }

  /// As it may be shown.
  func hidden(_ text: String) -> String {
    var text = text
    for secret in texts { text = text.replacing(every: secret, with: Self.mark) }
    return text
  }

  func hidden(_ value: Value) -> Value {
    guard isIn(value) else { return value }
    switch value {
    case .text(let text): return .text(hidden(text))
    case .list(let list): return .list(list.map { hidden($0) })
    case .record(let record): return .record(Record(record.fields.map { Record.Field(hidden($0.key), hidden($0.value)) }))
    default: return .text(Self.mark)
    }
  }
}

extension Fiber {
  /// As it may be saved: a value with a secret in it has no value after a kill, and a write of one is computed anew.
  func withoutSecrets(_ secrets: Secrets) -> Fiber {
    guard !secrets.isEmpty else { return self }
    var copy = self
    for index in copy.slots.indices where secrets.isIn(copy.slots[index]) { copy.slots[index] = .unset }
    if case .operation(var operation) = copy.wait {
      switch operation.request {
      case .write(let path, let bytes) where secrets.isIn(bytes):
        operation.request = .write(path, [])
        operation.isSecret = true
      case .writeWithoutResponse(let path, let bytes) where secrets.isIn(bytes):
        operation.request = .writeWithoutResponse(path, [])
        operation.isSecret = true
      default: break
      }
      copy.wait = .operation(operation)
    }
    return copy
  }
}

extension Secrets {
  /// A failure as it may be told.
  func hidden(_ failure: Failure) -> Failure {
    guard !isEmpty else { return failure }
    var told = failure
    told.message = hidden(failure.message)
    if isIn(failure.sent) { told.sent = [] }
    if isIn(failure.got) { told.got = [] }
    return told
  }
}
