import Crypto
package import Exchange
package import Recipe
import Vocabulary

/// The built-ins that depend only on their arguments. The machine implements the others.
extension BuiltIn {
  package func apply(_ arguments: [Value], _ surroundings: borrowing Surroundings) throws(Failure) -> Value {
    guard arity.contains(arguments.count) else { throw wrongCount(arguments.count) }
    if secrecy.concerns(arguments) { return try applySecretly(arguments, surroundings) }
    switch self {
    case .make(let type): return try Self.make(type, arguments[0])
    case .function(let function):
      if arguments.count == 1 { return try Self.apply(function, arguments[0], surroundings) }
      switch function {
      case .min, .max: return try Self.extreme(function, arguments)
      case .round: return try Self.round(arguments[0], places: arguments[1])
      case .chunks: return try Self.chunks(arguments[0], arguments[1])
      case .join: return try Self.join(arguments[0], separator: arguments[1], surroundings)
      case .hmacSHA256, .aes, .aesCMAC: return try Self.keyed(function, name, arguments[0], arguments[1])
      default: throw Self.worldly(name)
      }
    }
  }

  /// Applies it to one argument, the most common case, without building a list.
  package func apply(_ argument: Value, _ surroundings: borrowing Surroundings) throws(Failure) -> Value {
    if argument.isSecret || secrecy == .whole && argument.holdsSecret { return try applySecretly([argument], surroundings) }
    switch self {
    case .make(let type): return try Self.make(type, argument)
    case .function(let function):
      guard arity.contains(1) else { throw wrongCount(1) }
      return try Self.apply(function, argument, surroundings)
    }
  }

  private func applySecretly(_ arguments: [Value], _ surroundings: borrowing Surroundings) throws(Failure) -> Value {
    let opened = try secrecy.opened(arguments)
    do throws(Failure) {
      return secrecy.result(try apply(opened, surroundings))
    } catch { throw error.withheld(name, arguments) }
  }

  private func wrongCount(_ count: Int) -> Failure {
    let wanted =
      arity.lowerBound == arity.upperBound
      ? "\(arity.lowerBound)"
      : arity.upperBound == Int.max ? "\(arity.lowerBound) or more" : "\(arity.lowerBound) or \(arity.upperBound)"
    return .value("`\(name)` takes \(wanted) argument\(wanted == "1" ? "" : "s"), not \(count)")
  }

  private static func worldly(_ name: String) -> Failure { .value("`\(name)` cannot be computed here") }

  private static func make(_ type: NumberType, _ argument: Value) throws(Failure) -> Value {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(type.size)
    try type.encode(argument, to: &bytes)
    return .bytes(bytes)
  }

  private static func apply(_ function: Function, _ value: Value, _ surroundings: borrowing Surroundings) throws(Failure) -> Value {
    switch function {
    case .count: return .int(Int64(try count(value)))
    case .text: return .text(TextRendering.text(of: value, surroundings))
    case .number: return try number(value)
    case .bytes: return .bytes(try bytes(value))
    case .address: return try address(value)
    case .uuid: return try uuid(value)
    case .json:
      switch value {
      case .text(let text): return try JSON.parse(Array(text.utf8))
      case .bytes(let bytes): return try JSON.parse(bytes)
      default: return .text(JSON.text(of: value, surroundings))
      }
    case .csv:
      switch value {
      case .text(let text): return try CSV.parse(Array(text.utf8))
      case .bytes(let bytes): return try CSV.parse(bytes)
      default: return .text(try CSV.text(of: value, surroundings))
      }
    case .crc16: return .int(Int64(Checksum.crc16(try octets(value, "crc16"))))
    case .crc32: return .int(Int64(Checksum.crc32(try octets(value, "crc32"))))
    case .min, .max:
      guard case .list(let list) = value else { return value }
      return try extreme(function, list)
    case .round, .floor, .ceil: return try whole(function, value)
    case .abs:
      switch value {
      case .int(let number): return number < 0 ? try Value.negate(value) : value
      case .real(let number): return .real(number.magnitude)
      case .duration(let span): return span.nanoseconds < 0 ? try Value.negate(value) : value
      default: throw .value("`abs` takes a number or a duration, not \(value.typeName)")
      }
    case .sum: return try sum(try list(value, "sum"))
    case .average:
      let list = try list(value, "average")
      if list.isEmpty { throw .value("an empty list has no average") }
      return try Value.divide(try sum(list), .int(Int64(list.count)))
    case .join: return try join(value, separator: nil, surroundings)
    case .chunks: throw .value("`chunks` takes 2 arguments: a value and the length of a piece")
    case .sha256:
      let message = try octets(value, "sha256")
      return .bytes(try computed { () throws(CryptoError) in try Crypto.sha256(message) })
    case .now, .hmacSHA256, .aes, .aesCMAC, .random, .file, .env, .devices: throw worldly("\(function)")
    }
  }

  private static func list(_ value: Value, _ name: String) throws(Failure) -> [Value] {
    if case .list(let list) = value { return list }
    if case .bytes(let bytes) = value { return bytes.map { .int(Int64($0)) } }
    throw .value("`\(name)` takes a list, not \(value.typeName)")
  }

  private static func octets(_ value: Value, _ name: String) throws(Failure) -> [UInt8] {
    switch value {
    case .bytes(let bytes): return bytes
    case .text(let text): return Array(text.utf8)
    default: throw .value("`\(name)` takes bytes or a text, not \(value.typeName)")
    }
  }

  /// Applies a function that takes a key; texts are encoded as UTF-8.
  private static func keyed(_ function: Function, _ name: String, _ key: Value, _ value: Value) throws(Failure) -> Value {
    let (key, message) = (try octets(key, name), try octets(value, name))
    switch function {
    case .hmacSHA256:
      return .bytes(try computed { () throws(CryptoError) in try Crypto.hmacSHA256(key: key, message: message) })
    case .aes:
      guard [16, 24, 32].contains(key.count) else {
        throw .value("the key of `aes` has 16, 24 or 32 bytes, not \(key.count)")
      }
      guard message.count == 16 else { throw .value("`aes` encrypts one block of 16 bytes, not \(message.count)") }
      return .bytes(try computed { () throws(CryptoError) in try Crypto.aes(key: key, block: message) })
    default:
      guard key.count == 16 else { throw .value("the key of `aes_cmac` has 16 bytes, not \(key.count)") }
      return .bytes(try computed { () throws(CryptoError) in try Crypto.aesCMAC(key: key, message: message) })
    }
  }

  private static func computed(_ work: () throws(CryptoError) -> [UInt8]) throws(Failure) -> [UInt8] {
    do throws(CryptoError) { return try work() } catch {
      throw Failure(.value, error.description, blame: .ours, layer: .os)
    }
  }

  /// The number of elements; of a text, its Unicode scalars.
  package static func count(_ value: Value) throws(Failure) -> Int {
    switch value {
    case .bytes(let bytes): return bytes.count
    case .list(let list): return list.count
    case .record(let record): return record.count
    case .text(let text): return text.scalarCount
    default: throw .value("`count` takes a text, bytes, a list or a record, not \(value.typeName)")
    }
  }

  private static func number(_ value: Value) throws(Failure) -> Value {
    switch value {
    case .int, .real: return value
    case .text(let text):
      switch DecimalText.parse(Method.trimmed(text)) {
      case .integer(let number): return .int(number)
      case .real(let number): return .real(number)
      case nil: throw .value("\(TextRendering.brief(value)) is not a number")
      }
    case .bytes:
      throw .value("`number` reads a text, not bytes", hint: "`.u8(0)`, `.u16(0)` … read bytes; `.text()` decodes them as text")
    case .duration: throw .value("a duration needs a unit to become a number", hint: "`.ms`, `.seconds`, `.minutes`, `.hours`")
    case .time: throw .value("a time becomes a number with `.unix`")
    default: throw .value("`number` reads a text, not \(value.typeName)")
    }
  }

  private static func bytes(_ value: Value) throws(Failure) -> [UInt8] {
    switch value {
    case .bytes(let bytes): return bytes
    case .text(let text):
      if let bytes = Hex.bytes(text) { return bytes }
      throw .value(
        "\(TextRendering.brief(value)) does not consist of pairs of hex digits", hint: "`.bytes()` gives the UTF-8 of a text")
    case .list(let list):
      var bytes: [UInt8] = []
      bytes.reserveCapacity(list.count)
      for element in list {
        guard let number = element.whole, let byte = UInt8(exactly: number) else {
          throw .value("a byte is 0 to 255, not \(TextRendering.brief(element))")
        }
        bytes.append(byte)
      }
      return bytes
    case .uuid(let uuid):
      var writer = ByteWriter()
      uuid.writeLittleEndian(to: &writer)
      return writer.bytes
    case .address(let address): return (0..<6).map { UInt8(truncatingIfNeeded: address.bits >> UInt64(8 * $0)) }
    case .int: throw .value("`bytes` needs to know how many bytes the number takes", hint: "`u8(…)`, `u16(…)`, `u32(…)`")
    default: throw .value("`bytes` reads hex digits or a list of numbers, not \(value.typeName)")
    }
  }

  private static func address(_ value: Value) throws(Failure) -> Value {
    switch value {
    case .address: return value
    case .text(let text):
      if let address = AddressValue(Method.trimmed(text)) { return .address(address) }
      throw .value("\(TextRendering.brief(value)) is not an address", hint: "an address looks like C4:7C:8D:6A:12:0F")
    case .device: throw .value("the address of a device is `.address`")
    default: throw .value("`address` reads a text, not \(value.typeName)")
    }
  }

  private static func uuid(_ value: Value) throws(Failure) -> Value {
    switch value {
    case .uuid: return value
    case .attribute(let attribute): return .uuid(attribute.uuid)
    case .int(let number):
      guard let short = UInt16(exactly: number) else { throw .value("a 16-bit UUID is 0x0000 to 0xFFFF, not \(number)") }
      return .uuid(UUID(short))
    case .text(let text):
      let text = Method.trimmed(text)
      if let uuid = UUID(text) { return .uuid(uuid) }
      if let uuid = AssignedNumbers.service(named: text) ?? AssignedNumbers.characteristic(named: text)
        ?? AssignedNumbers.descriptor(named: text)
      {
        return .uuid(uuid)
      }
      throw .value("\(TextRendering.brief(value)) is not a UUID")
    case .bytes(let bytes):
      switch bytes.count {
      case 2: return .uuid(UUID(UInt16(bytes[0]) | UInt16(bytes[1]) << 8))
      case 16:
        var reader = bytes.span.bytes
        if let uuid = try? UUID(littleEndian: &reader) { return .uuid(uuid) }
        throw .value("these bytes are not a UUID")
      default: throw .value("a UUID has 2 or 16 bytes, not \(bytes.count)")
      }
    default: throw .value("`uuid` reads a text, not \(value.typeName)")
    }
  }

  private static func whole(_ function: Function, _ value: Value) throws(Failure) -> Value {
    switch value {
    case .int: return value
    case .real(let number):
      let rounded =
        switch function {
        case .floor: number.rounded(.down)
        case .ceil: number.rounded(.up)
        default: number.rounded()
        }
      guard let whole = Int64(exactly: rounded) else { throw .value("\(DecimalText.text(number)) does not fit in a 64-bit number") }
      return .int(whole)
    default: throw .value("`\(function)` takes a number, not \(value.typeName)")
    }
  }

  private static func round(_ value: Value, places: Value) throws(Failure) -> Value {
    guard let digits = places.whole, (0...15).contains(digits) else {
      throw .value("`round` takes 0 to 15 digits after the decimal point")
    }
    switch value {
    case .int: return value
    case .real(let number):
      if digits == 0 { return try whole(.round, value) }
      return .real(Double(DecimalText.text(number, digits: Int(digits))) ?? number)
    default: throw .value("`round` takes a number, not \(value.typeName)")
    }
  }

  private static func extreme(_ function: Function, _ values: [Value]) throws(Failure) -> Value {
    guard var best = values.first else { throw .value("an empty list has no \(function)") }
    // A single value must be comparable, too.
    _ = try Value.order(best, best)
    for value in values.dropFirst() {
      let order = try Value.order(value, best)
      if function == .min ? order == -1 : order == 1 { best = value }
    }
    return best
  }

  private static func sum(_ list: [Value]) throws(Failure) -> Value {
    guard var total = list.first else { return .int(0) }
    switch total {
    case .int, .real, .duration: break
    default: throw .value("`sum` adds numbers or durations, not \(total.typeName)", hint: "`join` puts texts together")
    }
    for value in list.dropFirst() { total = try Value.add(total, value) }
    return total
  }

  private static func chunks(_ value: Value, _ size: Value) throws(Failure) -> Value {
    guard let wanted = size.whole, wanted >= 1 else { throw .value("a piece must have a length of at least 1") }
    let size = Int(min(wanted, Int64(Int32.max)))
    switch value {
    case .bytes(let bytes):
      return .list(stride(from: 0, to: bytes.count, by: size).map { .bytes(Array(bytes[$0..<min($0 + size, bytes.count)])) })
    case .list(let list):
      return try Value.checked(
        list: stride(from: 0, to: list.count, by: size).map { .list(Array(list[$0..<min($0 + size, list.count)])) })
    case .text(let text):
      let scalars = Array(text.unicodeScalars)
      return .list(
        stride(from: 0, to: scalars.count, by: size).map { start in
          var piece = String.UnicodeScalarView()
          piece.append(contentsOf: scalars[start..<min(start + size, scalars.count)])
          return .text(String(piece))
        })
    default: throw .value("`chunks` takes bytes, a text or a list, not \(value.typeName)")
    }
  }

  /// Joins texts with a separator; a list of bytes without a separator becomes bytes.
  private static func join(_ value: Value, separator: Value?, _ surroundings: borrowing Surroundings) throws(Failure) -> Value {
    guard case .list(let list) = value else { throw .value("`join` takes a list, not \(value.typeName)") }
    if case .bytes? = list.first {
      var joined: [UInt8] = []
      for (index, element) in list.enumerated() {
        guard case .bytes(let bytes) = element else { throw .value("`join` takes only bytes or only texts") }
        if index > 0, let separator { joined += try octets(separator, "join") }
        try Value.checkSize(joined.count, bytes.count, most: Value.largestText)
        joined += bytes
      }
      return .bytes(joined)
    }
    var between = ""
    if let separator {
      guard case .text(let text) = separator else {
        throw .value("`join` takes a text as the separator, not \(separator.typeName)")
      }
      between = text
    }
    var joined = ""
    for (index, element) in list.enumerated() {
      if index > 0 { joined += between }
      let part = TextRendering.text(of: element, surroundings)
      try Value.checkSize(joined.utf8.count, part.utf8.count, most: Value.largestText)
      joined += part
    }
    return .text(joined)
  }
}
