package import Exchange
package import Recipe
package import Vocabulary

/// Decoding bytes.
extension FormatPlan {
  /// The value of these bytes; surplus bytes become its `.rest`. Fails with `decode`, the bytes and
  /// the place of the error.
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

  /// As `decode`, for bytes that may have another format; `nil` if they do not fit.
  func match(_ bytes: [UInt8], zone: TimeZoneRules) -> Value? {
    let span = bytes.span.bytes
    var at = 0
    var trace: FormatTrace?
    return try? FormatDecoder.decode(self, span, &at, keepsRest: true, zone, &trace)
  }

  /// As `decode`, with the map from bytes to fields up to an error.
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

  /// A decoding fault as a failure of the recipe.
  package func failure(_ fault: FormatFault, _ bytes: [UInt8], zone: TimeZoneRules) -> Failure {
    // Decode again to collect the fields before the error.
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
        let isWhole = trace?.note(start, bits, raw, plan.steps[index].name) ?? false
        for bit in bits.fields.indices {
          let field = bits.fields[bit]
          guard let output = field.output else { continue }
          let value = field.value(of: raw)
          if case .real = value { throw tooLarge(field.name, start) }
          if plan.isSingleValue { single = value } else { fields[output].value = value }
          if !isWhole { trace?.note(start, at - start, field.name, value) }
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
          let before = trace?.entries.count ?? 0
          decoded = try value(other, plan.steps[index].name, span, &at, registers, base, zone, &trace)
          if case .list = other { trace?.setUnit(plan.steps[index].output.flatMap { plan.outputs[$0].unit }, from: before) }
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
          throw FormatFault(field: "skip", offset: at, message: "has an invalid size")
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
        "needs \(needed) byte\(needed == 1 ? "" : "s") at offset \(at), \(left == 0 ? "but the value ends there" : "but only \(left) \(left == 1 ? "is" : "are") left")",
      isShort: true)
  }

  /// The offset of the first octet that is not valid UTF-8.
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
      throw FormatFault(field: name, offset: at, message: "has an invalid size")
    }
    guard count <= Int64(span.byteCount - at) else { throw short(name, Int(clamping: count), at, span) }
    return Int(count)
  }

  /// Decodes everything except plain numbers.
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
      // A zero means that the device does not know the date.
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
          message: "is not a date: \(year)-\(parts[0])-\(parts[1]) \(parts[2]):\(parts[3]):\(parts[4])")
      }
      at += 7
      return .time(time)
    case .eddystoneURL:
      guard let text = EddystoneURL.decode(bytes(span, at, span.byteCount - at)) else {
        throw FormatFault(field: name, offset: at, count: max(1, span.byteCount - at), message: "is not an Eddystone URL")
      }
      at = span.byteCount
      return .text(text)
    case .reading(let reading):
      var map = trace == nil ? nil : SensorMap()
      guard let value = reading.decode(bytes(span, at, span.byteCount - at), &map) else {
        throw FormatFault(
          field: name, offset: at, count: max(1, span.byteCount - at), message: "cannot be read as \(reading.title)")
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
        throw FormatFault(field: name, offset: at, message: "has an invalid size")
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
      // Bytes that are too few for another element are the rest.
      if count == nil, let fixed, span.byteCount - at < fixed { break }
      let start = at
      let value = try value(element, name, span, &at, registers, base, zone, &trace)
      // Elements without bytes would never end, or fill the memory.
      if at == start { throw FormatFault(field: name, offset: at, message: "has elements of zero bytes") }
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
            "must be 0x\(String(UInt64(bitPattern: wanted) & mask, radix: 16)), but is 0x\(String(raw & mask, radix: 16)) at offset \(start)"
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
