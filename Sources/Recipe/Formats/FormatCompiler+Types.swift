/// Types of fields, their sizes, and the meanings of their values.
extension FormatCompiler {
  mutating func type(_ syntax: PlainTypeSyntax, _ number: FormatNumber, step: Int, lists: Int = 0) -> FormatType? {
    switch syntax.kind {
    case .list(let count, let element):
      if lists == Self.listLimit {
        report("at most \(Self.listLimit) lists can be nested", syntax.range)
        return nil
      }
      guard let type = type(element, number, step: step, lists: lists + 1) else { return nil }
      if type.runsToEnd {
        report("the elements of a list need a fixed size", syntax.range)
        return nil
      }
      var size: FormatArithmetic?
      if let count {
        guard let found = self.size(count, step: step, lists: lists) else { return nil }
        size = found
      }
      return .list(count: size, type)
    case .named(let name, let sizeSyntax): return named(name, sizeSyntax, number, step: step, lists: lists)
    }
  }

  mutating func named(
    _ name: NameSyntax, _ sizeSyntax: Expression?, _ number: FormatNumber, step: Int, lists: Int
  ) -> FormatType? {
    if var type = NumberType(named: name.text) {
      if sizeSyntax != nil {
        report("`\(name.text)` already has a size", name.range)
        return nil
      }
      if isBigEndian, type.size > 1 { type.isBigEndian = true }
      var number = number
      number.type = type
      return .number(number)
    }
    var size: FormatArithmetic?
    if let sizeSyntax {
      guard ["bytes", "text", "uuid"].contains(name.text) else {
        report("`\(name.text)` takes no size", name.range)
        return nil
      }
      guard let found = self.size(sizeSyntax, step: step, lists: lists) else { return nil }
      size = found
    }
    switch name.text {
    case "bytes": return .bytes(size)
    case "text": return .text(size)
    case "uuid":
      guard let size else { return .uuid(size: 16, isBigEndian: isBigEndian) }
      guard size == .constant(2) || size == .constant(16) else {
        report("a UUID has 2 or 16 bytes", name.range)
        return nil
      }
      return .uuid(size: size == .constant(2) ? 2 : 16, isBigEndian: isBigEndian)
    case "address": return .address(isBigEndian: isBigEndian)
    case "date_time": return .dateTime(isBigEndian: isBigEndian)
    case "eddystone_url_text": return .eddystoneURL
    default: if let reading = SensorReading(rawValue: name.text) { return .reading(reading) }
    }
    guard let declaration = resolve(name.text) else {
      report("there is no type or format `\(name.text)`", name.range, hint: Self.similarType(name.text))
      return nil
    }
    guard !users.contains(name.text), users.count < Self.depthLimit else {
      report("the format `\(name.text)` would contain itself", name.range)
      return nil
    }
    switch Self.compile(declaration, users: users, resolve: resolve) {
    case .success(let plan): return .format(plan)
    case .failure:
      report("the format `\(name.text)` has errors of its own", name.range)
      return nil
    }
  }

  static func similarType(_ name: String) -> String? {
    switch name {
    case "int", "int8", "sint8", "byte", "number", "uint8", "char": "use a number type with a size: u8, i16, f32 …"
    case "uint16": "u16"
    case "uint32": "u32"
    case "int16", "sint16": "i16"
    case "int32", "sint32": "i32"
    case "float": "f32"
    case "double": "f64"
    case "string", "str", "utf8": "text"
    case "bool", "boolean", "flag": "`u8 meaning false = 0, true = 1`, or a bit of `bits(u8)`"
    default: nil
    }
  }

  /// The range of the number that a type, or its innermost element, holds.
  static func bounds(of syntax: PlainTypeSyntax) -> ClosedRange<Int64> {
    switch syntax.kind {
    case .list(_, let element): bounds(of: element)
    case .named(let name, _): NumberType(named: name.text)?.bounds ?? Int64.min...Int64.max
    }
  }

  mutating func size(_ expression: Expression, step: Int, lists: Int) -> FormatArithmetic? {
    // A size that is one earlier field, plus or minus a constant, can be derived from the sized
    // field when encoding.
    let before = otherUses
    guard let size = arithmetic(expression) else { return nil }
    if case .constant(let number) = size, !(0...65_535).contains(number) {
      report("a size is 0 to 65535", expression.range)
      return nil
    }
    if let (name, offset) = Self.linear(expression), let place = places.last(where: { $0.name == name && $0.bit == nil }) {
      otherUses = before
      sizeUses.append((place.step, FormatStep.SizeOf(step: step, offset: -offset, lists: lists)))
    }
    return size
  }

  /// Splits `n`, `n + 2` or `n - 2` into the name and the added constant.
  static func linear(_ expression: Expression) -> (name: String, added: Int64)? {
    switch expression.kind {
    case .name(let name): return (name, 0)
    case .binary(let operation, let left, let right):
      guard case .name(let name) = left.kind, case .number(let literal) = right.kind, case .integer(let number) = literal.value,
        number.magnitude < 65_536
      else { return nil }
      switch operation {
      case .add: return (name, number)
      case .subtract: return (name, -number)
      default: return nil
      }
    default: return nil
    }
  }

  mutating func meanings(_ list: [MeaningSyntax], within bounds: ClosedRange<Int64>) -> [FormatMeaning] {
    var meanings: [FormatMeaning] = []
    for entry in list {
      guard let raw = constant(entry.value) else { continue }
      let word: FormatMeaning.Word =
        switch entry.word.text {
        case "nothing": .nothing
        case "true": .flag(true)
        case "false": .flag(false)
        default: .text(entry.word.text)
        }
      if meanings.contains(where: { $0.word == word || $0.raw == raw }) {
        report("`\(entry.word.text)` or its number appears twice", entry.word.range)
      }
      if !bounds.contains(raw) {
        report("\(raw) does not fit here (\(bounds.lowerBound) to \(bounds.upperBound))", entry.value.range)
      }
      meanings.append(FormatMeaning(word: word, raw: raw))
    }
    return meanings
  }
}
