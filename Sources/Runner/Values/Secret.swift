package import Exchange
import Recipe

/// A value computed from a secret. Rendering shows `shown`; only `opened` returns the value.
package struct Secret: Equatable, Sendable {
  /// `unset` if it comes from a checkpoint, which does not contain the value.
  package var value: Value
  /// The text for display, with marks in place of secret parts.
  package var shown: String
  /// The input with this value. A checkpoint contains the name instead of the value.
  package var name: String?
  /// The variable that held it before a restart, if it was not saved. Used in messages.
  package var holder: String?

  package static let mark = "•••"

  package init(_ value: Value, shown: String = Secret.mark, name: String? = nil, holder: String? = nil) {
    self.value = value
    self.shown = shown
    self.name = name
    self.holder = holder
  }

  package var isLost: Bool { value == .unset }

  /// The value. Fails with `value` if it was not saved.
  package func opened() throws(Failure) -> Value {
    if isLost {
      throw .value(
        "\((holder ?? name).map { "`\($0)`" } ?? "this") no longer has a value: it held a secret, and secrets are not saved",
        hint: "ask for it or compute it again, for instance in `on restore`")
    }
    return value
  }
}

extension Value {
  /// Makes a value secret.
  package static func hidden(_ value: Value, shown: String = Secret.mark) -> Value {
    if case .secret = value { return value }
    return .secret(Secret(value, shown: shown))
  }

  package var isSecret: Bool { if case .secret = self { true } else { false } }

  /// Whether it is or contains a secret. Fast for scalars.
  package var holdsSecret: Bool {
    switch self {
    case .secret: true
    case .list(let list): list.contains { $0.holdsSecret }
    case .record(let record): record.fields.contains { $0.value.holdsSecret }
    case .problem(let problem): problem.extra.fields.contains { $0.value.holdsSecret }
    default: false
    }
  }

  /// The value itself if it is a secret; parts are not opened.
  package func opened() throws(Failure) -> Value {
    if case .secret(let secret) = self { return try secret.opened() }
    return self
  }

  /// The value with all secrets in it opened.
  package func revealed() throws(Failure) -> Value {
    guard holdsSecret else { return self }
    return try mapped { (secret) throws(Failure) in try secret.opened().revealed() }
  }

  /// The value with marks in place of secrets, as it may leave the run. Fails if a secret was not
  /// saved.
  package func masked() throws(Failure) -> Value {
    guard holdsSecret else { return self }
    return try mapped { (secret) throws(Failure) in
      _ = try secret.opened()
      return .text(secret.shown)
    }
  }

  /// The value after replacing each secret in it.
  func mapped(_ change: (Secret) throws(Failure) -> Value) throws(Failure) -> Value {
    switch self {
    case .secret(let secret): return try change(secret)
    case .list(let list): return .list(try list.map { (value) throws(Failure) in try value.mapped(change) })
    case .record(let record): return .record(try Self.mapped(record, change))
    case .problem(var problem):
      problem.extra = try Self.mapped(problem.extra, change)
      return .problem(problem)
    default: return self
    }
  }

  private static func mapped(_ record: Record, _ change: (Secret) throws(Failure) -> Value) throws(Failure) -> Record {
    Record(try record.fields.map { (field) throws(Failure) in Record.Field(field.key, try field.value.mapped(change)) })
  }

  // MARK: Operators

  /// Applies an operator to at least one secret operand; the result is secret, too.
  static func secretly(_ sign: String, _ a: Value, _ b: Value, _ work: (Value, Value) throws(Failure) -> Value) throws(Failure)
    -> Value
  {
    let (x, y) = (try a.opened(), try b.opened())
    do throws(Failure) {
      let result = try work(x, y)
      if case .text = result, sign == "+" { return .hidden(result, shown: a.shownText + b.shownText) }
      return .hidden(result)
    } catch { throw error.withheld(sign, [a, b]) }
  }

  /// Compares operands, at least one of which is secret; the result is not secret.
  static func openly<Result>(
    _ sign: String, _ a: Value, _ b: Value, _ work: (Value, Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let (x, y) = (try a.opened(), try b.opened())
    do throws(Failure) { return try work(x, y) } catch { throw error.withheld(sign, [a, b]) }
  }

  private var shownText: String {
    switch self {
    case .text(let text): text
    case .secret(let secret): secret.shown
    default: Secret.mark
    }
  }
}

extension Failure {
  /// The same failure without its message, which might reveal an operand.
  func withheld(_ name: String, _ values: [Value]) -> Failure {
    if values.contains(where: \.isLostSecret) { return self }
    var redacted = Failure.value("`\(name)` fails for \(values.map(\.typeName).joined(separator: " and "))")
    redacted.kind = kind
    return redacted
  }

  /// The failure of an operation with a secret value, without the value that was sent or echoed.
  /// The opcode and the handle stay.
  func withoutValue() -> Failure {
    var redacted = self
    redacted.sent = Array(sent.prefix(3))
    // An Error Response contains no value.
    if got.first != 0x01 { redacted.got = Array(got.prefix(1)) }
    return redacted
  }
}

extension Value {
  fileprivate var isLostSecret: Bool { if case .secret(let secret) = self { secret.isLost } else { false } }
}

/// How a built-in or a method treats secret arguments.
enum Secrecy {
  /// The result is not secret, because it reveals too little.
  case open
  /// The result is secret if the receiver or an argument itself is. Parts of lists and records keep
  /// their own secrecy.
  case parts
  /// The result is secret if any part of the arguments is.
  case whole
}

extension BuiltIn {
  /// Exhaustive, so that a new built-in must be considered here.
  var secrecy: Secrecy {
    switch self {
    case .make: .whole
    case .function(let function):
      switch function {
      case .count, .crc32, .sha256, .hmacSHA256, .aes, .aesCMAC: .open
      case .now, .devices, .random, .file, .env: .parts
      case .min, .max, .chunks: .parts
      case .text, .number, .bytes, .address, .uuid, .json, .csv, .crc16, .round, .floor, .ceil, .abs, .sum, .average, .join: .whole
      }
    }
  }
}

extension Method {
  /// Exhaustive, so that a new method must be considered here.
  var secrecy: Secrecy {
    switch self {
    case .read: .whole
    case .function(let function):
      switch function {
      case .startsWith, .endsWith, .decrypt: .open
      case .sort, .reverse, .keys, .values, .get, .without: .parts
      case .upper, .lower, .trim, .split, .lines, .replace, .bytes, .hex, .text: .whole
      }
    }
  }
}

extension Secrecy {
  /// Whether the arguments must be opened first.
  func concerns(_ values: [Value]) -> Bool {
    switch self {
    case .open, .parts: values.contains { $0.isSecret }
    case .whole: values.contains { $0.holdsSecret }
    }
  }

  func opened(_ values: [Value]) throws(Failure) -> [Value] {
    let isWhole = self == .whole
    return try values.map { (value) throws(Failure) in isWhole ? try value.revealed() : try value.opened() }
  }

  func result(_ value: Value) -> Value { self == .open ? value : .hidden(value) }
}
