import Vocabulary

/// A D-Bus message, as far as needed to ask the service manager a question: a call with string
/// arguments, and the first values of an answer (D-Bus Specification, "Message Protocol").
package struct BusMessage: Equatable, Sendable {
  package enum Kind: UInt8, Sendable {
    case call = 1
    case answer, failure, signal
  }

  package var kind: Kind
  /// The serial of the call that it answers; 0 for none.
  package var answers: UInt32 = 0
  package var body: [UInt8]
  package var isLittleEndian = true

  /// The most octets of a message to read. The expected answers are short.
  package static let limit = 1 << 16

  package init(kind: Kind, answers: UInt32 = 0, body: [UInt8] = [], isLittleEndian: Bool = true) {
    self.kind = kind
    self.answers = answers
    self.body = body
    self.isLittleEndian = isLittleEndian
  }

  // MARK: Calls

  /// Encodes a call whose arguments are strings.
  package static func call(
    _ member: String, of interface: String, at path: String, by destination: String, _ arguments: [String] = [], serial: UInt32
  ) -> [UInt8] {
    var body: [UInt8] = []
    for argument in arguments { put(argument, to: &body) }
    var fields: [UInt8] = []
    func field(_ code: UInt8, _ type: String, _ value: String) {
      while fields.count % 8 != 0 { fields.append(0) }
      fields.append(code)
      putSignature(type, to: &fields)
      if type == "g" { putSignature(value, to: &fields) } else { put(value, to: &fields) }
    }
    field(1, "o", path)
    field(2, "s", interface)
    field(3, "s", member)
    field(6, "s", destination)
    if !arguments.isEmpty { field(8, "g", String(repeating: "s", count: arguments.count)) }
    var bytes: [UInt8] = [UInt8(ascii: "l"), Kind.call.rawValue, 0, 1]
    put(UInt32(body.count), to: &bytes)
    put(serial, to: &bytes)
    put(UInt32(fields.count), to: &bytes)
    bytes += fields
    while bytes.count % 8 != 0 { bytes.append(0) }
    return bytes + body
  }

  private static func put(_ number: UInt32, to bytes: inout [UInt8]) {
    for shift in stride(from: UInt32(0), to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
  }

  private static func put(_ text: String, to bytes: inout [UInt8]) {
    while bytes.count % 4 != 0 { bytes.append(0) }
    put(UInt32(text.utf8.count), to: &bytes)
    bytes += Array(text.utf8) + [0]
  }

  private static func putSignature(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(clamping: text.utf8.count))
    bytes += Array(text.utf8) + [0]
  }

  // MARK: Answers

  package enum Reading: Equatable {
    /// More octets are needed.
    case incomplete
    case message(BusMessage, length: Int)
    case malformed
  }

  /// Reads the first message in these octets.
  package static func read(_ bytes: [UInt8]) -> Reading {
    guard bytes.count >= 16 else { return .incomplete }
    let isLittle = bytes[0] == UInt8(ascii: "l")
    guard isLittle || bytes[0] == UInt8(ascii: "B"), let kind = Kind(rawValue: bytes[1]) else { return .malformed }
    var head = Cursor(bytes, isLittleEndian: isLittle, at: 4)
    guard let bodyLength = head.number(), head.number() != nil, let fieldsLength = head.number() else { return .malformed }
    guard bodyLength <= limit, fieldsLength <= limit else { return .malformed }
    let bodyStart = (16 + Int(fieldsLength) + 7) / 8 * 8
    let length = bodyStart + Int(bodyLength)
    guard bytes.count >= length else { return .incomplete }
    var message = BusMessage(kind: kind, body: Array(bytes[bodyStart..<length]), isLittleEndian: isLittle)
    var cursor = Cursor(Array(bytes[..<(16 + Int(fieldsLength))]), isLittleEndian: isLittle, at: 16)
    while !cursor.isAtEnd {
      cursor.align(to: 8)
      guard !cursor.isAtEnd else { break }
      guard let code = cursor.octet(), let type = cursor.signature() else { return .malformed }
      switch type {
      case "u":
        guard let number = cursor.number() else { return .malformed }
        if code == 5 { message.answers = number }
      case "s", "o": guard cursor.text() != nil else { return .malformed }
      case "g": guard cursor.signature() != nil else { return .malformed }
      default: return .malformed
      }
    }
    return .message(message, length: length)
  }

  /// The number and the path of a variant with such a struct, such as a unit's job.
  package var pair: (number: UInt32, path: String)? {
    var cursor = Cursor(body, isLittleEndian: isLittleEndian)
    guard cursor.signature() == "(uo)" else { return nil }
    cursor.align(to: 8)
    guard let number = cursor.number(), let path = cursor.text() else { return nil }
    return (number, path)
  }

  /// The string of a variant that contains one.
  package var text: String? {
    var cursor = Cursor(body, isLittleEndian: isLittleEndian)
    guard cursor.signature() == "s" else { return nil }
    return cursor.text()
  }

  /// Reads values that are aligned relative to the start of the bytes, and never beyond their end.
  private struct Cursor {
    private let bytes: [UInt8]
    private let isLittleEndian: Bool
    private var place: Int

    init(_ bytes: [UInt8], isLittleEndian: Bool, at place: Int = 0) {
      self.bytes = bytes
      self.isLittleEndian = isLittleEndian
      self.place = place
    }

    var isAtEnd: Bool { place >= bytes.count }

    mutating func align(to size: Int) { place = (place + size - 1) / size * size }

    mutating func octet() -> UInt8? {
      guard place < bytes.count else { return nil }
      defer { place += 1 }
      return bytes[place]
    }

    mutating func number() -> UInt32? {
      align(to: 4)
      guard place + 4 <= bytes.count else { return nil }
      var number: UInt32 = 0
      for index in 0..<4 { number |= UInt32(bytes[place + index]) << UInt32(8 * (isLittleEndian ? index : 3 - index)) }
      place += 4
      return number
    }

    mutating func text() -> String? { number().flatMap { chars(Int($0)) } }
    mutating func signature() -> String? { octet().flatMap { chars(Int($0)) } }

    private mutating func chars(_ count: Int) -> String? {
      guard count < bytes.count, place + count < bytes.count, bytes[place + count] == 0 else { return nil }
      defer { place += count + 1 }
      return String(decoding: bytes[place..<(place + count)], as: UTF8.self)
    }
  }
}
