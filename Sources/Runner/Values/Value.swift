package import Exchange
package import Vocabulary

/// Any value of the language. 17 bytes inline; large and rare values are boxed. Assignment copies,
/// so names never share a list or record.
///
/// `==` compares representations, for checkpoints and tests; the language's `is` is `Value.equal`.
package enum Value: Equatable, Sendable {
  case nothing
  case bool(Bool)
  case int(Int64)
  case real(Double)
  case text(String)
  case bytes([UInt8])
  case duration(TimeSpan)
  case time(WallTime)
  case address(AddressValue)
  case list([Value])
  case record(Record)
  /// Index of a device in the machine's table.
  case device(Int)
  /// A variable without a value. No expression yields it.
  case unset
  /// A simulated peripheral or started run of a test, as an index into the machine's subjects.
  case subject(Int)
  indirect case uuid(UUID)
  indirect case problem(Problem)
  indirect case attribute(AttributeValue)
  /// Computed from a secret. Displayed as marks.
  indirect case secret(Secret)

  /// How deeply lists and records may nest.
  package static let depthLimit = 64
  /// The maximum number of parts of a value, including nested ones; 16 octets of text count as one
  /// part. Otherwise repeated `[x, x]` would grow without limit.
  package static let partLimit = 1 << 22

  /// The type with its article, for messages: `a number`.
  package var typeName: String {
    switch self {
    case .nothing: "nothing"
    case .bool: "a truth value"
    case .int, .real: "a number"
    case .text: "a text"
    case .bytes: "bytes"
    case .duration: "a duration"
    case .time: "a time"
    case .address: "an address"
    case .list: "a list"
    case .record: "a record"
    case .device: "a device"
    case .unset: "a name without a value"
    case .subject: "a part of the test"
    case .uuid: "a UUID"
    case .problem: "a problem"
    case .attribute(let attribute): attribute.characteristic == nil ? "a service" : "a characteristic"
    case .secret(let secret): secret.isLost ? "a secret that was not saved" : secret.value.secretTypeName
    }
  }

  /// The number itself or the type, for errors where a whole number is needed: `1.5` or `a text`.
  package var fractionOrType: String { if case .real(let number) = self { DecimalText.text(number) } else { typeName } }

  /// Without its article: `number`.
  package var typeWord: String {
    let name = typeName
    if name.hasPrefix("a ") { return String(name.dropFirst(2)) }
    if name.hasPrefix("an ") { return String(name.dropFirst(3)) }
    return name
  }

  private var secretTypeName: String {
    switch self {
    case .bytes: "secret bytes"
    case .nothing: "a secret"
    default: "a secret \(typeWord)"
    }
  }

  package var isNothing: Bool { if case .nothing = self { true } else { false } }

  /// Fails if lists and records nest more than `levels` deep, or if there are too many parts. Fast
  /// for scalars.
  package func check(levels: Int = depthLimit) throws(Failure) { _ = try parts(levels: levels) }

  /// The number of parts, counting shared parts each time they occur. Fails if they are too many or
  /// nested too deeply.
  func parts(levels: Int = depthLimit) throws(Failure) -> Int {
    var left = Self.partLimit
    try count(levels, &left)
    return Self.partLimit - left
  }

  private func count(_ levels: Int, _ left: inout Int) throws(Failure) {
    switch self {
    case .text(let text): left -= text.utf8.count >> 4
    case .bytes(let bytes): left -= bytes.count >> 4
    case .list(let list):
      if levels <= 0 { throw .tooDeep }
      left -= list.count
      for element in list { try element.count(levels - 1, &left) }
    case .record(let record): try Self.count(record, levels, &left)
    case .problem(let problem): try Self.count(problem.extra, levels, &left)
    case .secret(let secret): try secret.value.count(levels, &left)
    default: return
    }
    if left < 0 { throw .tooManyParts }
  }

  private static func count(_ record: Record, _ levels: Int, _ left: inout Int) throws(Failure) {
    if levels <= 0 { throw .tooDeep }
    left -= record.fields.count
    for field in record.fields {
      left -= field.key.utf8.count >> 4
      try field.value.count(levels - 1, &left)
    }
    if left < 0 { throw .tooManyParts }
  }

  /// A list of `[a, b]`, at most 64 deep.
  package static func checked(list: [Value]) throws(Failure) -> Value {
    let value = Value.list(list)
    try value.check()
    return value
  }

  /// A record of `{a: 1}`, at most 64 deep.
  package static func checked(record: Record) throws(Failure) -> Value {
    let value = Value.record(record)
    try value.check()
    return value
  }

  package init(_ address: Address) { self = .address(AddressValue(address)) }
}

extension Failure {
  /// A failure of kind `value`, which the recipe has caused.
  package static func value(_ message: String, hint: String? = nil) -> Failure {
    Failure(.value, message, blame: .recipe, layer: .recipe, hint: hint)
  }

  static let tooManyParts = Failure.value(
    "this value would have more than 4,194,304 parts", hint: "append it to a file piece by piece")

  package static let tooDeep = Failure.value("lists and records can be nested at most \(Value.depthLimit) deep")
}
