import Exchange
import Vocabulary

/// T215 and T216: constant values that cannot be encoded as the bytes of an attribute.
///
/// Checks everything that writes: `write`, `notify`, `indicate`, `update`, `answer`, `starts as`.
/// It refuses exactly what the run would refuse.
extension Checker {
  mutating func encodable(_ value: Expression, for attribute: AttributePathSyntax, _ place: Place) {
    guard let format = format(of: attribute) else { return sizeless(value, for: attribute, place) }
    guard let plan = plan(ofFormat: format) else { return }
    if case .bytes? = kind(of: value) { return }
    let literal = literal(value, place)
    var encoding = Encoding(plan: plan, title: "`\(format)`", place: place)
    // Point at the name: its value may be declared far from here.
    if literal.range != value.range { encoding.site = value.range }
    encodable(literal, encoding)
  }

  /// A value to encode: its format, and where it is written.
  private struct Encoding {
    var plan: FormatPlan
    /// How a message calls the field, or the format of a single value.
    var title: String
    var place: Place
    /// The range of the name, if a name stands for the value.
    var site: SourceRange?

    func at(_ value: Expression) -> SourceRange { site ?? value.range }
  }

  /// The reason why a value cannot be encoded.
  private struct Refusal {
    var message: String
    var hint = ""
    var range: SourceRange
    var fixes: [Fix] = []
    var notes: [String] = []
  }

  private mutating func report(_ refusal: Refusal?) {
    guard let refusal else { return }
    report(
      Diagnostic("T215", refusal.message, at: refusal.range, refusal.hint, fixes: refusal.fixes, notes: refusal.notes))
  }

  /// The value that a name stands for, if it is constant.
  private func literal(_ value: Expression, _ place: Place, steps: Int = 8) -> Expression {
    guard case .name(let name) = value.kind, steps > 0, let constant = constantValue(name, place) else { return value }
    return literal(constant, place, steps: steps - 1)
  }

  // MARK: - values with a format

  private mutating func encodable(_ value: Expression, _ encoding: Encoding) {
    let plan = encoding.plan
    if case .record(let entries) = value.kind, !plan.isSingleValue || isItsField(entries, plan) {
      return fields(entries, value, encoding)
    }
    guard plan.outputs.count == 1 else {
      guard kind(of: value) != .record, let what = name(of: value) else { return }
      let names = plan.outputs.map(\.name)
      return report(
        Refusal(
          message: "\(encoding.title) is a record, not \(what)", hint: names.first.map { "as in `{\($0): …}`" } ?? "",
          range: encoding.at(value), notes: names.isEmpty ? [] : ["it has \(names.joined(separator: ", "))"]))
    }
    // Only the run knows the fields of a record with a name: it may be the whole value.
    if kind(of: value) == .record, case .record = value.kind {} else if kind(of: value) == .record { return }
    output(0, value, encoding)
  }

  /// Whether a record is `{value: 5}` for a format whose only field is `value`.
  private func isItsField(_ entries: [RecordEntry], _ plan: FormatPlan) -> Bool {
    entries.contains { $0.key.text == "value" }
      || !plan.steps.contains { step in
        if step.output == 0, case .value(.format, _) = step.kind { true } else { step.output == 0 }
      }
  }

  private mutating func fields(_ entries: [RecordEntry], _ value: Expression, _ encoding: Encoding) {
    let plan = encoding.plan
    for entry in entries where entry.key.text != "rest" {
      guard let output = plan.output(named: entry.key.text) else {
        let known = plan.outputs.map(\.name)
        let near = nearest(to: entry.key, among: known)
        report(
          Diagnostic(
            "T208", "\(plan.name) has no field `\(entry.key.text)`", at: encoding.site ?? entry.key.range,
            near.map { "did you mean `\($0)`?" } ?? "",
            fixes: near.map { [.replace(entry.key.range, with: $0)] } ?? [], notes: ["it has \(known.joined(separator: ", "))"]))
        continue
      }
      var inner = encoding
      inner.title = "`\(entry.key.text)` of \(plan.name)"
      let literal = literal(entry.value, encoding.place)
      if literal.range != entry.value.range { inner.site = encoding.site ?? entry.value.range }
      self.output(output, literal, inner)
    }
    guard let missing = missing(plan, Set(entries.map(\.key.text))) else { return }
    report(
      Refusal(
        message: "\(plan.name) needs `\(missing)`", hint: "only a conditional field can be left out",
        range: encoding.at(value)))
  }

  /// The first required field that is missing.
  private func missing(_ plan: FormatPlan, _ given: Set<String>) -> String? {
    func isGiven(_ output: Int) -> Bool { given.contains(plan.outputs[output].name) }
    for step in plan.steps where step.always == nil && !step.isOptional && step.sizeOf.isEmpty {
      if let output = step.output, !isGiven(output), !plan.mayBeLeftOut(step) { return step.name }
    }
    for case .bits(let bits) in plan.steps.map(\.kind) {
      if plan.isBuiltIn, bits.fields.contains(where: { $0.output.map(isGiven) ?? true }) { continue }
      for bit in bits.fields { if let output = bit.output, !isGiven(output) { return bit.name } }
    }
    return nil
  }

  private mutating func output(_ output: Int, _ value: Expression, _ encoding: Encoding) {
    for step in encoding.plan.steps {
      switch step.kind {
      case .bits(let bits):
        for bit in bits.fields where bit.output == output { report(refusal(value, bit, encoding)) }
      case .value(let type, _) where step.output == output && step.always != nil:
        report(otherThanAlways(value, type, step.always, encoding))
      case .value(let type, let other) where step.output == output:
        // `nothing` leaves out an optional field.
        if step.isOptional, case .nothing = value.kind { continue }
        guard let other else {
          encodable(value, as: type, encoding)
          continue
        }
        // The type depends on other fields or on the value, so only report what fits neither type.
        guard refusal(value, type, encoding) != nil, let last = refusal(value, other, encoding) else { continue }
        report(type.isWider(than: other) ? refusal(value, type, encoding) : last)
      default: continue
      }
    }
  }

  /// The refusal of a constant for a field that is always another one.
  private func otherThanAlways(_ value: Expression, _ type: FormatType, _ always: FormatConstant?, _ encoding: Encoding) -> Refusal?
  {
    let wanted: String
    switch (always, type, value.kind) {
    case (.number(.constant(let number)), .number(let field), _):
      guard field.scale == nil, case .number(let given)? = constant(value, encoding.place), given != Double(number) else {
        return nil
      }
      wanted = "\(number)"
    case (.text(let text), _, .string(let given)):
      guard let plain = given.plain, plain != text else { return nil }
      wanted = "\"\(text)\""
    case (.bytes(let bytes), .bytes, .bytes(let given)):
      if given == bytes { return nil }
      wanted = "hex \"\(Hex.text(bytes))\""
    default: return nil
    }
    return Refusal(
      message: "\(encoding.title) is always \(wanted)", hint: "leave it out, or give it this value", range: encoding.at(value))
  }

  private mutating func encodable(_ value: Expression, as type: FormatType, _ encoding: Encoding) {
    switch (type, value.kind) {
    case (.format(let plan), _):
      if !plan.isSingleValue, kind(of: value) == .bytes { return }
      var inner = encoding
      inner.plan = plan
      encodable(value, inner)
    case (.list(let count, let element), .list(let items)):
      if case .constant(let size)? = count, size != Int64(items.count) {
        report(
          Refusal(
            message: "\(encoding.title) has \(size) \(size == 1 ? "element" : "elements"), not \(items.count)",
            range: encoding.at(value)))
      }
      for item in items { encodable(literal(item, encoding.place), as: element, encoding) }
    default: report(refusal(value, type, encoding))
    }
  }

  // MARK: - single values

  /// How a message calls the value; `nil` if it is known only at run time.
  private func name(of value: Expression) -> String? {
    switch value.kind {
    case .nothing: "`nothing`"
    case .boolean(let flag): "`\(flag)`"
    default: kind(of: value)?.rawValue
    }
  }

  private func refusal(_ value: Expression, _ type: FormatType, _ encoding: Encoding) -> Refusal? {
    let wanted: String
    switch type {
    case .number(let number): return refusal(value, number, encoding)
    case .bytes(let size):
      if case .bytes(let bytes) = value.kind, case .constant(let wanted)? = size, wanted != Int64(bytes.count) {
        return Refusal(
          message: "\(encoding.title) has \(wanted) \(wanted == 1 ? "byte" : "bytes"), not \(bytes.count)",
          range: encoding.at(value))
      }
      if kind(of: value) == .bytes { return nil }
      wanted = "bytes"
    case .text(let size):
      if case .string(let text) = value.kind, let plain = text.plain, case .constant(let room)? = size, room < plain.utf8.count {
        return Refusal(
          message: "this text does not fit in \(encoding.title)",
          hint: "it takes \(plain.utf8.count) bytes; there is room for \(room)",
          range: encoding.at(value))
      }
      if kind(of: value) == .text { return nil }
      wanted = "text"
    case .uuid:
      if isUUID(value, encoding.place) { return nil }
      wanted = "a UUID"
    case .address:
      if let kind = kind(of: value), [.address, .text].contains(kind) { return nil }
      wanted = "an address"
    case .dateTime:
      if case .nothing = value.kind { return nil }
      if kind(of: value) == .time { return nil }
      wanted = "a time"
    case .eddystoneURL:
      if kind(of: value) == .text { return nil }
      wanted = "a URL in quotes"
    case .reading:
      if kind(of: value) == .bytes { return nil }
      wanted = "bytes"
    case .list:
      if kind(of: value) == .list { return nil }
      wanted = "a list"
    case .format(let plan):
      // A single value is checked as a whole elsewhere; only its kind counts here.
      if plan.isSingleValue { return nil }
      if let kind = kind(of: value), [.record, .bytes].contains(kind) { return nil }
      wanted = "a record"
    }
    return name(of: value).map { Refusal(message: "\(encoding.title) is \(wanted), not \($0)", range: encoding.at(value)) }
  }

  /// Whether a value may be a UUID: a UUID, its text, or a 16-bit number.
  private func isUUID(_ value: Expression, _ place: Place) -> Bool {
    if case .string(let text) = value.kind, let plain = text.plain { return UUID(plain) != nil }
    if case .number(let literal) = value.kind, case .real = literal.value { return false }
    if case .number(let number)? = constant(value, place) { return (0...65_535).contains(number) }
    return kind(of: value).map { [.uuid, .text, .number].contains($0) } ?? false
  }

  private func refusal(_ value: Expression, _ number: FormatNumber, _ encoding: Encoding) -> Refusal? {
    let (title, range) = (encoding.title, encoding.at(value))
    switch value.kind {
    case .string(let text):
      guard let plain = text.plain else { break }
      let words = number.meanings.compactMap { meaning -> String? in
        if case .text(let word) = meaning.word { return word }
        return nil
      }
      if words.isEmpty { return noNumber("text", title, range) }
      return words.contains(plain) ? nil : noWord(plain, words, title, range)
    case .boolean(let flag):
      if number.meanings.contains(where: { $0.word == .flag(flag) }) { return nil }
      return noNumber("`\(flag)`", title, range, hint: "use `\(flag ? 1 : 0)` for a number")
    case .nothing:
      if number.meanings.contains(where: { $0.word == .nothing }) || number.type.kind == .medical { return nil }
      return noNumber("`nothing`", title, range)
    default: break
    }
    switch constant(value, encoding.place) {
    case .number(let given)?: return refusal(given, number, title, range)
    case .span?:
      return noNumber("a duration", title, range, hint: "`(\(text(range))).ms` or `.seconds` is a number; its unit decides")
    case nil: break
    }
    guard let kind = kind(of: value), kind != .number else { return nil }
    if kind == .text || kind == .truth, number.meanings.contains(where: { $0.word.isOf(kind) }) { return nil }
    return noNumber(kind.rawValue, title, range, hint: kind == .truth ? "use `1 if … else 0` for a number" : "")
  }

  private func noNumber(_ what: String, _ title: String, _ range: SourceRange, hint: String = "") -> Refusal {
    Refusal(message: "\(title) is a number, not \(what)", hint: hint, range: range)
  }

  private func noWord(_ plain: String, _ words: [String], _ title: String, _ range: SourceRange) -> Refusal {
    let near = nearest(to: plain, at: range, among: words)
    let shown = "its values are " + words.map { "`\"\($0)\"`" }.joined(separator: ", ")
    return Refusal(
      message: "\(title) has no word `\(plain)`", hint: near.map { "did you mean `\"\($0)\"`?" } ?? shown, range: range,
      fixes: near.map { [.replace(range, with: "\"\($0)\"")] } ?? [], notes: near == nil ? [] : [shown])
  }

  private func refusal(_ given: Double, _ number: FormatNumber, _ title: String, _ range: SourceRange) -> Refusal? {
    let (factor, offset) = (number.scale?.factor ?? 1, number.scale?.offset ?? 0)
    let shown = Self.shown(given)
    var raw = (given - offset) / factor
    guard number.type.isWhole else {
      let largest =
        switch (number.type.kind, number.type.size) {
        case (.medical, 2): 2.1e10
        case (.float, 4): Double(Float.greatestFiniteMagnitude)
        default: Double.infinity
        }
      if raw.magnitude <= largest { return nil }
      return Refusal(message: "\(shown) does not fit in \(title)", hint: "it is \(number.type.name)", range: range)
    }
    if number.scale != nil {
      raw.round()
    } else if raw != raw.rounded() {
      return Refusal(
        message: "\(title) is a whole number, not \(shown)", hint: "the nearest is \(Self.shown(given.rounded()))", range: range)
    }
    let bounds = number.type.bounds
    let upper = number.type.kind == .unsigned && number.type.size == 8 ? 0x1p64 : Double(bounds.upperBound) + 1
    if raw >= Double(bounds.lowerBound), raw < upper { return nil }
    // As the run computes it, without the errors of binary fractions.
    func scaled(_ raw: Int64) -> Double {
      let value = Double(raw) * factor + offset
      guard let scale = number.scale, scale.multiplier != 0 else { return value }
      let (product, isOver) = raw.multipliedReportingOverflow(by: scale.multiplier)
      let (sum, isTooLarge) = product.addingReportingOverflow(scale.addend)
      return isOver || isTooLarge ? value : Double("\(sum)e\(scale.exponent)") ?? value
    }
    let ends = [scaled(bounds.lowerBound), scaled(bounds.upperBound)].sorted()
    return Refusal(
      message: "\(shown) does not fit in \(title)", hint: "\(Self.shown(ends[0])) to \(Self.shown(ends[1]))", range: range)
  }

  private func refusal(_ value: Expression, _ bit: FormatBit, _ encoding: Encoding) -> Refusal? {
    let (title, range) = (encoding.title, encoding.at(value))
    let isFlag = bit.isSingle && bit.meanings.isEmpty
    let words = bit.meanings.compactMap { meaning -> String? in
      if case .text(let word) = meaning.word { return word }
      return nil
    }
    switch value.kind {
    case .boolean(let flag) where isFlag || bit.meanings.contains { $0.word == .flag(flag) }: return nil
    case .nothing where bit.meanings.contains { $0.word == .nothing }: return nil
    case .string(let text):
      guard !words.isEmpty, let plain = text.plain else { break }
      return words.contains(plain) ? nil : noWord(plain, words, title, range)
    default: break
    }
    if case .number(let given)? = constant(value, encoding.place) {
      if given == given.rounded(), given >= 0, given <= Double(bit.mask) { return nil }
      return Refusal(
        message: "\(Self.shown(given)) does not fit in \(title)", hint: isFlag ? "it is `true` or `false`" : "0 to \(bit.mask)",
        range: range)
    }
    guard let what = name(of: value) else { return nil }
    if let kind = kind(of: value) {
      if kind == .number || kind == .truth && isFlag { return nil }
      if bit.meanings.contains(where: { $0.word.isOf(kind) }), value.kind != .nothing { return nil }
    }
    return Refusal(message: "\(title) is \(isFlag ? "`true` or `false`" : "a number"), not \(what)", range: range)
  }

  private static func shown(_ number: Double) -> String {
    number == number.rounded() && abs(number) < 9e15 ? String(Int64(number)) : DecimalText.text(number)
  }

  // MARK: - values without a format

  /// T216: a value without a size of its own for an attribute without a format.
  private mutating func sizeless(_ value: Expression, for attribute: AttributePathSyntax, _ place: Place) {
    guard case .path = attribute.kind else { return }
    if case .list(let items) = value.kind { return listForBytes(items, at: value.range) }
    let text = text(value.range)
    let whole = literal(value, place)
    switch (whole.kind, kind(of: whole)) {
    case (_, .text?), (_, .bytes?): return
    case (_, .number?): return number(value, text, for: attribute, place)
    case (.boolean(let flag), _):
      return report(
        Diagnostic(
          "T216", "`\(flag)` cannot be written as bytes", at: value.range, "use `u8(\(flag ? 1 : 0))` for one byte",
          fixes: [.replace(value.range, with: "u8(\(flag ? 1 : 0))")]))
    case (.duration, _), (_, .duration?):
      return report(
        Diagnostic(
          "T216", "a duration cannot be written as bytes", at: value.range, "choose a unit: `u16((\(text)).seconds)`",
          notes: ["or give `\(self.text(attribute.range))` a format"]))
    default:
      guard let what = name(of: whole) else { return }
      report(
        Diagnostic(
          "T216", "\(what) cannot be written as bytes", at: value.range, "write bytes as `hex \"01 ff\"`",
          notes: ["or give `\(self.text(attribute.range))` a format"]))
    }
  }

  private mutating func number(_ value: Expression, _ text: String, for attribute: AttributePathSyntax, _ place: Place) {
    var known: Double?
    if case .number(let number)? = constant(value, place) { known = number }
    if let known, known != known.rounded() {
      return report(
        Diagnostic(
          "T216", "\(text) needs a type to be written as bytes", at: value.range,
          "`f32(\(text))`, `sfloat(\(text))`, or give the characteristic a format"))
    }
    let types = (known ?? 0 < 0 ? ["i8", "i16", "i32"] : ["u8", "u16", "u32"]).filter { name in
      guard let known, let whole = Int64(exactly: known) else { return known == nil }
      return NumberType(named: name)?.bounds.contains(whole) ?? false
    }
    report(
      Diagnostic(
        "T216", "this number needs a size: one, two or four bytes", at: value.range, "a number has no fixed size",
        fixes: types.map { .replace(value.range, with: "\($0)(\(text))") },
        notes: ["or give `\(self.text(attribute.range))` a format"]))
  }

  private mutating func listForBytes(_ items: [Expression], at range: SourceRange) {
    let octets = items.compactMap { item -> UInt8? in
      guard case .number(let literal) = item.kind, case .integer(let number) = literal.value else { return nil }
      return UInt8(exactly: number)
    }
    let digits = Hex.text(octets)
    let isBytes = !items.isEmpty && octets.count == items.count
    report(
      Diagnostic(
        "T216", "a list cannot be written as bytes", at: range, isBytes ? "" : "join bytes with `+`: `u8(1) + u16(600)`",
        fixes: isBytes ? [.replace(range, with: "hex \"\(digits)\"")] : []))
  }
}

extension FormatType {
  fileprivate func isWider(than other: FormatType) -> Bool {
    guard case .number(let one) = self, case .number(let two) = other else { return true }
    return one.type.size > two.type.size
  }
}

extension FormatMeaning.Word {
  /// Whether a value of this kind may be of the given kind.
  fileprivate func isOf(_ kind: Checker.Kind) -> Bool {
    switch self {
    case .text: kind == .text
    case .flag: kind == .truth
    case .nothing: false
    }
  }
}
