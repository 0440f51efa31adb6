/// Secrets that are printed or stored, as far as their names show.
extension Checker {
  /// Warns about a secret that is printed, because the run will hide it.
  mutating func secrets(in value: Expression) {
    switch value.kind {
    case .name(let name):
      guard isSecret(name) else { return }
      report(Diagnostic("T248", "`\(name)` is a secret", at: value.range, "it is hidden in the output", severity: .warning))
    case .string(let text): for part in text.parts { if case .expression(let inner, _) = part { secrets(in: inner) } }
    case .list(let items): for item in items { secrets(in: item) }
    case .record(let entries): for entry in entries { secrets(in: entry.value) }
    case .binary(.add, let left, let right):
      secrets(in: left)
      secrets(in: right)
    default: return
    }
  }

  /// Refuses a secret in `remember`, which writes to a file.
  mutating func remembered(_ value: Expression) {
    guard let secret = secretName(in: value) else { return }
    report(
      Diagnostic(
        "T249", "a secret cannot be remembered", at: value.range,
        "this is computed from `\(secret)`, and would be written to a file",
        notes: ["a secret must be given again in each run"]))
  }

  private func isSecret(_ name: String) -> Bool {
    if let entry = scope.find(name) ?? outer.find(name), secrets.contains(entry.id) { return true }
    return recipe.inputs.contains { $0.name.text == name && ($0.type.text == "secret" || $0.type.text == "secrets") }
      && scope.find(name)?.kind ?? .input == .input
  }

  /// A secret input from which a value is computed, unless the result reveals too little of it.
  private func secretName(in value: Expression) -> String? {
    func first(_ values: [Expression]) -> String? {
      for value in values { if let name = secretName(in: value) { return name } }
      return nil
    }
    switch value.kind {
    case .name(let name): return isSecret(name) ? name : nil
    case .string(let text):
      return first(text.parts.compactMap { if case .expression(let inner, _) = $0 { inner } else { nil } })
    case .list(let items): return first(items)
    case .record(let entries): return first(entries.map(\.value))
    case .member(let base, _): return secretName(in: base)
    case .index(let base, let index): return first([base, index])
    case .slice(let base, let from, let to): return first([base, from, to])
    case .unary(_, let inner): return secretName(in: inner)
    case .conditional(let value, _, let other): return first([value, other])
    case .binary(let operation, let left, let right):
      switch operation {
      case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .in, .contains, .matches, .or, .and: return nil
      default: return first([left, right])
      }
    case .call(let name, let arguments):
      guard let function = BuiltIn.named(name.text) else { return nil }
      switch function {
      case .function(.count), .function(.crc32), .function(.sha256), .function(.hmacSHA256), .function(.aes), .function(.aesCMAC):
        return nil
      default: return first(arguments.map(\.value))
      }
    case .method(let base, let name, let arguments):
      if ["starts_with", "ends_with"].contains(name.text) { return nil }
      return first([base] + arguments.map(\.value))
    case .number, .duration, .uuid, .address, .bytes, .boolean, .nothing, .it: return nil
    }
  }
}
