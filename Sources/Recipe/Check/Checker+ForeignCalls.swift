import Exchange

/// Functions and methods that users know from other languages.
extension Checker {
  /// Reports `len(l)`, `lower(t)` or `includes(l, x)` with what to write instead.
  /// - Returns: whether the function is known from other languages.
  mutating func reportForeignCall(_ name: NameSyntax, _ arguments: [ArgumentSyntax], _ range: SourceRange) -> Bool {
    let message = "there is no procedure `\(name.text)`"
    let given = arguments.map { text($0.value.range) }
    if let ours = ForeignWords.function(name.text) {
      if ours == "number", arguments.count != 1 || kind(of: arguments[0].value) != .text {
        report(
          Diagnostic("T204", message, at: name.range, "`number` reads a number from a text; `floor` and `round` make one whole"))
        return true
      }
      report(Diagnostic("T204", message, at: name.range, "it is called `\(ours)`", fixes: [.replace(name.range, with: ours)]))
      return true
    }
    let method = ForeignWords.method(name.text) ?? name.text
    if let first = arguments.first, let arity = Method(named: method)?.arity, arity.contains(given.count - 1) {
      let call = "\(receiver(first.value)).\(method)(\(given.dropFirst().joined(separator: ", ")))"
      report(Diagnostic("T204", message, at: name.range, "it is a method: `.\(method)()`", fixes: [.replace(range, with: call)]))
      return true
    }
    switch (name.text, given.count) {
    case ("first", 1), ("last", 1):
      report(
        Diagnostic(
          "T204", message, at: name.range, "it is a field: `.\(name.text)`",
          fixes: [.replace(range, with: "\(receiver(arguments[0].value)).\(name.text)")]))
    case ("includes", 2), ("has", 2), ("member", 2):
      report(
        Diagnostic(
          "T204", message, at: name.range, ForeignWords.belonging,
          notes: ["text: `\(given[0]) contains \(given[1])`; list or record: `\(given[1]) in \(given[0])`"]))
    case ("trunc", 1), ("truncate", 1), ("fix", 1):
      report(Diagnostic("T204", message, at: name.range, "`floor`, `ceil` and `round` make a number whole"))
    case ("pow", _), ("sqrt", _), ("log10", _), ("ln", _), ("exp", _), ("sin", _), ("cos", _):
      report(Diagnostic("T204", message, at: name.range, "the language has no powers, roots or logarithms"))
    default: return false
    }
    return true
  }

  /// Reports `let x = read(battery_level)` and `let x = strap.read(battery_level)`.
  mutating func isReadAsValue(_ name: NameSyntax, _ value: Expression, _ statement: SourceRange) -> Bool {
    let attribute: Expression
    let owner: String
    let verb: SourceRange
    switch value.kind {
    case .call(let callee, let arguments)
    where callee.text == "read" && arguments.count == 1 && procedures.named("read") == nil:
      (attribute, owner, verb) = (arguments[0].value, "", callee.range)
    case .method(let base, let method, let arguments)
    where ["read", "read_gatt_char"].contains(method.text) && arguments.count < 2:
      // `battery_level.read()` and `client.read("2a19")`, where nothing is named `client`.
      var isUnknown = false
      if case .name(let name) = base.kind {
        isUnknown = scope.find(name) == nil && outer.find(name) == nil && recipeScope.find(name) == nil && name != "device"
        if arguments.isEmpty, !SIGNames.isCharacteristic(name) { return false }
      } else if arguments.isEmpty {
        return false
      }
      (attribute, verb) = (arguments.first?.value ?? base, method.range)
      owner = arguments.isEmpty || isUnknown ? "" : " of \(text(base.range))"
    default: return false
    }
    let written = text(attribute.range)
    let isText = if case .string = attribute.kind { true } else { false }
    let meant = isText ? Parser.attribute(named: written) : written
    report(
      Diagnostic(
        "T028", "`read` is a statement, not a value", at: verb, "name its result with `as`",
        fixes: meant.map { [.replace(statement, with: "read \($0)\(owner) as \(name.text)")] } ?? []))
    return true
  }

  /// Reports `l.len()`, `l.append(x)` or `t.strip()` with what to write instead.
  /// - Returns: whether the method is known from other languages.
  mutating func reportForeignMethod(_ base: Expression, _ name: NameSyntax, _ arguments: [ArgumentSyntax]) -> Bool {
    let message = "no value has `.\(name.text)()`"
    let given = arguments.map { text($0.value.range) }
    let whole = text(base.range)
    if let ours = ForeignWords.method(name.text) {
      report(
        Diagnostic("T221", message, at: name.range, "it is called `.\(ours)()`", fixes: [.replace(name.range, with: ours)]))
      return true
    }
    if let ours = ForeignWords.function(name.text) ?? BuiltIn.names.first(where: { $0 == name.text }), given.isEmpty {
      // From the value to the opening parenthesis after the name.
      let end = SourceRange(file: name.range.file, start: base.range.start, end: name.range.end + 2)
      let fixes: [Fix] = text(end) == "\(whole).\(name.text)()" ? [.replace(end, with: "\(ours)(\(whole))")] : []
      report(Diagnostic("T221", message, at: name.range, "it is a function: `\(ours)(\(whole))`", fixes: fixes))
      return true
    }
    switch (name.text, given.count) {
    case ("read", 1), ("read_gatt_char", 1):
      report(
        Diagnostic("T028", "`read` is a statement, not a value", at: name.range, "name its result with `as`, on a line of its own"))
    case ("append", 1), ("push", 1), ("add", 1), ("push_back", 1):
      report(Diagnostic("T221", message, at: name.range, "use `+` to extend a list: `\(whole) + [\(given[0])]`"))
    case ("extend", 1), ("concat", 1):
      report(Diagnostic("T221", message, at: name.range, "use `+` to join lists: `\(whole) + \(given[0])`"))
    case ("contains", 1), ("includes", 1), ("has", 1), ("has_key", 1), ("hasKey", 1), ("find", 1), ("indexOf", 1), ("index", 1):
      report(
        Diagnostic(
          "T221", message, at: name.range, ForeignWords.belonging,
          notes: ["text: `\(whole) contains \(given[0])`; list or record: `\(given[0]) in \(whole)`"]))
    case ("pop", _), ("remove", _), ("insert", _), ("delete", _), ("shift", _), ("unshift", _):
      report(
        Diagnostic(
          "T221", message, at: name.range, "lists and records are values: make a changed copy",
          notes: ["`l + [x]` adds an element, `l[1 .. count(l)]` drops the first, and `r.without(k)` drops a key"]))
    case ("join", 1):
      let isSeparator = kind(of: base) == .text
      report(
        Diagnostic(
          "T221", message, at: name.range,
          "it is a function: `join(\(isSeparator ? given[0] : whole), \(isSeparator ? whole : given[0]))`"))
    case ("map", 1), ("filter", 1), ("forEach", 1), ("each", 1), ("reduce", _):
      report(Diagnostic("T221", message, at: name.range, "use a loop: `for each x in \(whole)`"))
    case ("substring", 1...2), ("substr", 1...2), ("slice", 1...2):
      let end = given.count == 2 ? given[1] : "count(\(whole))"
      report(
        Diagnostic(
          "T221", message, at: name.range, "use a slice: `\(whole)[\(given[0]) .. \(end)]`",
          notes: ["the slice ends before its second bound"]))
    case ("format", _):
      report(Diagnostic("T221", message, at: name.range, "put values into text in braces: `\"{x} bpm\"`"))
    default: return false
    }
    return true
  }

  /// The text of a value, in parentheses if a dot cannot follow it directly.
  private func receiver(_ value: Expression) -> String {
    switch value.kind {
    case .string, .it, .name, .call, .member, .method, .index, .slice, .list, .record: text(value.range)
    default: text(value.range).hasPrefix("(") ? text(value.range) : "(\(text(value.range)))"
    }
  }
}

extension ForeignWords {
  static let belonging = "use `contains` for text, and `in` for lists and record keys"

  /// The built-in function that corresponds to a function of another language.
  static func function(_ name: String) -> String? {
    switch name {
    case "len", "length", "size", "strlen", "sizeof": "count"
    case "str", "string", "to_string", "toString", "tostring", "to_s", "Str", "String": "text"
    case "int", "integer", "float", "double", "to_int", "toInt", "to_number", "tonumber", "parseInt", "parse_int", "parseFloat",
      "to_i", "to_f", "atoi", "Number", "Int", "Integer", "Float", "Double":
      "number"
    case "avg", "mean": "average"
    case "rand", "randint": "random"
    case "time", "timestamp", "clock": "now"
    case "getenv": "env"
    case "ceiling": "ceil"
    case "u8be", "u8le": "u8"
    case "u16le": "u16"
    case "i16le": "i16"
    case "u24le": "u24"
    case "u32le": "u32"
    case "i32le": "i32"
    case "f32le": "f32"
    case "maximum": "max"
    case "minimum": "min"
    case "unhex", "from_hex", "fromhex", "unhexlify", "bytearray": "bytes"
    default: nil
    }
  }

  /// The method that corresponds to a method or a function of another language.
  static func method(_ name: String) -> String? {
    switch name {
    case "toUpperCase", "uppercase", "upcase", "to_upper", "toupper", "uppercased": "upper"
    case "toLowerCase", "lowercase", "downcase", "to_lower", "tolower", "lowercased": "lower"
    case "strip", "chomp", "trimmed": "trim"
    case "startswith", "startsWith", "hasPrefix", "has_prefix": "starts_with"
    case "endswith", "endsWith", "hasSuffix", "has_suffix": "ends_with"
    case "splitlines": "lines"
    case "sorted": "sort"
    case "reversed": "reverse"
    case "encode", "to_bytes": "bytes"
    case "decode": "text"
    case "hexlify", "to_hex": "hex"
    case "readUInt8", "getUint8", "u8be", "u8le": "u8"
    case "u16le": "u16"
    case "i16le": "i16"
    case "u24le": "u24"
    case "u32le": "u32"
    case "i32le": "i32"
    case "readInt8", "getInt8": "i8"
    case "readUInt16LE": "u16"
    case "readInt16LE": "i16"
    case "readUInt32LE": "u32"
    case "readInt32LE": "i32"
    case "readUInt16BE": "u16be"
    case "readInt16BE": "i16be"
    case "readUInt32BE": "u32be"
    case "readInt32BE": "i32be"
    case "readFloatLE": "f32"
    case "readDoubleLE": "f64"
    default: nil
    }
  }
}
