import Exchange
import Vocabulary

/// Code that is allowed but probably a mistake.
extension Checker {
  /// T268: `it` without a value. T252: `it` far below the statement that gave it its value.
  mutating func checkIt(_ value: Expression) {
    guard mayHaveIt || isEntry else {
      report(
        Diagnostic(
          "T268", "nothing above gives `it` a value", at: value.range,
          "`read`, `wait for`, `ask` and `run` without `as` would", severity: .warning))
      return
    }
    defer { if itAge != nil { itAge = 0 } }
    guard let age = itAge, age >= 2 else { return }
    report(
      Diagnostic(
        "T252", "`it` is the value of a statement far above", at: value.range, "name the value with `as`",
        severity: .warning))
  }

  /// T269: a characteristic's name that is printed or stored instead of its value.
  mutating func checkNamed(_ value: Expression) {
    switch value.kind {
    case .name(let name):
      guard isAttributeName(name) else { return }
      let step = AttributePathSyntax.Step(
        uuid: UUIDSyntax(kind: .name(name), range: value.range), index: nil, range: value.range)
      let format = format(of: AttributePathSyntax(kind: .path([step]), device: nil, range: value.range))
      var given: String?
      if let format {
        given = scope.entries.last { $0.format == format }?.name ?? (itFormat == format ? "it" : nil)
      }
      report(
        Diagnostic(
          "T269", "this is the UUID of `\(name)`, not its value", at: value.range,
          given.map { "the value is `\($0)`" } ?? "read it first: `read \(name) as value`", severity: .warning,
          fixes: given.map { [.replace(value.range, with: $0)] } ?? [],
          notes: given == nil ? ["write `text(\(name))` if you mean the UUID"] : []))
    case .string(let text):
      for case .expression(let part, _) in text.parts { checkNamed(part) }
    case .binary(.add, let left, let right):
      checkNamed(left)
      checkNamed(right)
    case .list(let items): for item in items { checkNamed(item) }
    case .record(let entries): for entry in entries { checkNamed(entry.value) }
    default: return
    }
  }

  /// Whether a name is a characteristic of the SIG, or a `let` that the recipe reads as one, and is
  /// not shadowed.
  private func isAttributeName(_ name: String) -> Bool {
    guard let entry = scope.find(name) ?? outer.find(name) ?? recipeScope.find(name) else {
      return SIGNames.isCharacteristic(name) && !SIGNames.isService(name)
    }
    guard entry.kind == .variable, let constant = facts.constant(name), case .uuid = constant.kind else { return false }
    return facts.uses.readNames.contains(name)
  }

  /// T253: a condition without a limit in a test, which only the limit of all tests would end.
  mutating func checkTests() {
    for test in recipe.tests {
      test.body.forEachStatement(handlers: true) { statement in
        guard case .wait(.until(_, within: nil)) = statement.kind else { return }
        findings.add(
          Diagnostic(
            "T253", "this `wait until` has no limit", at: statement.header, "the test would only fail after 30 virtual days",
            severity: .warning, fixes: [.insert(" within 1min", after: statement.header)]))
      }
    }
  }

  /// T259: input and display without confirmation count as keyboard only (Vol 3, Part H, 2.3.2).
  mutating func checkCapability() {
    let ofRecipe = recipe.body + recipe.procedures.flatMap(\.body)
    let ofPeripherals: [[Member]] = recipe.peripherals.map { peripheral in
      peripheral.parts.flatMap { part -> [Member] in
        switch part.kind {
        case .handler(let handler): [Member.handler(handler)]
        case .procedure(let procedure): procedure.body
        case .advertise, .service, .channel, .passkey, .variable: []
        }
      }
    }
    for members in [ofRecipe] + ofPeripherals {
      var kinds: [EventSyntax.Passkey] = []
      var display: SourceRange?
      func note(_ event: EventSyntax, _ header: SourceRange) {
        guard case .passkey(let kind) = event.kind else { return }
        kinds.append(kind)
        if kind == .display { display = header }
      }
      members.forEachHandler { member in
        if case .handler(let handler) = member, case .on(let event) = handler.kind { note(event, handler.header) }
      }
      members.forEachStatement(handlers: true) { statement in
        if case .wait(.event(let event, _, _, _)) = statement.kind { note(event, statement.header) }
      }
      guard let display, kinds.contains(.request), !kinds.contains(.confirm) else { continue }
      findings.add(
        Diagnostic(
          "T259", "no code is ever shown here", at: display, "with `on passkey request`, codes are only typed", severity: .warning,
          notes: ["with `on passkey confirm` as well, codes are typed, shown and compared"]))
    }
  }

  /// T254: `when unsure repeat` for a command that a device may execute twice.
  mutating func checkRepeated(_ write: WriteStatement) {
    guard write.unsure?.policy == .repeat, case .path(let steps) = write.attribute.kind, let step = steps.last,
      let name = officialName(step.uuid), name.hasSuffix("_control_point"), !isHarmless(write.value, name)
    else { return }
    report(
      Diagnostic(
        "T254", "\(name) may carry out a repeated command twice", at: write.unsure?.range ?? step.range,
        "`when unsure fail` or `skip` sends it only once", severity: .warning))
  }

  private func officialName(_ uuid: UUIDSyntax) -> String? {
    switch uuid.kind {
    case .name(let name):
      guard let constant = facts.constant(name) else { return SIGNames.isCharacteristic(name) ? name : nil }
      return Facts.uuid(constant).flatMap { AssignedNumbers.name(ofCharacteristic: $0) }
    case .literal(let uuid): return AssignedNumbers.name(ofCharacteristic: uuid)
    }
  }

  /// Whether a control point's command may be repeated, as requests for records and their number
  /// may.
  private func isHarmless(_ value: Expression, _ name: String) -> Bool {
    guard name == "record_access_control_point", case .bytes(let bytes) = value.kind, let first = bytes.first else { return false }
    return first == 1 || first == 4
  }

  /// T251: a text of hex digits is sent as letters.
  mutating func checkLetters(_ write: WriteStatement) {
    guard case .string(let text) = write.value.kind, let plain = text.plain, plain.utf8.count >= 2,
      plain.utf8.contains(where: isDigit),
      let digits = Self.hexDigits(plain), let bytes = Hex.bytes(digits), !bytes.isEmpty, format(of: write.attribute) == nil
    else { return }
    // The recipe works as it is, and text protocols have such commands, so the writer chooses.
    let forms = ["hex \"\(digits)\"", "\"\(plain)\".bytes()"]
    report(
      Diagnostic(
        "T251", "this text is sent as letters, not as hex bytes", at: write.value.range,
        "write bytes as `hex \"\(digits)\"`, or add `.bytes()` if you mean the letters",
        severity: .warning, fixes: forms.map { .replace(write.value.range, with: $0) }))
  }

  /// The digits of `01ff`, `0x01ff` and `0x01, 0xff`.
  private static func hexDigits(_ text: String) -> String? {
    guard text.hasPrefix("0x") || text.hasPrefix("0X") else { return text }
    let pieces = text.split { $0 == " " || $0 == "," }
    guard pieces.allSatisfy({ $0.hasPrefix("0x") || $0.hasPrefix("0X") }) else { return nil }
    return pieces.map { $0.dropFirst(2).utf8.count % 2 == 0 ? "\($0.dropFirst(2))" : "0\($0.dropFirst(2))" }.joined(separator: " ")
  }

  /// T243: `$name` and `${name}` in a text, as in a shell.
  mutating func checkShellNames(_ value: Expression) {
    guard case .string(let text) = value.kind, text.quote != .single else { return }
    let written = self.text(text.range)
    guard written.utf8.contains(UInt8(ascii: "$")), !written.utf8.contains(UInt8(ascii: "\\")) else { return }
    var filled = ""
    var rest = written[...]
    var names: [String] = []
    while let sign = rest.firstIndex(of: "$") {
      filled += rest[..<sign]
      var name = rest[rest.index(after: sign)...]
      let isBraced = name.first == "{"
      if isBraced { name = name.dropFirst() }
      let word = String(name.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") })
      guard let entry = scope.find(word) ?? outer.find(word) ?? recipeScope.find(word), entry.kind == .variable,
        !isBraced || name.dropFirst(word.count).first == "}"
      else {
        filled += "$"
        rest = rest[rest.index(after: sign)...]
        continue
      }
      names.append(word)
      filled += "{\(word)}"
      rest = name.dropFirst(word.count + (isBraced ? 1 : 0))
    }
    guard let first = names.first else { return }
    report(
      Diagnostic(
        "T243", "`$\(first)` is not replaced in a text", at: text.range, "write a value as `{\(first)}`", severity: .warning,
        fixes: [.replace(text.range, with: filled + rest)]))
  }

  /// T243: `1,000`, which is two values. Without a zero in front, as in `1,234`, two may be meant.
  mutating func checkThousands(_ values: [Expression]) {
    var place = 0
    while place < values.count {
      let first = values[place]
      var parts = [text(first.range)]
      var last = first
      var isJoined = true
      if isDigits(first, 1...3) {
        for next in values[(place + 1)...].prefix(while: { isDigits($0, 3...3) }) {
          isJoined = isJoined && next.range.start == last.range.end + 1
          parts.append(text(next.range))
          last = next
        }
      }
      place += parts.count
      guard parts.dropFirst().contains(where: { $0.hasPrefix("0") }) else { continue }
      let range = first.range.to(last.range)
      report(
        Diagnostic(
          "T243", "a `,` separates two values", at: range, "write the number as `\(parts.joined())`", severity: .warning,
          // `8, 007` with a space may be meant.
          fixes: isJoined ? [.replace(range, with: parts.joined())] : []))
    }
  }

  private func isDigits(_ value: Expression, _ count: ClosedRange<Int>) -> Bool {
    guard case .number = value.kind else { return false }
    let text = text(value.range).utf8
    return count.contains(text.count) && text.allSatisfy(isDigit)
  }

  /// T251: an address or a UUID in quotes is read as the name of a device.
  mutating func checkQuoted(_ plain: String, _ range: SourceRange) {
    guard Address(plain) != nil || UUID(plain) != nil else { return }
    let what = Address(plain) != nil ? "an address" : "a UUID"
    report(
      Diagnostic(
        "T251", "in quotes this is the name of a device", at: range, "write \(what) without quotes", severity: .warning,
        fixes: [.replace(range, with: plain)]))
  }
}

extension StatementKind {
  /// Whether it is a `wait for passkey` that asks for a code or for consent.
  var takesQuestion: Bool {
    guard case .wait(.event(let event, _, _, _)) = self, case .passkey(let kind) = event.kind else { return false }
    return kind.expectsAnswer
  }

  var isLoop: Bool {
    switch self {
    case .repeat, .forEach, .try: true
    default: false
    }
  }

  /// Whether its value becomes `it`.
  var givesIt: Bool {
    switch self {
    case .read(let read): read.name == nil
    case .wait(.event(_, _, _, let name)): name == nil
    case .ask(let ask): ask.name == nil
    case .run(let run): run.name == nil
    default: false
    }
  }
}
