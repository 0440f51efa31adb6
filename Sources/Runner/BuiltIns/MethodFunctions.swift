package import Exchange
package import Recipe
import Vocabulary

/// The methods of values.
extension Method {
  /// Applies it to at most one argument, the most common case. Reads numbers from bytes without
  /// building a list.
  func apply(to value: Value, _ argument: Value?, _ surroundings: borrowing Surroundings) throws(Failure) -> Value {
    if case .read(let type) = self, !value.isSecret, !(argument?.isSecret ?? false) {
      return try Self.read(type, value, at: argument ?? .int(0), method: self)
    }
    return try apply(to: value, argument.map { [$0] } ?? [], surroundings)
  }

  package func apply(to value: Value, _ arguments: [Value], _ surroundings: borrowing Surroundings) throws(Failure) -> Value {
    guard arity.contains(arguments.count) else {
      let wanted = arity.lowerBound == arity.upperBound ? "\(arity.lowerBound)" : "\(arity.lowerBound) or \(arity.upperBound)"
      throw .value("`.\(name)()` takes \(wanted) argument\(wanted == "1" ? "" : "s"), not \(arguments.count)")
    }
    // No method reveals parts of its operands, so nested secrets need no check.
    if value.isSecret || arguments.contains(where: \.isSecret) {
      return try applySecretly(to: value, arguments, surroundings)
    }
    switch self {
    case .read(let type): return try Self.read(type, value, at: arguments.first ?? .int(0), method: self)
    case .function(let function): return try apply(function, value, arguments, surroundings)
    }
  }

  private func applySecretly(to value: Value, _ arguments: [Value], _ surroundings: borrowing Surroundings) throws(Failure) -> Value
  {
    let opened = try secrecy.opened([value] + arguments)
    do throws(Failure) {
      return secrecy.result(try apply(to: opened[0], Array(opened.dropFirst()), surroundings))
    } catch {
      // The reason for a failed decryption reveals nothing about the key.
      throw self == .function(.decrypt) ? error : error.withheld(".\(name)()", [value] + arguments)
    }
  }

  private func apply(_ function: Function, _ value: Value, _ arguments: [Value], _ surroundings: borrowing Surroundings)
    throws(Failure) -> Value
  {
    switch (function, value) {
    case (.upper, .text(let text)): return .text(text.uppercased())
    case (.lower, .text(let text)): return .text(text.lowercased())
    case (.trim, .text(let text)): return .text(Self.trimmed(text))
    case (.split, .text(let text)):
      let separator = try argument(arguments[0])
      if separator.isEmpty { throw .value("`.split(…)` needs a text to split by") }
      return .list(TextSearch.split(text, by: separator).map { .text($0) })
    case (.lines, .text(let text)): return .list(Self.lines(text).map { .text($0) })
    case (.startsWith, .text(let text)): return .bool(text.utf8.starts(with: try argument(arguments[0]).utf8))
    case (.endsWith, .text(let text)): return .bool(text.utf8.reversed().starts(with: try argument(arguments[0]).utf8.reversed()))
    case (.replace, .text(let text)):
      let old = try argument(arguments[0])
      let new = try argument(arguments[1])
      if old.isEmpty { throw .value("`.replace(…)` needs a text to replace") }
      let parts = TextSearch.split(text, by: old)
      let (grown, isOver) = (parts.count - 1).multipliedReportingOverflow(by: new.utf8.count)
      try Value.checkSize(text.utf8.count, isOver ? Value.largestText : grown, most: Value.largestText)
      return .text(parts.joined(separator: new))
    case (.bytes, .text(let text)): return .bytes(Array(text.utf8))
    case (.hex, .bytes(let bytes)): return .text(TextRendering.hex(bytes))
    case (.text, .bytes(let bytes)):
      guard let first = arguments.first else { return .text(try Self.text(bytes[...])) }
      guard let start = first.whole, start >= 0, start <= Int64(bytes.count) else {
        throw .value("index \(TextRendering.brief(first)) is out of range: there are \(bytes.count) bytes")
      }
      return .text(try Self.text(bytes[Int(start)...]))
    case (.sort, .list(let list)): return .list(try Self.sorted(list))
    case (.reverse, .list(let list)): return .list(list.reversed())
    case (.reverse, .bytes(let bytes)): return .bytes(bytes.reversed())
    case (.keys, .record(let record)): return .list(record.fields.map { .text($0.key) })
    case (.values, .record(let record)): return .list(record.fields.map(\.value))
    case (.get, .record(let record)): return record[try Value.key(arguments[0])] ?? arguments[1]
    case (.without, .record(var record)):
      record.remove(try Value.key(arguments[0]))
      return .record(record)
    case (.decrypt, .record(let record)): return try Self.decrypt(record, arguments[0])
    case (.text, .text), (.text, .int), (.text, .real):
      throw .value("`.text()` reads bytes, but this is \(value.typeName)", hint: "`text(x)` shows any value")
    case (.hex, .int): throw .value("`.hex()` shows bytes, but this is a number", hint: "`\"{n:hex}\"`")
    case (.get, .list), (.get, .bytes): throw .value("`.get(…)` is for records; an element of \(value.typeName) is `[i]`")
    default:
      throw .value(
        "\(value.typeName) has no `.\(name)()`; \(receiver) \(receiver == "bytes" ? "have" : "has")",
        hint: value.isNothing ? "ask `is not nothing` first" : nil)
    }
  }

  private func argument(_ value: Value) throws(Failure) -> String {
    if case .text(let text) = value { return text }
    throw .value("`.\(name)(…)` takes a text, not \(value.typeName)")
  }

  /// Decrypts an advertisement with encrypted BTHome data.
  private static func decrypt(_ record: Record, _ given: Value) throws(Failure) -> Value {
    guard case .address(let address)? = record["address"], let data = record["service_data"] else {
      throw .value("`.decrypt(…)` is for advertisements")
    }
    guard case .record(let part) = data, part["service"] == .uuid(BTHome.service), case .bytes(let bytes)? = part["data"] else {
      throw Failure(.decode, "the advertisement has no BTHome data", blame: .bytes, layer: .recipe)
    }
    let key: [UInt8]?
    switch given {
    case .bytes(let bytes): key = bytes
    case .text(let text): key = Hex.bytes(text)
    default: throw .value("the key of `.decrypt(…)` is 16 bytes or 32 hex digits, not \(given.typeName)")
    }
    guard let key, key.count == 16 else { throw .value("the key of `.decrypt(…)` is 16 bytes or 32 hex digits") }
    let octets = (0..<6).map { UInt8(truncatingIfNeeded: address.bits >> UInt64(40 - 8 * $0)) }
    return try BTHome.decrypt(bytes, address: octets, key: key)
  }

  private static func read(_ type: NumberType, _ value: Value, at index: Value, method: Method) throws(Failure) -> Value {
    guard case .bytes(let bytes) = value else {
      throw .value("`.\(method.name)(…)` reads bytes, but this is \(value.typeName)")
    }
    guard let offset = index.whole else { throw .value("an index is a whole number, not \(index.fractionOrType)") }
    let span = bytes.span.bytes
    let found = offset < 0 || offset > Int64(bytes.count) ? nil : type.decode(span, at: Int(offset))
    guard let found else {
      let size = "\(type.size) byte\(type.size == 1 ? "" : "s")"
      throw .value("`.\(method.name)(\(offset))` reads \(size) at \(offset), but there are only \(bytes.count)")
    }
    if type.kind == .unsigned, case .real = found {
      throw .value(
        "the number at \(offset) is above 9223372036854775807, the largest whole number",
        hint: "`.i64(\(offset))` reads it as a signed number, `[\(offset) .. \(offset + 8)]` takes its bytes")
    }
    return found
  }

  private static func text(_ bytes: ArraySlice<UInt8>) throws(Failure) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .value("the bytes are not UTF-8", hint: "`.hex()` shows any bytes")
    }
    return text
  }

  static func trimmed(_ text: String) -> String {
    var scalars = text.unicodeScalars[...]
    while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
    while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
    return String(scalars)
  }

  /// Lines end with LF or CR LF; the end of the last line does not start another.
  static func lines(_ text: String) -> [String] {
    var lines = TextSearch.split(text, by: "\n").map { line in
      line.utf8.last == UInt8(ascii: "\r") ? String(decoding: line.utf8.dropLast(), as: UTF8.self) : line
    }
    if lines.last == "" { lines.removeLast() }
    return lines
  }

  /// Most lists have one type, so sort them without checking the type in each comparison.
  private static func wholeNumbers(_ list: [Value]) -> [Int64]? {
    var numbers: [Int64] = []
    numbers.reserveCapacity(list.count)
    for value in list {
      guard case .int(let number) = value else { return nil }
      numbers.append(number)
    }
    return numbers
  }

  private static func texts(_ list: [Value]) -> [String]? {
    var texts: [String] = []
    texts.reserveCapacity(list.count)
    for value in list {
      guard case .text(let text) = value else { return nil }
      texts.append(text)
    }
    return texts
  }

  /// Integers in ascending order. Many numbers in a narrow range are sorted byte by byte (radix
  /// sort), without comparisons.
  static func ordered(_ numbers: [Int64]) -> [Int64] {
    guard numbers.count >= 32, let least = numbers.min(), let most = numbers.max() else { return numbers.sorted() }
    let width = 64 - (UInt64(bitPattern: most) &- UInt64(bitPattern: least)).leadingZeroBitCount
    let rounds = (width + 7) / 8
    // Comparing costs about the logarithm of the count per number.
    guard rounds * (numbers.count + 128) <= numbers.count * (63 - numbers.count.leadingZeroBitCount) else {
      return numbers.sorted()
    }
    var from = numbers.map { UInt64(bitPattern: $0) &- UInt64(bitPattern: least) }
    var to = from
    var places = [Int](repeating: 0, count: 256)
    places.withUnsafeMutableBufferPointer { places in
      for round in 0..<rounds {
        let shift = UInt64(8 * round)
        for place in 0..<256 { places[place] = 0 }
        from.withUnsafeBufferPointer { from in
          for number in from { places[Int(number &>> shift & 0xFF)] &+= 1 }
          var next = 0
          for place in 0..<256 {
            let count = places[place]
            places[place] = next
            next &+= count
          }
          to.withUnsafeMutableBufferPointer { to in
            for number in from {
              let octet = Int(number &>> shift & 0xFF)
              to[places[octet]] = number
              places[octet] &+= 1
            }
          }
        }
        swap(&from, &to)
      }
    }
    return from.map { Int64(bitPattern: $0 &+ UInt64(bitPattern: least)) }
  }

  /// In ascending order; equal values keep their order.
  private static func sorted(_ list: [Value]) throws(Failure) -> [Value] {
    if let numbers = wholeNumbers(list) { return ordered(numbers).map { .int($0) } }
    if let texts = texts(list) { return texts.sorted().map { .text($0) } }
    // Comparing neighbours first finds all incomparable values, because comparability is
    // transitive.
    for index in list.indices.dropFirst() where try Value.order(list[index - 1], list[index]) == Value.unordered {
      throw .value("a list with NaN, which is not a number, has no order")
    }
    if list.count == 1 { return list }
    return list.sorted { a, b in
      guard let order = try? Value.order(a, b) else { return false }
      return order == -1
    }
  }
}
