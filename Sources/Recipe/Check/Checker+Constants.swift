import Exchange
import Vocabulary

/// Values that the check can compute from the text alone.
extension Checker {
  enum ConstantValue {
    case number(Double)
    /// A duration in nanoseconds.
    case span(Double)
  }

  /// The number or duration of an expression; `nil` if it is something else or known only at run
  /// time.
  func constant(_ value: Expression, _ place: Place, levels: Int = 32) -> ConstantValue? {
    guard levels > 0 else { return nil }
    switch value.kind {
    case .duration(let span): return .span(Double(span.nanoseconds))
    case .number(let literal):
      switch literal.value {
      case .integer(let number): return .number(Double(number))
      case .real(let number): return .number(number)
      }
    case .name(let name): return constantValue(name, place).flatMap { constant($0, place, levels: levels - 1) }
    case .unary(.negate, let inner):
      switch constant(inner, place, levels: levels - 1) {
      case .number(let number)?: return .number(-number)
      case .span(let span)?: return .span(-span)
      case nil: return nil
      }
    case .binary(let operation, let left, let right):
      guard let a = constant(left, place, levels: levels - 1), let b = constant(right, place, levels: levels - 1) else {
        return nil
      }
      return Self.apply(operation, a, b)
    default: return nil
    }
  }

  /// The value that a top-level `let` gives this name; `nil` if a name of the activation or of the
  /// enclosing peripheral shadows it.
  func constantValue(_ name: String, _ place: Place) -> Expression? {
    if place.isHandler || place.isProcedure || place.isPeripheral {
      if scope.find(name) != nil { return nil }
      if let around = outer.find(name), around.symbol != recipeScope.find(name)?.symbol { return nil }
    }
    return facts.value(name)
  }

  private static func apply(_ operation: BinaryOperator, _ a: ConstantValue, _ b: ConstantValue) -> ConstantValue? {
    switch (operation, a, b) {
    case (.add, .number(let x), .number(let y)): .number(x + y)
    case (.subtract, .number(let x), .number(let y)): .number(x - y)
    case (.multiply, .number(let x), .number(let y)): .number(x * y)
    case (.divide, .number(let x), .number(let y)) where y != 0: .number(x / y)
    case (.add, .span(let x), .span(let y)): .span(x + y)
    case (.subtract, .span(let x), .span(let y)): .span(x - y)
    case (.multiply, .span(let x), .number(let y)), (.multiply, .number(let y), .span(let x)): .span(x * y)
    case (.divide, .span(let x), .number(let y)) where y != 0: .span(x / y)
    case (.divide, .span(let x), .span(let y)) where y != 0: .number(x / y)
    default: nil
    }
  }

  /// T235: a pause between repetitions that is zero or negative.
  mutating func pause(_ value: Expression?, _ phrase: String, _ place: Place) {
    guard let value, isPossibleDuration(value, phrase, place), let known = constant(value, place) else { return }
    switch known {
    case .span(let span) where span > 0: return
    case .span(let span):
      report(
        Diagnostic(
          "T235", "`\(phrase)` takes a duration above zero", at: value.range,
          span < 0 ? "this is negative" : "without a pause, nothing else could ever run"))
    case .number:
      report(Diagnostic("T235", "`\(phrase)` takes a duration", at: value.range, "this is a number; write `5s` or `10min`"))
    }
  }

  /// T235: `reconnect 0 times`, and `waiting 5s up to 1s`.
  mutating func attempts(_ reconnect: ReconnectStatement, _ place: Place) {
    if let times = reconnect.times, case .number(let number) = constant(times, place), number < 1 {
      report(Diagnostic("T235", "`reconnect` takes at least 1 attempt", at: times.range))
    }
    guard let waiting = reconnect.waiting, let upTo = reconnect.upTo, case .span(let least) = constant(waiting, place),
      case .span(let most) = constant(upTo, place), most < least, most > 0
    else { return }
    report(
      Diagnostic(
        "T235", "the longest wait is shorter than the first one", at: upTo.range, "the wait doubles from `waiting` up to it"))
  }

  /// T235: a negative waiting time, or a value that is not a duration.
  mutating func span(_ value: Expression?, _ phrase: String, _ place: Place) {
    guard let value, isPossibleDuration(value, phrase, place), let known = constant(value, place) else { return }
    switch known {
    case .span(let span) where span >= 0: return
    case .span: report(Diagnostic("T235", "`\(phrase)` cannot take a negative duration", at: value.range))
    case .number:
      report(Diagnostic("T235", "`\(phrase)` takes a duration", at: value.range, "this is a number; write `5s` or `10min`"))
    }
  }

  /// Whether a value may be a duration; reports literals of other types.
  private mutating func isPossibleDuration(_ value: Expression, _ phrase: String, _ place: Place) -> Bool {
    switch value.kind {
    case .string, .uuid, .address, .bytes, .boolean, .nothing, .list, .record:
      report(Diagnostic("T235", "`\(phrase)` takes a duration", at: value.range, "as in `5s` or `10min`"))
      return false
    default: break
    }
    // A constant number is reported with its unit.
    guard let kind = kind(of: value), kind != .duration, constant(value, place) == nil else { return true }
    if kind == .uuid, attributeName(value) { return false }
    if case .name(let name) = value.kind,
      let input = recipe.inputs.first(where: { $0.name.text == name && $0.type.text == "number" }),
      input.type.range.file == value.range.file
    {
      report(
        Diagnostic(
          "T235", "`\(phrase)` takes a duration, not \(kind.rawValue)", at: value.range, "let the input be a duration",
          labels: [Diagnostic.Label(range: input.type.range, text: "`duration` instead")]))
      return false
    }
    report(
      Diagnostic(
        "T235", "`\(phrase)` takes a duration, not \(kind.rawValue)", at: value.range,
        kind == .number
          ? "multiply it by a unit: `\(text(value.range)) * 1s`"
          : kind == .text ? "as in `5s`, without quotes" : "as in `5s` or `10min`"))
    return false
  }

  /// A value in ATTR position is a UUID or a characteristic. A number is refused because a reader
  /// would take it for a handle.
  mutating func attributeValue(_ value: Expression, _ place: Place) {
    guard case .number? = constant(value, place) else { return }
    let inner = self.text(value.range)
    if case .name(let name) = value.kind, isUUIDName(name) {
      report(
        Diagnostic(
          "T206", "a number in parentheses is not an attribute", at: value.range, "write the name of a UUID without parentheses",
          fixes: parenthesised(value.range).map { [.replace($0, with: inner)] } ?? []))
      return
    }
    report(
      Diagnostic(
        "T206", "a number in parentheses is not an attribute", at: value.range, "write a handle as `handle (\(inner))`",
        fixes: parenthesised(value.range).map { [.replace($0, with: "handle (\(inner))")] } ?? []))
  }

  /// The range including the parentheses directly around it.
  private func parenthesised(_ range: SourceRange) -> SourceRange? {
    guard range.start > 0 else { return nil }
    let wider = SourceRange(file: range.file, start: range.start - 1, end: range.end + 1)
    let text = text(wider)
    return text.hasPrefix("(") && text.hasSuffix(")") ? wider : nil
  }

  /// How to write a value that is used as an attribute's name; `nil` if it cannot be an attribute.
  func spelling(ofValue name: String, _ place: Place) -> String? {
    if case .number? = constant(Expression(kind: .name(name), range: .none), place) { return nil }
    guard let entry = scope.find(name) ?? outer.find(name) ?? recipeScope.find(name) else { return nil }
    switch entry.kind {
    case .element, .parameter: return entry.value == .number ? "(uuid(\(name)))" : "(\(name))"
    case .input: return nil
    case .result, .remembered, .peripheral, .procedure, .format: return nil
    case .variable:
      guard let value = letValues[name] else { return "(\(name))" }
      switch value.kind {
      case .number, .duration, .string, .address, .bytes, .boolean, .nothing, .list, .record: return nil
      default: return "(\(name))"
      }
    }
  }

  /// Whether a value that is used as an attribute's name is certainly a number.
  func isNumber(_ name: String, _ place: Place) -> Bool {
    if case .number? = constant(Expression(kind: .name(name), range: .none), place) { return true }
    if recipe.inputs.contains(where: { $0.name.text == name && $0.type.text == "number" }) { return true }
    guard case .number? = letValues[name]?.kind else { return false }
    return true
  }

  /// Top-level `let`s with their first values.
  private var letValues: [String: Expression] {
    var values: [String: Expression] = [:]
    for case .statement(let statement) in recipe.body {
      if case .let(let name, let value) = statement.kind, values[name.text] == nil { values[name.text] = value }
    }
    return values
  }

  /// The value that a `let` of the peripheral gives a name.
  func peripheralValue(_ name: String, _ place: Place) -> Expression? {
    for part in place.peripheral?.parts ?? [] {
      if case .variable(let statement) = part.kind, case .let(let own, let value) = statement.kind, own.text == name {
        return value
      }
    }
    return nil
  }

  /// Checks `advertise … with {…}` for fields whose literal cannot be sent.
  mutating func advertisingFields(_ value: Expression?, _ place: Place) {
    guard let value, case .record(let entries) = advertised(value, place) else { return }
    let known = ["name", "manufacturer", "service_data", "solicit", "appearance", "tx_power", "connectable", "phy"]
    for entry in entries where !known.contains(entry.key.text) {
      let near = nearest(to: entry.key, among: known)
      report(
        Diagnostic(
          "T228", "`advertise … with` has no field `\(entry.key.text)`", at: entry.key.range,
          near.map { "did you mean `\($0)`?" } ?? "",
          fixes: near.map { [.replace(entry.key.range, with: $0)] } ?? [], notes: ["it has \(known.joined(separator: ", "))"]))
    }
    for entry in entries {
      let shape: String
      switch entry.key.text {
      case "phy":
        phy(entry.value)
        continue
      case "name", "connectable", "tx_power", "appearance", "solicit":
        advertisingField(entry.key.text, entry.value, place)
        continue
      case "manufacturer": shape = "{company: 0x004c, data: hex \"01 02\"}"
      case "service_data": shape = "{service: heart_rate, data: hex \"01 02\"}"
      default: continue
      }
      let keys = entry.key.text == "manufacturer" ? ["company", "data"] : ["service", "data"]
      let meant = advertised(entry.value, place)
      switch meant {
      case .number, .duration, .string, .uuid, .address, .bytes, .boolean, .nothing, .list:
        var fixes: [Fix] = []
        if case .bytes(let octets) = meant {
          let isCompany = entry.key.text == "manufacturer"
          // As on the air, the identifier may be in front of the data, or not.
          if isCompany, octets.count >= 2 {
            let company = UInt16(octets[0]) | UInt16(octets[1]) << 8
            let data = Hex.text(octets.dropFirst(2))
            let record = "{company: 0x\(Hex.text(company).lowercased()), data: hex \"\(data)\"}"
            fixes = [.replace(entry.value.range, with: record)]
          }
          let first = isCompany ? "company: 0xffff" : "service: heart_rate"
          fixes.append(.replace(entry.value.range, with: "{\(first), data: \(self.text(entry.value.range))}"))
        }
        report(Diagnostic("T228", "`\(entry.key.text)` must be a record", at: entry.value.range, "as in \(shape)", fixes: fixes))
      case .record(let inner):
        let given = inner.map(\.key.text)
        if let missing = keys.first(where: { !given.contains($0) }) {
          report(Diagnostic("T228", "`\(entry.key.text)` needs `\(missing)`", at: entry.value.range, "as in \(shape)"))
        } else if let other = inner.first(where: { !keys.contains($0.key.text) }) {
          report(
            Diagnostic("T228", "`\(entry.key.text)` has no field `\(other.key.text)`", at: other.value.range, "as in \(shape)"))
        } else {
          advertisedData(inner, of: entry.key.text, entry.value, shape)
        }
      default: computedRecord(entry, shape)
      }
    }
  }

  /// What a value means, if it is a name with a constant value.
  private func advertised(_ value: Expression, _ place: Place) -> ExpressionKind {
    guard case .name(let name) = value.kind else { return value.kind }
    return (peripheralValue(name, place) ?? facts.value(name))?.kind ?? value.kind
  }

  /// Reports a computed value that is never a record.
  private mutating func computedRecord(_ entry: RecordEntry, _ shape: String) {
    guard let kind = kind(of: entry.value), kind != .record else { return }
    let first = entry.key.text == "manufacturer" ? "company: 0xffff" : "service: heart_rate"
    report(
      Diagnostic(
        "T228", "`\(entry.key.text)` must be a record", at: entry.value.range, "as in \(shape)",
        fixes: kind == .bytes ? [.replace(entry.value.range, with: "{\(first), data: \(text(entry.value.range))}")] : []))
  }

  /// Reports the parts of a record that cannot be sent.
  private mutating func advertisedData(_ parts: [RecordEntry], of field: String, _ value: Expression, _ shape: String) {
    for part in parts {
      guard let kind = kind(of: part.value) else { continue }
      let fits: [Kind] = part.key.text == "data" ? [.bytes] : part.key.text == "company" ? [.number] : [.uuid, .number]
      if fits.contains(kind) { continue }
      let isHere = value.range.start <= part.value.range.start && part.value.range.end <= value.range.end
      report(
        Diagnostic(
          "T228", "`\(part.key.text)` of `\(field)` must be \(fits[0].rawValue)", at: isHere ? part.value.range : value.range,
          "as in \(shape)"))
    }
  }

  /// Checks one field of `advertise … with` that is not a record.
  private mutating func advertisingField(_ name: String, _ value: Expression, _ place: Place) {
    let kind = self.kind(of: value)
    // It leaves the field out.
    if kind == .nothing { return }
    func wrong(_ what: String, _ hint: String = "", fixes: [Fix] = []) {
      report(Diagnostic("T228", "`\(name)` must be \(what)", at: value.range, hint, fixes: fixes))
    }
    switch name {
    case "name": if let kind, kind != .text { wrong("text") }
    case "connectable": if let kind, kind != .truth { wrong("`true` or `false`") }
    case "tx_power":
      if let kind, kind != .number { return wrong("a number in dBm") }
      if case .number(let power)? = constant(value, place), power != power.rounded() || !(-127...20).contains(power) {
        wrong("a whole number from -127 to 20")
      }
    case "appearance":
      if let kind, kind != .number, kind != .text { return wrong("a name or a number", "as in `\"heart_rate_sensor\"`") }
      if case .number(let number)? = constant(value, place), number != number.rounded() || !(0...0xFFFF).contains(number) {
        wrong("a whole number from 0 to 0xffff")
      }
      guard case .string(let text) = value.kind, let plain = text.plain, AssignedNumbers.appearance(named: plain) == nil else {
        return
      }
      let near = nearest(to: plain, at: value.range, among: AssignedNumbers.allNames(.appearance))
      report(
        Diagnostic(
          "T228", "there is no appearance `\(plain)`", at: value.range, near.map { "did you mean `\"\($0)\"`?" } ?? "",
          fixes: near.map { [.replace(value.range, with: "\"\($0)\"")] } ?? []))
    default:
      guard case .list(let elements) = value.kind else {
        guard let kind, kind != .list else { return }
        let fixes = kind == .uuid ? [Fix.replace(value.range, with: "[\(text(value.range))]")] : []
        return wrong("a list of services", "as in [ancs]", fixes: fixes)
      }
      for element in elements {
        guard let kind = self.kind(of: element), kind != .uuid, kind != .number else { continue }
        report(
          Diagnostic("T228", "`solicit` must be a list of services", at: element.range, "found \(kind.rawValue)"))
      }
    }
  }
}
