package import Exchange
package import Recipe
package import Vocabulary

/// Bytes to values.
extension FormatPlan {
  /// The value of these bytes; bytes left over become its `.rest`. Fails `decode` with the bytes
  /// and the place.
  package func decode(_ bytes: [UInt8], zone: TimeZoneRules) throws(Failure) -> Value {
    let span = bytes.span.bytes
    var at = 0
    var trace: FormatTrace?
    do {
      return try FormatDecoder.decode(self, span, &at, keepsRest: true, zone, &trace)
    } catch {
      throw failure(error, bytes, zone: zone)
    }
  }

  /// The same where bytes may well be of another format; nothing when they are.
  func match(_ bytes: [UInt8], zone: TimeZoneRules) -> Value? {
    let span = bytes.span.bytes
    var at = 0
    var trace: FormatTrace?
    return try? FormatDecoder.decode(self, span, &at, keepsRest: true, zone, &trace)
  }

  /// The same with the map from bytes to fields, as far as it came.
  package func explain(_ bytes: [UInt8], zone: TimeZoneRules) -> (trace: FormatTrace, value: Value?, fault: FormatFault?) {
    let span = bytes.span.bytes
    var at = 0
    var trace: FormatTrace? = FormatTrace()
    do {
      let value = try FormatDecoder.decode(self, span, &at, keepsRest: true, zone, &trace)
      return (trace ?? FormatTrace(), value, nil)
    } catch {
      return (trace ?? FormatTrace(), nil, error)
    }
  }

  /// As a recipe meets it.
  package func failure(_ fault: FormatFault, _ bytes: [UInt8], zone: TimeZoneRules) -> Failure {
    // Read once more, with the map of what came before.
    let (trace, _, _) = explain(bytes, zone: zone)
    let picture = DecodeFault(
      format: name, field: fault.field, reason: fault.message, isShort: fault.isShort, offset: fault.offset, count: fault.count,
      known: trace.summary, place: trace.place)
    var failure = Failure(
      fault.kind, "\(picture.summary): `\(fault.field)` \(fault.message)", blame: .bytes, layer: .recipe, got: bytes)
    failure.fault = picture
    return failure
  }
}

enum FormatDecoder {
  static func decode(
    _ plan: FormatPlan, _ span: RawSpan, _ at: inout Int, keepsRest: Bool, _ zone: borrowing TimeZoneRules,
    _ trace: inout FormatTrace?
  ) throws(FormatFault) -> Value {
    let base = at
    var registers: [Int64] = plan.registers == 0 ? [] : Array(filledWith: 0, count: plan.registers)
    var single = Value.nothing
    var fields: [Record.Field] = []
    if !plan.isSingleValue {
      fields.reserveCapacity(plan.outputs.count)
      for output in plan.outputs { fields.append(Record.Field(output.name, .nothing)) }
    }

    for index in plan.steps.indices {
      trace?.begin(plan.steps[index], of: plan)
      var usesOtherwise = false
      if let condition = plan.steps[index].condition,
        !condition.holds(registers, span, from: base, to: at)
      {
        usesOtherwise = true
      }
      let start = at
      switch plan.steps[index].kind {
      case .bits(let bits):
        guard span.byteCount - at >= bits.storage.size else { throw short(plan.steps[index].name, bits.storage.size, at, span) }
        let raw = bits.storage.raw(span, at: at)
        at += bits.storage.size
        if let register = plan.steps[index].register { registers[register] = Int64(bitPattern: raw) }
        for bit in bits.fields.indices {
          let field = bits.fields[bit]
          guard let output = field.output else { continue }
          let value = field.value(of: raw)
          if case .real = value { throw tooLarge(field.name, start) }
          if plan.isSingleValue { single = value } else { fields[output].value = value }
          trace?.note(start, at - start, field.name, value)
        }
      case .value(let type, let otherwise):
        if usesOtherwise, otherwise == nil { continue }
        var decoded: Value
        switch usesOtherwise ? otherwise ?? type : type {
        case .number(let number):
          guard span.byteCount - at >= number.type.size else { throw short(plan.steps[index].name, number.type.size, at, span) }
          let raw = number.type.raw(span, at: at)
          at += number.type.size
          if let register = plan.steps[index].register { registers[register] = number.type.wholeRaw(raw) }
          decoded = number.value(of: raw)
          if case .real = decoded, number.isTooLarge(raw), plan.steps[index].output != nil {
            throw tooLarge(plan.steps[index].name, start)
          }
          if let always = plan.steps[index].always {
            try check(always, raw: raw, number, plan.steps[index].name, registers, span, base, start)
          }
        case let other:
          decoded = try value(other, plan.steps[index].name, span, &at, registers, base, zone, &trace)
          if let always = plan.steps[index].always { try check(always, decoded, plan.steps[index].name, start) }
        }
        if trace != nil, !type.isComposite {
          trace?.note(
            start, at - start, plan.steps[index].name, decoded, unit: plan.steps[index].output.flatMap { plan.outputs[$0].unit })
        }
        guard let output = plan.steps[index].output else { continue }
        if plan.isSingleValue { single = decoded } else { fields[output].value = decoded }
      case .skip(let count):
        guard let size = count.value(registers, span, from: base, to: at), size >= 0 else {
          throw FormatFault(field: "skip", offset: at, message: "has a size that makes no sense")
        }
        guard size <= Int64(span.byteCount - at) else { throw short("skip", Int(clamping: size), at, span) }
        at += Int(size)
      }
    }
    if keepsRest, at < span.byteCount {
      let rest = Value.bytes(bytes(span, at, span.byteCount - at))
      trace?.note(at, span.byteCount - at, "rest", rest)
      at = span.byteCount
      if !plan.isSingleValue { fields.append(Record.Field("rest", rest)) }
    }
    return plan.isSingleValue ? single : .record(Record(fields))
  }

  private static func short(_ field: String, _ needed: Int, _ at: Int, _ span: RawSpan) -> FormatFault {
    let left = span.byteCount - at
    return FormatFault(
      field: field, offset: at, count: left + 1,
      message:
        "needs \(needed) byte\(needed == 1 ? "" : "s") at offset \(at), \(left == 0 ? "the value ended" : "and \(left) \(left == 1 ? "is" : "are") left")",
      isShort: true)
  }

  /// Where the first octet stands that no UTF-8 text has there.
  private static func firstInvalid(_ octets: [UInt8]) -> Int {
    do {
      _ = try UTF8Span(validating: octets.span)
      return 0
    } catch {
      return error.byteOffsets.lowerBound
    }
  }

  private static func tooLarge(_ field: String, _ at: Int) -> FormatFault {
    FormatFault(
      field: field, offset: at, message: "is above 9223372036854775807, the largest whole number, at offset \(at)", kind: .value)
  }

  private static func bytes(_ span: RawSpan, _ at: Int, _ count: Int) -> [UInt8] {
    var rest = span.extracting(droppingFirst: at)
    return (try? rest.readBytes(count)) ?? []
  }

  private static func size(
    _ size: FormatArithmetic?, _ name: String, _ span: RawSpan, _ at: Int, _ registers: [Int64], _ base: Int
  ) throws(FormatFault) -> Int {
    guard let size else { return span.byteCount - at }
    guard let count = size.value(registers, span, from: base, to: at), count >= 0 else {
      throw FormatFault(field: name, offset: at, message: "has a size that makes no sense")
    }
    guard count <= Int64(span.byteCount - at) else { throw short(name, Int(clamping: count), at, span) }
    return Int(count)
  }

  /// Everything that is not a number of its own.
  private static func value(
    _ type: FormatType, _ name: String, _ span: RawSpan, _ at: inout Int, _ registers: [Int64], _ base: Int,
    _ zone: borrowing TimeZoneRules, _ trace: inout FormatTrace?
  ) throws(FormatFault) -> Value {
    switch type {
    case .number(let number):
      guard span.byteCount - at >= number.type.size else { throw short(name, number.type.size, at, span) }
      let raw = number.type.raw(span, at: at)
      let decoded = number.value(of: raw)
      if case .real = decoded, number.isTooLarge(raw) { throw tooLarge(name, at) }
      at += number.type.size
      return decoded
    case .bytes(let wanted):
      let count = try size(wanted, name, span, at, registers, base)
      defer { at += count }
      return .bytes(bytes(span, at, count))
    case .text(let wanted):
      let count = try size(wanted, name, span, at, registers, base)
      var octets = bytes(span, at, count)
      while octets.last == 0 { octets.removeLast() }
      guard let text = String(validating: octets, as: UTF8.self) else {
        let bad = firstInvalid(octets)
        throw FormatFault(field: name, offset: at + bad, message: "is not UTF-8 at offset \(at + bad)")
      }
      at += count
      return .text(text)
    case .uuid(let count, let isBigEndian):
      guard span.byteCount - at >= count else { throw short(name, count, at, span) }
      let low = NumberType(.unsigned, size: min(count, 8), isBigEndian: isBigEndian)
      defer { at += count }
      if count == 2 { return .uuid(UUID(UInt16(truncatingIfNeeded: low.raw(span, at: at)))) }
      let first = low.raw(span, at: at)
      let second = low.raw(span, at: at + 8)
      return .uuid(isBigEndian ? UUID(high: first, low: second) : UUID(high: second, low: first))
    case .address(let isBigEndian):
      guard span.byteCount - at >= 6 else { throw short(name, 6, at, span) }
      defer { at += 6 }
      return .address(AddressValue(bits: NumberType(.unsigned, size: 6, isBigEndian: isBigEndian).raw(span, at: at), kind: nil))
    case .dateTime(let isBigEndian):
      guard span.byteCount - at >= 7 else { throw short(name, 7, at, span) }
      let year = Int(NumberType(.unsigned, size: 2, isBigEndian: isBigEndian).raw(span, at: at))
      let parts = (2..<7).map { Int(span.octet(at + $0)) }
      // A zero says that the device does not know.
      if year == 0 || parts[0] == 0 || parts[1] == 0 {
        at += 7
        return .nothing
      }
      guard
        let civil = CivilTime(year: year, month: parts[0], day: parts[1], hour: parts[2], minute: parts[3], second: parts[4]),
        let time = zone.wallTime(local: civil)
      else {
        throw FormatFault(
          field: name, offset: at, count: 7,
          message: "is no date: \(year)-\(parts[0])-\(parts[1]) \(parts[2]):\(parts[3]):\(parts[4])")
      }
      at += 7
      return .time(time)
    case .eddystoneURL:
      guard let text = EddystoneURL.decode(bytes(span, at, span.byteCount - at)) else {
        throw FormatFault(field: name, offset: at, count: max(1, span.byteCount - at), message: "is no Eddystone URL")
      }
      at = span.byteCount
      return .text(text)
    case .reading(let reading):
      var map = trace == nil ? nil : SensorMap()
      guard let value = reading.decode(bytes(span, at, span.byteCount - at), &map) else {
        throw FormatFault(
          field: name, offset: at, count: max(1, span.byteCount - at), message: "is no \(reading.title)")
      }
      trace?.note(map, of: value, as: name, at)
      at = span.byteCount
      return value
    case .format(let plan):
      let before = trace?.entries.count ?? 0
      let value = try decode(plan, span, &at, keepsRest: false, zone, &trace)
      trace?.prefix(name, from: before)
      return value
    case .list(let count, let element): return try list(element, count, name, span, &at, registers, base, zone, &trace)
    }
  }

  private static func list(
    _ element: FormatType, _ count: FormatArithmetic?, _ name: String, _ span: RawSpan, _ at: inout Int, _ registers: [Int64],
    _ base: Int,
    _ zone: borrowing TimeZoneRules, _ trace: inout FormatTrace?
  ) throws(FormatFault) -> Value {
    var wanted = Int64.max
    if let count {
      guard let number = count.value(registers, span, from: base, to: at), number >= 0 else {
        throw FormatFault(field: name, offset: at, message: "has a size that makes no sense")
      }
      wanted = number
    }
    let fixed = element.fixedSize
    if let fixed, count != nil, fixed > 0, wanted > Int64((span.byteCount - at) / fixed) {
      throw short(name, Int(clamping: wanted.multipliedReportingOverflow(by: Int64(fixed)).partialValue.magnitude), at, span)
    }
    var list: [Value] = []
    if let fixed, fixed > 0 { list.reserveCapacity(min(Int(clamping: wanted), (span.byteCount - at) / fixed)) }
    while Int64(list.count) < wanted {
      if count == nil, at >= span.byteCount { break }
      // Bytes that are too few for one more are the rest.
      if count == nil, let fixed, span.byteCount - at < fixed { break }
      let start = at
      let value = try value(element, name, span, &at, registers, base, zone, &trace)
      // Elements without bytes would never end, or fill the memory.
      if at == start { throw FormatFault(field: name, offset: at, message: "has elements without bytes") }
      if trace != nil, !element.isComposite { trace?.note(start, at - start, "\(name)[\(list.count)]", value) }
      list.append(value)
    }
    return .list(list)
  }

  private static func check(
    _ always: FormatConstant, raw: UInt64, _ number: FormatNumber, _ name: String, _ registers: [Int64], _ span: RawSpan,
    _ base: Int,
    _ start: Int
  ) throws(FormatFault) {
    switch always {
    case .number(let arithmetic):
      guard let wanted = arithmetic.value(registers, span, from: base, to: start) else {
        throw FormatFault(field: name, offset: start, message: "has no value that it could be")
      }
      let mask: UInt64 = number.type.size == 8 ? .max : (1 << UInt64(8 * number.type.size)) - 1
      if UInt64(bitPattern: wanted) & mask != raw & mask {
        throw FormatFault(
          field: name, offset: start, count: number.type.size,
          message:
            "must be 0x\(String(UInt64(bitPattern: wanted) & mask, radix: 16)), and is 0x\(String(raw & mask, radix: 16)) at offset \(start)"
        )
      }
    case .real(let wanted):
      guard number.value(of: raw).double == wanted else {
        throw FormatFault(
          field: name, offset: start, count: number.type.size, message: "must be \(DecimalText.text(wanted)) at offset \(start)")
      }
    case .bytes(let wanted):
      var octets: [UInt8] = []
      number.type.write(raw: raw, to: &octets)
      if octets != wanted {
        throw FormatFault(
          field: name, offset: start, count: number.type.size, message: "must be \(Hex.text(wanted)) at offset \(start)")
      }
    case .text: break
    }
  }

  private static func check(_ always: FormatConstant, _ value: Value, _ name: String, _ start: Int) throws(FormatFault) {
    switch (always, value) {
    case (.bytes(let wanted), .bytes(let found)) where wanted == found: break
    case (.text(let wanted), .text(let found)) where wanted == found: break
    case (.bytes(let wanted), _):
      throw FormatFault(
        field: name, offset: start, count: max(1, wanted.count), message: "must be \(Hex.text(wanted)) at offset \(start)")
    case (.text(let wanted), _):
      throw FormatFault(
        field: name, offset: start, count: max(1, wanted.utf8.count), message: "must be \"\(wanted)\" at offset \(start)")
    default: break
    }
  }
}

extension FormatTrace {
  /// The last fields, as many as fit in a line: `state = locked`.
  var summary: String {
    var text = ""
    for entry in entries.reversed() {
      let part = "\(entry.name) = \(TextRendering.brief(entry.value, quoting: false))"
      if text.unicodeScalars.count + part.unicodeScalars.count > 60 { return text.isEmpty ? "" : "… " + text }
      text = text.isEmpty ? part : "\(part), \(text)"
    }
    return text
  }

  mutating func note(_ offset: Int, _ count: Int, _ name: String, _ value: Value, unit: String? = nil) {
    entries.append(Entry(offset: offset, count: count, name: name, value: value, unit: unit))
  }

  /// The fields of a reading; where it is all of a format, they are the format's.
  mutating func note(_ map: SensorMap?, of value: Value, as name: String, _ start: Int) {
    guard let map, case .record(let record) = value else { return }
    for part in map.parts {
      guard let value = record[part.name] else { continue }
      note(start + part.offset, part.count, name == "value" ? part.name : "\(name).\(part.name)", value)
    }
  }

  mutating func prefix(_ name: String, from start: Int) {
    for index in entries.indices.dropFirst(start) { entries[index].name = "\(name).\(entries[index].name)" }
  }
}

extension FormatType {
  /// How many bytes it always takes, if so.
  var fixedSize: Int? {
    switch self {
    case .number(let number): number.type.size
    case .uuid(let size, _): size
    case .address: 6
    case .dateTime: 7
    case .bytes(.constant(let size)), .text(.constant(let size)): Int(clamping: size)
    default: nil
    }
  }

  /// Its parts are in the trace by themselves.
  var isComposite: Bool {
    switch self {
    case .format, .list, .reading: true
    default: false
    }
  }
}

extension NumberType {
  /// A whole number as conditions see it.
  @inline(__always)
  func wholeRaw(_ raw: UInt64) -> Int64 { kind == .signed ? signed(raw) : Int64(bitPattern: raw) }
}

extension FormatNumber {
  /// Beyond 63 bits the language's whole numbers end; what is scaled is a number with fraction
  /// anyway.
  @inline(__always)
  func isTooLarge(_ raw: UInt64) -> Bool { type.kind == .unsigned && scale == nil && raw > UInt64(Int64.max) }

  @inline(__always)
  func value(of raw: UInt64) -> Value {
    if !meanings.isEmpty {
      let whole = type.wholeRaw(raw)
      for meaning in meanings where meaning.raw == whole { return meaning.word.value }
    }
    guard let scale else { return type.decode(raw: raw) }
    return scaled(raw, scale)
  }

  private func scaled(_ raw: UInt64, _ scale: FormatScale) -> Value {
    if type.kind == .medical {
      guard let (mantissa, exponent) = MedicalFloat.parts(raw, size: type.size) else { return .nothing }
      if scale.offset == 0, scale.factorDigits != 0 {
        let (digits, isOver) = mantissa.multipliedReportingOverflow(by: scale.factorDigits)
        if !isOver { return .real(DecimalNumber.double(digits, exponent: exponent + scale.factorExponent)) }
      }
      return .real(DecimalNumber.double(mantissa, exponent: exponent) * scale.factor + scale.offset)
    }
    if type.isWhole, scale.multiplier != 0, type.kind == .signed || raw <= UInt64(Int64.max) {
      let (product, isOver) = type.wholeRaw(raw).multipliedReportingOverflow(by: scale.multiplier)
      let (sum, isOverToo) = product.addingReportingOverflow(scale.addend)
      if !isOver, !isOverToo { return .real(DecimalNumber.double(sum, exponent: scale.exponent)) }
    }
    guard let number = type.decode(raw: raw).double else { return .nothing }
    return .real(number * scale.factor + scale.offset)
  }
}

extension FormatBit {
  func value(of group: UInt64) -> Value {
    let raw = group >> UInt64(shift) & mask
    for meaning in meanings where UInt64(bitPattern: meaning.raw) == raw { return meaning.word.value }
    if isSingle, meanings.isEmpty { return .bool(raw == 1) }
    return raw <= UInt64(Int64.max) ? .int(Int64(raw)) : .real(Double(raw))
  }
}

extension FormatMeaning.Word {
  @inline(__always)
  var value: Value {
    switch self {
    case .text(let word): .text(word)
    case .nothing: .nothing
    case .flag(let flag): .bool(flag)
    }
  }
}

extension FormatArithmetic {
  /// Nothing when it is out of range. `from ..< to` are the bytes of `before`.
  func value(_ registers: [Int64], _ span: RawSpan, from base: Int, to at: Int) -> Int64? {
    switch self {
    case .constant(let number): return number
    case .register(let register): return registers[register]
    case .bits(let register, let shift, let mask):
      return Int64(bitPattern: UInt64(bitPattern: registers[register]) >> UInt64(shift) & mask)
    case .binary(let operation, let left, let right):
      guard let x = left.value(registers, span, from: base, to: at), let y = right.value(registers, span, from: base, to: at) else {
        return nil
      }
      return Self.apply(operation, x, y)
    case .ofBefore(let checksum, let from, let to):
      let low = min(base + from, at)
      let high = min(to.map { base + $0 } ?? at, at)
      var rest = span.extracting(droppingFirst: low)
      let bytes = (try? rest.readBytes(max(0, high - low))) ?? []
      return checksum.value(of: bytes)
    }
  }
}

extension FormatChecksum {
  func value(of bytes: [UInt8]) -> Int64 {
    switch self {
    case .crc16: Int64(Checksum.crc16(bytes))
    case .crc32: Int64(Checksum.crc32(bytes))
    case .sum: bytes.reduce(0) { $0 + Int64($1) }
    case .count: Int64(bytes.count)
    }
  }
}

extension FormatCondition {
  func holds(_ registers: [Int64], _ span: RawSpan, from base: Int, to at: Int) -> Bool {
    switch self {
    case .bit(let register, let bit): return registers[register] >> Int64(bit) & 1 == 1
    case .truth(let number): return number.value(registers, span, from: base, to: at) ?? 0 != 0
    case .compare(let operation, let left, let right):
      guard let x = left.value(registers, span, from: base, to: at), let y = right.value(registers, span, from: base, to: at) else {
        return false
      }
      return Self.compare(operation, x, y)
    case .not(let inner): return !inner.holds(registers, span, from: base, to: at)
    case .and(let a, let b): return a.holds(registers, span, from: base, to: at) && b.holds(registers, span, from: base, to: at)
    case .or(let a, let b): return a.holds(registers, span, from: base, to: at) || b.holds(registers, span, from: base, to: at)
    }
  }

  static func compare(_ operation: BinaryOperator, _ x: Int64, _ y: Int64) -> Bool {
    switch operation {
    case .equal: x == y
    case .notEqual: x != y
    case .less: x < y
    case .lessOrEqual: x <= y
    case .greater: x > y
    case .greaterOrEqual: x >= y
    default: false
    }
  }
}
