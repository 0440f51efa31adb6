import Exchange

/// T236 and T221: elements, slices, built-ins and methods of values that never have them.
extension Checker {
  mutating func checkIndex(_ base: Expression, _ index: Expression, _ place: Place) {
    guard let kind = kind(of: base) else { return }
    if kind.indices.isEmpty {
      if kind == .uuid, attributeName(base) { return }
      return report(Diagnostic("T236", "\(kind.rawValue) has no elements", at: base.range, elementsHint(kind)))
    }
    if let key = self.kind(of: index), !kind.indices.contains(key) {
      if key == .uuid, attributeName(index) { return }
      return report(
        Diagnostic(
          "T236", kind == .record ? "a record's key is text, not \(key.rawValue)" : "an index is a number, not \(key.rawValue)",
          at: index.range))
    }
    if kind != .record { checkPosition(base, index, kind, place) }
  }

  mutating func checkSlice(_ base: Expression, _ bounds: [Expression], _ place: Place) {
    guard let kind = kind(of: base) else { return }
    guard [.bytes, .text, .list].contains(kind) else {
      if kind == .uuid, attributeName(base) { return }
      return report(
        Diagnostic("T236", "\(kind.rawValue) cannot be sliced", at: base.range, "bytes, text and lists can"))
    }
    for bound in bounds {
      if let key = self.kind(of: bound), key != .number {
        if key == .uuid, attributeName(bound) { return }
        return report(
          Diagnostic("T236", "the bounds of a slice are numbers, not \(key.rawValue)", at: bound.range))
      }
      checkPosition(base, bound, kind, place)
    }
  }

  /// A constant index is a whole number from 0.
  private mutating func checkPosition(_ base: Expression, _ index: Expression, _ kind: Kind, _ place: Place) {
    guard case .number(let number)? = constant(index, place) else { return }
    if number < 0 {
      let whole = text(base.range)
      let end = number == number.rounded() && number > -1e6 ? " - \(Int(-number))" : ""
      report(
        Diagnostic(
          "T215", "an index begins at 0", at: index.range,
          kind == .list && number == -1 ? "the last element is `\(whole).last`" : "from the end it is `count(\(whole))\(end)`"))
    } else if number != number.rounded() {
      report(Diagnostic("T215", "an index is a whole number", at: index.range, "`floor(…)` makes it whole"))
    }
  }

  private func elementsHint(_ kind: Kind) -> String {
    switch kind {
    case .number: "a byte of a number is `u16(…)[0]`"
    case .address: "`bytes(…)` gives the bytes of an address"
    case .uuid: "`bytes(…)` gives the bytes of a UUID"
    case .device: "it has fields: `.name`, `.address` …"
    default: "text, bytes, lists and records have"
    }
  }

  mutating func checkArguments(_ builtIn: BuiltIn, _ arguments: [ArgumentSyntax]) {
    for (place, argument) in arguments.enumerated() {
      guard let allowed = builtIn.takes(at: place, of: arguments.count) else { continue }
      checkArgument(argument.value, allowed, "`\(builtIn.name)`", hint(builtIn, argument.value))
    }
  }

  private mutating func checkArgument(_ value: Expression, _ allowed: [Kind], _ name: String, _ hint: String) {
    guard let kind = kind(of: value), !allowed.contains(kind) else { return }
    if kind == .uuid, attributeName(value) { return }
    report(
      Diagnostic(
        "T236", "\(name) takes \(allowed.map(\.rawValue).list(by: " or ")), not \(kind.rawValue)", at: value.range, hint))
  }

  /// What to write instead, for frequent mistakes.
  private func hint(_ builtIn: BuiltIn, _ value: Expression) -> String {
    switch (builtIn, kind(of: value)) {
    case (.function(.number), .bytes?): "`.u8(0)`, `.u16(0)` … read a number from bytes"
    case (.function(.number), .duration?): "`.seconds`, `.ms` … turn a duration into a number"
    case (.function(.number), .time?): "`.unix` turns a time into a number"
    case (.function(.bytes), .number?): "`u8(…)`, `u16(…)` … say how many bytes it takes"
    case (.function(.address), .device?): "its address is `.address`"
    case (.function(.sum), .number?), (.function(.average), .number?): "as in `\(builtIn.name)([1, 2, 3])`"
    case (.make, .text?): "`number(…)` reads a number from text, `bytes(…)` bytes from hex digits"
    case (.function(.round), .text?), (.function(.floor), .text?), (.function(.ceil), .text?), (.function(.abs), .text?):
      "`number(…)` reads a number from text"
    case (.function(.join), .text?): "the list comes first: `join(l, \", \")`"
    default: ""
    }
  }

  mutating func checkReceiver(_ base: Expression, _ method: Method, _ name: NameSyntax, _ arguments: [ArgumentSyntax]) {
    if let kind = kind(of: base), !method.receivers.contains(kind) {
      if kind == .uuid, attributeName(base) { return }
      let whole = text(base.range)
      let owners = method.receivers.map(\.rawValue).list(by: " and ")
      var hint = "only \(owners) \(owners == "bytes" || method.receivers.count > 1 ? "have" : "has") it"
      switch (method, kind) {
      case (.function(.text), _): hint = "`text(\(whole))` shows any value as text"
      case (.function(.hex), .number): hint = "`\"{\(whole):hex}\"` shows a number in hex"
      case (.function(.hex), .text): hint = "`.bytes().hex()` shows the bytes of a text"
      case (.function(.bytes), .number): hint = "`u8(…)`, `u16(…)` … turn a number into bytes"
      case (.function(.bytes), .bytes): hint = "it is bytes already"
      case (.function(.get), .list), (.function(.get), .bytes): hint = "an element is `\(whole)[0]`"
      case (.read, .text): hint = "`bytes(…)` turns hex digits into bytes, `.bytes()` text into its bytes"
      default: break
      }
      report(Diagnostic("T221", "\(kind.rawValue) has no `.\(method.name)()`", at: name.range, hint))
      return
    }
    for (place, argument) in arguments.enumerated() {
      guard let allowed = method.takes(at: place) else { continue }
      checkArgument(argument.value, allowed, "`.\(method.name)()`", "")
    }
  }
}
