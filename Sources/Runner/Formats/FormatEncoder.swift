package import Exchange
package import Recipe
package import Vocabulary

/// Encoding values.
extension FormatPlan {
  /// Bytes are passed through; other values are encoded by the format. Presence bits, widths and
  /// sizes are derived. All unconditional fields must be given. Fails with `value`.
  package func encode(_ value: Value, zone: TimeZoneRules) throws(Failure) -> [UInt8] {
    if case .bytes(let bytes) = value, !isSingleValue { return bytes }
    var bytes: [UInt8] = []
    var encoder = FormatEncoder(plan: self, zone: zone)
    try encoder.encode(value, to: &bytes)
    return bytes
  }
}

private struct FormatEncoder {
  let plan: FormatPlan
  let zone: TimeZoneRules
  /// Values by output; `nil` if not given.
  var given: [Value?] = []
  var rest: [UInt8] = []
  var registers: [Int64] = []
  /// The derived bits of each register that are decided.
  var decided: [UInt64] = []
  /// The steps that the searches for derived bits may still take. Few formats need a hundred.
  var searchLeft = 20_000

  init(plan: FormatPlan, zone: TimeZoneRules) {
    self.plan = plan
    self.zone = zone
  }

  mutating func encode(_ value: Value, to bytes: inout [UInt8]) throws(Failure) {
    try take(value)
    try checkGiven()
    registers = Array(repeating: 0, count: plan.registers)
    decided = Array(repeating: 0, count: plan.registers)
    try fillRegisters()
    try decidePresence()
    let base = bytes.count
    for index in plan.steps.indices { try write(index, base: base, to: &bytes) }
    bytes += rest
  }

  // MARK: Given values

  private mutating func take(_ value: Value) throws(Failure) {
    given = Array(repeating: nil, count: plan.outputs.count)
    if case .record(let record) = value, !isOneRecord(record) {
      for field in record.fields {
        if let output = plan.output(named: field.key) {
          given[output] = field.value
        } else if field.key == "rest", case .bytes(let bytes) = field.value {
          rest = bytes
        } else {
          throw .value("`\(plan.name)` has no field `\(field.key)`; it has \(names)")
        }
      }
    } else if plan.outputs.count == 1 {
      given[0] = value
    } else {
      throw .value("`\(plan.name)` is written from a record with \(names), not from \(value.typeName)")
    }
  }

  /// Whether the record is itself the only value.
  private func isOneRecord(_ record: Record) -> Bool {
    guard plan.isSingleValue, record["value"] == nil else { return false }
    return plan.steps.contains { step in
      if step.output == 0, case .value(.format, _) = step.kind { return true }
      return false
    }
  }

  private var names: String { plan.outputs.isEmpty ? "no fields" : plan.outputs.map(\.name).joined(separator: ", ") }

  private func checkGiven() throws(Failure) {
    for step in plan.steps where step.always == nil && !step.isOptional && step.sizeOf.isEmpty {
      if let output = step.output, given[output] == nil, !plan.mayBeLeftOut(step) { throw needs(step.name) }
    }
    for step in plan.steps {
      guard case .bits(let bits) = step.kind else { continue }
      // `{bpm: 72}` is a complete heart rate; a group of flags without any given flag is
      // incomplete.
      if plan.isBuiltIn, bits.fields.contains(where: { $0.output.map { given[$0] != nil } ?? true }) { continue }
      for bit in bits.fields { if let output = bit.output, given[output] == nil { throw needs(bit.name) } }
    }
  }

  private func needs(_ field: String) -> Failure {
    .value("`\(plan.name)` needs `\(field)`", hint: "only a conditional field may be left out")
  }

  private func value(of step: FormatStep) -> Value? { step.output.flatMap { given[$0] } }

  private func isGiven(_ step: FormatStep) -> Bool {
    if let value = value(of: step), !value.isNothing { return true }
    return step.sizeOf.contains { isGiven(plan.steps[$0.step]) }
  }

  /// A number that is derived from the size of a field.
  private func size(_ step: FormatStep) -> Int64? {
    guard let first = step.sizeOf.first, value(of: step)?.isNothing ?? true else { return nil }
    let sized = step.sizeOf.first { isGiven(plan.steps[$0.step]) } ?? first
    return Int64(value(of: plan.steps[sized.step]).map { count($0, inside: sized.lists) } ?? 0) + sized.offset
  }

  // MARK: Registers

  private mutating func fillRegisters() throws(Failure) {
    for index in plan.steps.indices {
      let step = plan.steps[index]
      switch step.kind {
      case .bits(let bits):
        var raw: UInt64 = 0
        for bit in bits.fields {
          guard let output = bit.output, let value = given[output] else { continue }
          raw |= try named(bit.name) { () throws(Failure) in try bit.raw(of: value) } << UInt64(bit.shift)
        }
        if let register = step.register { registers[register] = Int64(bitPattern: raw) }
      case .value(.number(let first), let second):
        guard let register = step.register, size(step) == nil else { continue }
        // `decidePresence` chooses between the two types.
        var number = first
        if case .number(let other)? = second, !fits(.number(first), step) { number = other }
        if case .number(.constant(let constant)) = step.always {
          registers[register] = constant
        } else if step.always == nil, !step.isOptional || isGiven(step) {
          registers[register] = number.type.wholeRaw(try raw(number, step))
        }
      case .value, .skip: break
      }
    }
    for step in plan.steps {
      if let register = step.register, let size = size(step) { registers[register] = size }
    }
  }

  private func named<Result>(_ name: String, _ work: () throws(Failure) -> Result) throws(Failure) -> Result {
    do {
      return try work()
    } catch {
      var failure = error
      failure.message = "`\(name)` of `\(plan.name)`: \(error.message)"
      throw failure
    }
  }

  private func raw(_ number: FormatNumber, _ step: FormatStep) throws(Failure) -> UInt64 {
    guard let value = value(of: step) else {
      if step.output == nil || plan.mayBeLeftOut(step) { return number.missing }
      throw needs(step.name)
    }
    return try named(step.name) { () throws(Failure) in try number.raw(of: value) }
  }

  /// The number of elements or bytes of a sized value; inside lists, that of the longest element.
  private func count(_ value: Value, inside lists: Int) -> Int {
    switch value {
    case .list(let list): lists == 0 ? list.count : list.map { count($0, inside: lists - 1) }.max() ?? 0
    case .bytes(let bytes): bytes.count
    case .text(let text): text.utf8.count
    default: 0
    }
  }

  // MARK: Presence bits and widths

  private mutating func decidePresence() throws(Failure) {
    let optional = plan.steps.filter(\.isOptional)
    let present = optional.filter { isGiven($0) }
    let absent = optional.filter { !isGiven($0) && $0.output != nil && !plan.mayBeLeftOut($0) }
    if !solve(goals(present, absent)) {
      let failure = refusal(present, absent)
      throw searchLeft > 0 ? failure : tooManyConditions
    }
    // First decide where only one type fits the value, then the rest.
    for forced in [true, false] {
      for step in plan.steps {
        guard case .value(let first, .some(let second)) = step.kind, let condition = step.condition, known(condition) == nil else {
          continue
        }
        let fitsFirst = fits(first, step)
        let fitsSecond = fits(second, step)
        if forced {
          if fitsFirst != fitsSecond { _ = solve([(condition, fitsFirst)]) }
        } else {
          // Prefer the narrow type. If neither fits, choose the wide one, so that its error is
          // reported.
          let isFirstNarrow = (first.fixedSize ?? 0) < (second.fixedSize ?? 0)
          _ = solve([(condition, isFirstNarrow == fitsSecond)])
        }
      }
    }
    if searchLeft <= 0 { throw tooManyConditions }
  }

  /// What a condition must give.
  private typealias Goal = (condition: FormatCondition, wanted: Bool)

  private func goals(_ present: [FormatStep], _ absent: [FormatStep]) -> [Goal] {
    present.compactMap { step in step.condition.map { ($0, true) } }
      + absent.compactMap { step in step.condition.map { ($0, false) } }
  }

  /// Whether there is a solution; decides nothing.
  private mutating func canSolve(_ goals: [Goal]) -> Bool {
    let before = (registers, decided)
    defer { (registers, decided) = before }
    return solve(goals)
  }

  private var tooManyConditions: Failure {
    .value("the conditions of `\(plan.name)` are too many to find the bits for this value", hint: "write its bytes: `hex \"…\"`")
  }

  /// Names the field that cannot be given; or those that would each be enough; or the first one
  /// without which there is no value.
  private mutating func refusal(_ present: [FormatStep], _ absent: [FormatStep]) -> Failure {
    for (place, step) in present.enumerated() where step.condition == nil || !canSolve(goals(Array(present[...place]), [])) {
      return .value("`\(step.name)` cannot be given here: the other fields of `\(plan.name)` rule it out")
    }
    var names: [String] = []
    for step in absent where canSolve(goals(present + [step], absent.filter { $0.name != step.name })) { names.append(step.name) }
    for place in absent.indices where names.isEmpty && !canSolve(goals(present, Array(absent[...place]))) {
      names = [absent[place].name]
    }
    return .value("`\(plan.name)` needs \(names.sorted().map { "`\($0)`" }.joined(separator: " or "))")
  }

  private func fits(_ type: FormatType, _ step: FormatStep) -> Bool {
    guard case .number(let number) = type else { return true }
    if let size = size(step) { return (try? number.type.raw(.int(size))) != nil }
    guard let value = value(of: step) else { return true }
    return (try? number.raw(of: value)) != nil
  }

  private func known(_ condition: FormatCondition) -> Bool? {
    switch condition {
    case .bit(let register, let bit):
      return decided[register] >> UInt64(bit) & 1 == 1 ? registers[register] >> Int64(bit) & 1 == 1 : nil
    case .truth, .compare: return holds(condition)
    case .not(let inner): return known(inner).map { !$0 }
    case .and(let a, let b):
      let (x, y) = (known(a), known(b))
      if x == false || y == false { return false }
      return x == true && y == true ? true : nil
    case .or(let a, let b):
      let (x, y) = (known(a), known(b))
      if x == true || y == true { return true }
      return x == false && y == false ? false : nil
    }
  }

  private func holds(_ condition: FormatCondition) -> Bool {
    let none: [UInt8] = []
    return condition.holds(registers, none.span.bytes, from: 0, to: 0)
  }

  /// Whether there may be several ways to give a condition this result.
  private func isChoice(_ condition: FormatCondition, _ wanted: Bool) -> Bool {
    switch condition {
    case .bit, .truth, .compare: false
    case .not(let inner): isChoice(inner, !wanted)
    case .and(let a, let b): wanted ? false : known(a) == nil && known(b) == nil
    case .or(let a, let b): wanted ? known(a) == nil && known(b) == nil : false
    }
  }

  /// Decides derived bits so that all conditions have the wanted results. If there are several
  /// ways, takes the first part of an `or` or `and`. Returns false, and decides nothing, if there
  /// is none or the search takes too long.
  private mutating func solve(_ goals: [Goal]) -> Bool {
    if goals.isEmpty { return true }
    searchLeft -= 1
    if searchLeft < 0 { return false }
    // A goal that leaves no choice comes first.
    let place = goals.firstIndex { known($0.condition) != nil || !isChoice($0.condition, $0.wanted) } ?? goals.startIndex
    let (condition, wanted) = goals[place]
    var rest = goals
    rest.remove(at: place)
    if let known = known(condition) { return known == wanted && solve(rest) }
    switch condition {
    case .bit(let register, let bit):
      let before = (registers, decided)
      decided[register] |= 1 << UInt64(bit)
      if wanted { registers[register] |= 1 << Int64(bit) }
      if solve(rest) { return true }
      (registers, decided) = before
      return false
    case .truth, .compare: return holds(condition) == wanted && solve(rest)
    case .not(let inner): return solve([(inner, !wanted)] + rest)
    case .and(let a, let b):
      return wanted ? solve([(a, true), (b, true)] + rest) : solve([(a, false)] + rest) || solve([(b, false)] + rest)
    case .or(let a, let b):
      return wanted ? solve([(a, true)] + rest) || solve([(b, true)] + rest) : solve([(a, false), (b, false)] + rest)
    }
  }

  // MARK: Writing

  private func write(_ index: Int, base: Int, to bytes: inout [UInt8]) throws(Failure) {
    let step = plan.steps[index]
    let isTrue = step.condition.map { holds($0) } ?? true
    switch step.kind {
    case .bits(let bits): bits.storage.write(raw: UInt64(bitPattern: registers[step.register ?? 0]), to: &bytes)
    case .skip(let size):
      let count = value(size, bytes, base)
      guard let count, (0...65_535).contains(count) else {
        throw .value("`\(plan.name)` would skip an invalid number of bytes")
      }
      bytes += Array(repeating: 0, count: Int(count))
    case .value(let first, let second):
      if !isTrue, second == nil { return }
      let type = isTrue ? first : second ?? first
      if let always = step.always {
        let start = bytes.count
        try write(always, type, step, base, to: &bytes)
        try refuseOther(always, type, step, base, bytes, from: start)
      } else if case .number(let number) = type {
        if let size = size(step) {
          number.type.write(raw: try named(step.name) { () throws(Failure) in try number.type.raw(.int(size)) }, to: &bytes)
        } else {
          number.type.write(raw: try raw(number, step), to: &bytes)
        }
      } else {
        guard let value = value(of: step) ?? partLeftOut(step, type) else {
          guard step.output == nil else { throw needs(step.name) }
          bytes += type.empty ?? []
          return
        }
        let field = try named(step.name) { () throws(Failure) in try octets(value, type, bytes, base) }
        bytes += field
      }
    }
  }

  /// The value of a part that may be left out: `nothing` in each of its fields.
  private func partLeftOut(_ step: FormatStep, _ type: FormatType) -> Value? {
    guard case .format(let part) = type, plan.mayBeLeftOut(step) else { return nil }
    return .record(Record(part.outputs.map { Record.Field($0.name, .nothing) }))
  }

  private func value(_ arithmetic: FormatArithmetic, _ bytes: [UInt8], _ base: Int) -> Int64? {
    arithmetic.value(registers, bytes.span.bytes, from: base, to: bytes.count)
  }

  private func write(_ always: FormatConstant, _ type: FormatType, _ step: FormatStep, _ base: Int, to bytes: inout [UInt8])
    throws(Failure)
  {
    switch (always, type) {
    case (.number(let arithmetic), .number(let number)):
      guard let wanted = value(arithmetic, bytes, base) else { throw .value("`\(step.name)` of `\(plan.name)` is out of range") }
      number.type.write(raw: UInt64(bitPattern: wanted), to: &bytes)
    case (.real(let wanted), .number(let number)):
      let raw = try named(step.name) { () throws(Failure) in try number.raw(of: .real(wanted)) }
      number.type.write(raw: raw, to: &bytes)
    case (.bytes(let wanted), _): bytes += wanted
    case (.text(let wanted), _): bytes += try octets(.text(wanted), type, bytes, base)
    default: break
    }
  }

  /// Refuses a given value that is not the constant which was written from `start` on. A computed
  /// field, such as a checksum, is computed again instead.
  private func refuseOther(
    _ always: FormatConstant, _ type: FormatType, _ step: FormatStep, _ base: Int, _ bytes: [UInt8], from start: Int
  ) throws(Failure) {
    guard let value = value(of: step), !value.isNothing else { return }
    if case .bytes(let own) = value, own == Array(bytes[start...]) { return }
    let constant: String
    switch always {
    case .number(.constant(let number)): constant = "\(number)"
    case .number: return
    case .real(let number): constant = DecimalText.text(number)
    case .bytes(let octets): constant = "hex \"\(Hex.text(octets))\""
    case .text(let text): constant = "\"\(text)\""
    }
    let given = try named(step.name) { () throws(Failure) in try octets(value, type, Array(bytes[..<start]), base) }
    guard given == Array(bytes[start...]) else {
      throw .value("`\(step.name)` of `\(plan.name)` is always \(constant)", hint: "leave it out, or give it this value")
    }
  }

  /// The bytes of a field that is not a plain number; `before` are those written so far.
  private func octets(_ value: Value, _ type: FormatType, _ before: [UInt8], _ base: Int) throws(Failure) -> [UInt8] {
    var bytes: [UInt8] = []
    switch type {
    case .number(let number): number.type.write(raw: try number.raw(of: value), to: &bytes)
    case .bytes(let size):
      guard case .bytes(let given) = value else { throw .value("takes bytes, not \(value.typeName)") }
      if let size, self.value(size, before, base) != Int64(given.count) {
        throw .value("has \(self.value(size, before, base) ?? 0) bytes, not \(given.count)")
      }
      bytes = given
    case .text(let size):
      guard case .text(let text) = value else { throw .value("takes a text, not \(value.typeName)") }
      bytes = Array(text.utf8)
      if let size {
        guard let wanted = self.value(size, before, base), wanted >= Int64(bytes.count), wanted <= 65_535 else {
          throw .value("\"\(text)\" takes \(bytes.count) bytes; there is room for \(self.value(size, before, base) ?? 0)")
        }
        bytes += Array(repeating: 0, count: Int(wanted) - bytes.count)
      }
    case .uuid(let size, let isBigEndian):
      guard let uuid = Self.uuid(value) else { throw .value("takes a UUID, not \(value.typeName)") }
      var writer = ByteWriter()
      if size == 2 {
        guard let short = uuid.short else { throw .value("\(uuid) has no 16-bit form") }
        writer.put(short)
      } else {
        uuid.write(to: &writer)
      }
      bytes = isBigEndian ? writer.bytes.reversed() : writer.bytes
    case .address(let isBigEndian):
      var address: AddressValue?
      if case .address(let given) = value { address = given }
      if case .text(let text) = value { address = AddressValue(text) }
      guard let address else { throw .value("takes an address, not \(value.typeName)") }
      NumberType(.unsigned, size: 6, isBigEndian: isBigEndian).write(raw: address.bits, to: &bytes)
    case .dateTime(let isBigEndian):
      if value.isNothing { return [0, 0, 0, 0, 0, 0, 0] }
      guard case .time(let time) = value else { throw .value("takes a time, not \(value.typeName)") }
      let civil = zone.civil(time)
      NumberType(.unsigned, size: 2, isBigEndian: isBigEndian).write(raw: UInt64(clamping: civil.year), to: &bytes)
      bytes += [civil.month, civil.day, civil.hour, civil.minute, civil.second].map { UInt8(clamping: $0) }
    case .eddystoneURL:
      guard case .text(let text) = value, let url = EddystoneURL.encode(text) else {
        throw .value("takes a URL with http:// or https://")
      }
      bytes = url
    case .reading(let reading):
      guard case .bytes(let given) = value else {
        throw .value("takes bytes, not \(value.typeName): \(reading.title) can only be decoded")
      }
      bytes = given
    case .format(let plan):
      if case .bytes(let given) = value, !plan.isSingleValue { return given }
      var encoder = FormatEncoder(plan: plan, zone: zone)
      try encoder.encode(value, to: &bytes)
    case .list(let count, let element):
      guard case .list(let list) = value else { throw .value("takes a list, not \(value.typeName)") }
      if let count, self.value(count, before, base) != Int64(list.count) {
        throw .value("has \(self.value(count, before, base) ?? 0) elements, not \(list.count)")
      }
      for one in list {
        let part = try octets(one, element, before, base)
        // The decoder refuses them, because they would not determine the number of elements.
        guard !part.isEmpty else { throw .value("has elements of zero bytes") }
        bytes += part
      }
    }
    return bytes
  }

  private static func uuid(_ value: Value) -> UUID? {
    switch value {
    case .uuid(let uuid): uuid
    case .text(let text): UUID(text)
    case .int(let number): UInt16(exactly: number).map { UUID($0) }
    default: nil
    }
  }
}

extension FormatType {
  /// The bytes of a field that is never part of the value and is not a plain number.
  fileprivate var empty: [UInt8]? {
    guard case .format(let plan) = self else { return fixedSize.map { Array(repeating: 0, count: $0) } }
    var bytes: [UInt8] = []
    for step in plan.steps {
      switch step.kind {
      case .bits(let bits): bytes += Array(repeating: 0, count: bits.storage.size)
      case .value(let type, _):
        guard step.condition == nil, step.always == nil, let size = type.fixedSize else { return nil }
        bytes += Array(repeating: 0, count: size)
      case .skip: return nil
      }
    }
    return bytes
  }
}

extension FormatNumber {
  /// The raw number for a missing value.
  fileprivate var missing: UInt64 {
    if let meaning = meanings.first(where: { $0.word == .nothing }) { return UInt64(bitPattern: meaning.raw) }
    return type.kind == .medical ? MedicalFloat.notANumber(size: type.size) : 0
  }

  fileprivate func raw(of value: Value) throws(Failure) -> UInt64 {
    if !meanings.isEmpty {
      for meaning in meanings where meaning.word.value == value { return try type.raw(.int(meaning.raw)) }
      if case .text(let word) = value {
        throw .value("`\(word)` is not one of its meanings: \(meanings.map(\.word.text).joined(separator: ", "))")
      }
    }
    guard let scale, !value.isNothing else { return try type.raw(value, advising: false) }
    guard let number = value.double else { throw .value("takes a number, not \(value.typeName)") }
    var unscaled = number - scale.offset
    // Dividing by a power of ten rounds only once: 0.98 mg by 100000 is 0.0000098.
    if scale.offset == 0, scale.factorDigits == 1, scale.factorExponent > 0, scale.factorExponent <= 22 {
      unscaled = number / DecimalNumber.double(1, exponent: scale.factorExponent)
    } else {
      unscaled /= scale.factor
    }
    guard type.isWhole else { return try type.raw(.real(unscaled), advising: false) }
    guard let whole = Int64(exactly: unscaled.rounded()), type.bounds.contains(whole) else {
      let low = Double(type.bounds.lowerBound) * scale.factor + scale.offset
      let high = Double(type.bounds.upperBound) * scale.factor + scale.offset
      throw .value(
        "\(DecimalText.text(number)) is out of range (\(DecimalText.text(min(low, high))) to \(DecimalText.text(max(low, high))))")
    }
    return try type.raw(.int(whole))
  }
}

extension FormatBit {
  fileprivate func raw(of value: Value) throws(Failure) -> UInt64 {
    for meaning in meanings where meaning.word.value == value { return UInt64(bitPattern: meaning.raw) & mask }
    switch value {
    case .bool(let flag) where isSingle && meanings.isEmpty: return flag ? 1 : 0
    case .text(let word) where !meanings.isEmpty:
      throw .value("`\(word)` is not one of its meanings: \(meanings.map(\.word.text).joined(separator: ", "))")
    default:
      guard let number = value.whole, number >= 0, UInt64(number) <= mask else {
        throw .value(isSingle ? "is a bit: true or false" : "takes 0 to \(mask), not \(TextRendering.brief(value))")
      }
      return UInt64(number)
    }
  }
}

extension FormatMeaning.Word {
  fileprivate var text: String {
    switch self {
    case .text(let word): word
    case .nothing: "nothing"
    case .flag(let flag): "\(flag)"
    }
  }
}
