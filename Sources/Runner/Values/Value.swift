package import Exchange
package import Vocabulary

/// Any value of the language. 17 bytes inline; what is wide and rare is boxed. Assigning copies, so
/// no two names share a list or record.
///
/// `==` compares representations (what checkpoints and tests want); the language's `is` is
/// `Value.equal`.
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
  /// The index of a device in the machine's table.
  case device(Int)
  /// What a variable holds before its first value. No expression yields it.
  case unset
  /// What a test simulates or has started: an index into the machine's subjects.
  case subject(Int)
  indirect case uuid(UUID)
  indirect case problem(Problem)
  indirect case attribute(AttributeValue)
  /// Computed from a secret: opened in slow paths only, and shown as marks.
  indirect case secret(Secret)

  /// How deep lists and records may stand in each other.
  package static let depthLimit = 64
  /// Of how many parts a value may consist, with those of its parts; 16 octets of a text are one.
  /// `[x, x]` again and again has no end otherwise.
  package static let partLimit = 1 << 22

  /// With its article, for messages: `a number`.
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

  /// What it is where a whole number is needed: `1.5`, or `a text`.
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

  /// Refuses a value in which lists and records stand more than `levels` deep, or that has too many
  /// parts. Scalars answer at once.
  package func check(levels: Int = depthLimit) throws(Failure) { _ = try parts(levels: levels) }

  /// How many parts it has: as often as each is written out, so what is shared counts each time.
  /// Fails when they are too many or too deep.
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

  /// A list as `[a, b]` makes it, at most 64 deep.
  package static func checked(list: [Value]) throws(Failure) -> Value {
    let value = Value.list(list)
    try value.check()
    return value
  }

  /// A record as `{a: 1}` makes it, at most 64 deep.
  package static func checked(record: Record) throws(Failure) -> Value {
    let value = Value.record(record)
    try value.check()
    return value
  }

  package init(_ address: Address) { self = .address(AddressValue(address)) }
}

extension Failure {
  /// A failure of kind `value`: the recipe's own doing.
  package static func value(_ message: String, hint: String? = nil) -> Failure {
    Failure(.value, message, blame: .recipe, layer: .recipe, hint: hint)
  }

  static let tooManyParts = Failure.value(
    "this value would have more than 4,194,304 parts", hint: "append it to a file piece by piece")

  package static let tooDeep = Failure.value("lists and records can be nested at most \(Value.depthLimit) deep")
}
