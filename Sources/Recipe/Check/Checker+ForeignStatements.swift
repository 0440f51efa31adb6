import Exchange

/// Statements of other languages that are written as calls: `sleep(5)`, `printf("%d", n)`.
extension Checker {
  mutating func foreignStatementCall(
    _ name: NameSyntax, _ foreign: (instead: String, reason: String), _ arguments: [ArgumentSyntax], _ range: SourceRange
  ) {
    var label = "there is no procedure `\(name.text)`"
    if foreign.instead == "stop", arguments.count == 1, case .number(let literal) = arguments[0].value.kind,
      case .integer(let code) = literal.value, ForeignWords.stop(code: code) == nil
    {
      label = Parser.ownCodes
    }
    report(
      Diagnostic(
        "T204", foreign.reason, at: name.range, label, fixes: foreignCall(name.text, foreign.instead, arguments, range)))
  }

  /// `sleep(5)` and `exit()` as statements.
  private func foreignCall(_ name: String, _ ours: String, _ arguments: [ArgumentSyntax], _ range: SourceRange) -> [Fix] {
    guard let current, current == range else { return [] }
    if ours == "wait", arguments.count == 1 {
      let value = text(arguments[0].value.range)
      if case .duration = arguments[0].value.kind { return [.replace(range, with: "wait \(value)")] }
      guard case .number = arguments[0].value.kind else { return [] }
      return ForeignWords.units(ofPause: name, value).map { .replace(range, with: "wait \(value)\($0)") }
    }
    let given = arguments.map { text($0.value.range) }
    if ours == "print", !given.isEmpty {
      if name == "printf" { return FilledText.line(given).map { [.replace(range, with: "print \($0)")] } ?? [] }
      return [.replace(range, with: "print \(given.joined(separator: ", "))")]
    }
    if ours == "expect", (1...2).contains(given.count) { return [.replace(range, with: "expect \(given.joined(separator: ", "))")] }
    if ours == "fail", given.count == 1 { return [.replace(range, with: "fail \(given[0])")] }
    guard ours == "stop", arguments.count < 2 else { return [] }
    guard let argument = arguments.first else { return [.replace(range, with: "stop")] }
    guard case .number(let literal) = argument.value.kind, case .integer(let code) = literal.value else { return [] }
    return ForeignWords.stop(code: code).map { [.replace(range, with: $0)] } ?? []
  }

  /// T243: `print "%d bpm", n`, which prints the sign and then the value.
  mutating func checkPercentSigns(_ values: [Expression]) {
    guard values.count > 1, case .string(let text) = values[0].kind, text.plain?.utf8.contains(UInt8(ascii: "%")) ?? false,
      let last = values.last
    else { return }
    let written = self.text(text.range)
    let given = values.dropFirst().map { self.text($0.range) }
    guard let filled = FilledText.text(written, given), let sign = written.firstIndex(of: "%") else { return }
    let place = written[sign...].prefix { !$0.isLetter } + written[sign...].drop { !$0.isLetter }.prefix(1)
    report(
      Diagnostic(
        "T243", "`\(place)` is not replaced in a text", at: text.range, "write a value as `{\(given[0])}`", severity: .warning,
        fixes: [.replace(text.range.to(last.range), with: filled)]))
  }
}
