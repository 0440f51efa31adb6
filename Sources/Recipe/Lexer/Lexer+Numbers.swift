import Exchange
import Vocabulary

/// Numbers, durations, and text that resembles them.
extension Lexer {
  mutating func number() {
    let start = position
    if byte() == UInt8(ascii: "0"), byte(1) == UInt8(ascii: "x") || byte(1) == UInt8(ascii: "b") {
      basedNumber(radix: byte(1) == UInt8(ascii: "x") ? 16 : 2)
      return
    }
    if let span = duration() {
      emit(.duration(span), from: start)
      return
    }
    while isDigit(byte()) || byte() == UInt8(ascii: "_") { position += 1 }
    var isReal = false
    if byte() == UInt8(ascii: "."), isDigit(byte(1)) {
      isReal = true
      position += 1
      while isDigit(byte()) { position += 1 }
    }
    let digits = slice(start, position).filter { $0 != "_" }
    let isDecibel =
      byte() == UInt8(ascii: "d") && byte(1) == UInt8(ascii: "B") && byte(2) == UInt8(ascii: "m") && !isWordByte(byte(3))
    if isDecibel { position += 3 }
    if isWordByte(byte()) {
      if octal(start) { return }
      glued(from: start, digits: digits, isReal: isReal)
      return
    }
    if isReal, let value = Double(digits), value.isFinite {
      emit(.number(.real(value), isHex: false, isDecibel: isDecibel), from: start)
    } else if !isReal, let value = UInt64(digits), value <= UInt64(Int64.max) + 1 {
      warnOfOctal(start)
      emit(.number(.integer(value), isHex: false, isDecibel: isDecibel), from: start)
    } else if !longUUID(start) {
      report(
        "T008", "this number is too large", from: start, to: position, "numbers have 64 bits; the largest is 9223372036854775807")
      emit(.number(.integer(0), isHex: false, isDecibel: false), from: start)
    }
  }

  mutating func basedNumber(radix: Int) {
    let start = position
    position += 2
    let from = position
    while isWordByte(byte()) { position += 1 }
    let digits = slice(from, position).filter { $0 != "_" }
    if digits.isEmpty, radix == 16, byte() == UInt8(ascii: "[") {
      bracketedHex(from: start)
      return
    }
    guard let value = UInt64(digits, radix: radix), value <= UInt64(Int64.max) else {
      if longUUID(start) { return }
      let digitsOnly = !digits.isEmpty && digits.utf8.allSatisfy { Hex.digit($0).map { Int($0) < radix } ?? false }
      if digitsOnly {
        report(
          "T008", "this number is too large", from: start, to: position,
          "numbers have 64 bits; write longer values as `hex \"…\"`")
      } else {
        report(
          "T007", "`\(slice(start, position))` is not a number", from: start, to: position,
          radix == 16 ? "expected digits from 0 to f after `0x`" : "expected the digits 0 and 1 after `0b`")
      }
      emit(.number(.integer(0), isHex: radix == 16, isDecibel: false), from: start)
      return
    }
    emit(.number(.integer(value), isHex: radix == 16, isDecibel: false), from: start)
  }

  /// Reports `0x[01 ff]`.
  mutating func bracketedHex(from start: Int) {
    var index = position
    while index < end, bytes[index] != UInt8(ascii: "]"), bytes[index] != 0x0A { index += 1 }
    let inside = slice(position + 1, index)
    position = index < end && bytes[index] != 0x0A ? index + 1 : index
    let place = range(from: start, to: position)
    report(
      "T030", "write bytes as `hex \"01 ff\"`", from: start, to: position, "",
      fixes: Hex.bytes(inside) == nil ? [] : [.replace(place, with: "hex \"\(inside)\"")])
    emit(.bad, from: start)
  }

  /// One or more numbers with units; otherwise consumes nothing.
  mutating func duration() -> TimeSpan? {
    let start = position
    var total = TimeSpan.zero
    var isTooLong = false
    while isDigit(byte()) {
      let from = position
      while isDigit(byte()) { position += 1 }
      let whole = slice(from, position)
      var fraction = 0.0
      if byte() == UInt8(ascii: "."), isDigit(byte(1)) {
        let point = position
        position += 1
        while isDigit(byte()) { position += 1 }
        fraction = Double("0" + slice(point, position)) ?? 0
      }
      guard let (length, size) = unit() else {
        position = start
        return nil
      }
      position += length
      let (product, overflow) = (Int64(whole) ?? .max).multipliedReportingOverflow(by: size)
      let (sum, tooMuch) = product.addingReportingOverflow(Int64(Double(size) * fraction + 0.5))
      if overflow || tooMuch || total.nanoseconds > Int64.max - sum {
        isTooLong = true
      } else {
        total = TimeSpan(nanoseconds: total.nanoseconds + sum)
      }
    }
    guard !isWordByte(byte()) else {
      position = start
      return nil
    }
    if isTooLong { report("T008", "this duration is too long", from: start, to: position, "the longest is about 292 years") }
    return total
  }

  /// The unit at this position: its length and its size in nanoseconds.
  func unit() -> (length: Int, nanoseconds: Int64)? {
    switch (byte(), byte(1), byte(2)) {
    case (UInt8(ascii: "m"), UInt8(ascii: "s"), _): (2, 1_000_000)
    case (UInt8(ascii: "m"), UInt8(ascii: "i"), UInt8(ascii: "n")): (3, 60_000_000_000)
    case (UInt8(ascii: "u"), UInt8(ascii: "s"), _): (2, 1000)
    case (UInt8(ascii: "s"), _, _): (1, 1_000_000_000)
    case (UInt8(ascii: "h"), _, _): (1, 3_600_000_000_000)
    case (UInt8(ascii: "d"), UInt8(ascii: "B"), _): nil
    case (UInt8(ascii: "d"), _, _): (1, 86_400_000_000_000)
    default: nil
    }
  }

  /// Whether it is in `"{hex "0a"}"`, where the text ended inside a value. The parser reports that.
  private func followsOpenBrace(_ start: Int) -> Bool {
    guard let last = tokens.last, case .text = last.kind, Int(last.range.end) == start else { return false }
    let text = slice(Int(last.range.start), start)
    return text.utf8.count(where: { $0 == UInt8(ascii: "{") }) > text.utf8.count(where: { $0 == UInt8(ascii: "}") })
  }

  /// Whether it is in `write 10 2f to led`, where the parser reports all bytes at once. Looks at no
  /// more than 32 tokens.
  private var followsBytes: Bool {
    for index in tokens.indices.suffix(32).reversed() {
      switch tokens[index].kind {
      case .number, .bad, .symbol(.comma): continue
      case .word("write"): return index < tokens.count - 1
      default: return false
      }
    }
    return false
  }

  /// Reports a number that is followed by meaningless letters.
  mutating func glued(from start: Int, digits: String, isReal: Bool) {
    let lettersFrom = position
    while isWordByte(byte()) { position += 1 }
    let letters = slice(lettersFrom, position)
    let whole = slice(start, position)
    let place = range(from: start, to: position)
    if followsOpenBrace(start) || followsBytes && whole.utf8.allSatisfy(isHexDigit) { return emit(.bad, from: start) }
    let unit: String? =
      switch letters.lowercased() {
      case "sec", "secs", "second", "seconds": "s"
      case "mins", "minute", "minutes": "min"
      case "hr", "hrs", "hour", "hours": "h"
      case "day", "days": "d"
      case "msec", "msecs", "millis", "millisecond", "milliseconds": "ms"
      case "ms", "min", "s", "h", "d": letters.lowercased()
      default: nil
      }
    let isHexUUID = !isReal && whole.utf8.count == 4 && UInt16(whole, radix: 16) != nil && letters != letters.lowercased()
    if whole.utf8.count == 32, whole.utf8.allSatisfy(isHexDigit), tokens.last?.kind != .word("write") {
      report(
        "T007", "a UUID needs dashes", from: start, to: position, "it has 8-4-4-4-12 digits",
        fixes: [.replace(place, with: Self.dashed(whole))])
      emit(.bad, from: start)
    } else if followsDeviceWord, let address = Self.address(whole) {
      report(
        "T031", "an address needs colons", from: start, to: position, "as in `C4:7C:8D:6A:12:0F`",
        fixes: [.replace(place, with: address)])
      emit(.bad, from: start)
    } else if tokens.last?.kind == .word("write"), whole.utf8.allSatisfy(isHexDigit), whole.utf8.count % 2 == 0 {
      report(
        "T030", "write bytes as `hex \"\(whole)\"`", from: start, to: position, "",
        fixes: [.replace(place, with: "hex \"\(whole)\"")])
      emit(.bad, from: start)
    } else if tokens.last?.kind == .word("hex"), whole.utf8.allSatisfy(isHexDigit), whole.utf8.count % 2 == 0 {
      report(
        "T030", "write bytes as `hex \"\(whole)\"`", from: start, to: position, "", fixes: [.replace(place, with: "\"\(whole)\"")])
      emit(.bad, from: start)
    } else if letters == "M", let last = tokens.last, last.kind == .word("phy") {
      report(
        "T014", "expected a PHY in quotes", from: start, to: position, "\"1M\", \"2M\" or \"coded\"",
        fixes: [.replace(place, with: "\"\(whole)\"")])
      emit(.bad, from: start)
    } else if letters.first == "m", let whole = Self.minutes(whole) {
      report(
        "T025", "minutes are written `min`", from: start, to: position, "the units are us, ms, s, min, h and d",
        fixes: [.replace(place, with: whole)])
      emit(.duration(.minutes(1)), from: start)
    } else if letters == "m" {
      report(
        "T025", "`\(whole)` could mean minutes or milliseconds", from: start, to: position, "write `\(digits)min` or `\(digits)ms`",
        fixes: [.replace(place, with: digits + "min"), .replace(place, with: digits + "ms")])
      emit(.duration(.minutes(1)), from: start)
    } else if let unit, !isHexUUID {
      report(
        "T025", "`\(letters)` is not a unit of time", from: start, to: position, "the units are us, ms, s, min, h and d",
        fixes: [.replace(place, with: digits + unit)])
      emit(.duration(.seconds(1)), from: start)
    } else if letters.lowercased() == "dbm" || letters.lowercased() == "db" {
      report("T007", "`\(letters)` is not a unit", from: start, to: position, "", fixes: [.replace(place, with: digits + "dBm")])
      emit(.number(.integer(UInt64(digits) ?? 0), isHex: false, isDecibel: true), from: start)
    } else if hasExponent(letters), !followsAttributeWord {
      report("T007", "numbers cannot have an exponent", from: start, to: position, "write all the zeros")
      emit(.number(.integer(0), isHex: false, isDecibel: false), from: start)
    } else if !isReal, whole.utf8.count == 4, let value = UInt16(whole, radix: 16) {
      report(
        "T035", "a 16-bit UUID starts with 0x", from: start, to: position,
        SIGNames.name(of: UUID(value)).map { "this is \($0)" } ?? "",
        fixes: [.replace(place, with: "0x" + whole)])
      emit(.number(.integer(UInt64(value)), isHex: true, isDecibel: false), from: start)
    } else if whole.utf8.allSatisfy(isHexDigit), whole.utf8.count % 2 == 0 {
      report(
        "T030", "write bytes as `hex \"\(whole)\"`", from: start, to: position, "",
        fixes: [.replace(place, with: "hex \"\(whole)\"")])
      emit(.bad, from: start)
    } else if letters == "x", tokens.last?.kind == .word("repeat") || tokens.last?.kind == .word("try") {
      report(
        "T007", "`\(whole)` is neither a number nor a name", from: start, to: position, "expected `times` after the number",
        fixes: [.replace(place, with: digits + " times")])
      emit(.bad, from: start)
    } else if ["f", "u", "l", "ul", "U", "L", "UL", "F", "n"].contains(String(letters)) {
      report(
        "T007", "a number has no `\(letters)` after it", from: start, to: position, "",
        fixes: [.replace(place, with: slice(start, lettersFrom))])
      emit(.bad, from: start)
    } else {
      report("T007", "`\(whole)` is neither a number nor a name", from: start, to: position, "names start with a letter")
      emit(.bad, from: start)
    }
  }

  /// `1m30s` as `1min30s`; `nil` if `m` is not followed by seconds.
  private static func minutes(_ text: String) -> String? {
    let parts = text.split(separator: "m", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, parts[0].utf8.allSatisfy(isDigit), parts[1].last == "s", parts[1].utf8.count > 1,
      parts[1].utf8.dropLast().allSatisfy(isDigit)
    else { return nil }
    return "\(parts[0])min\(parts[1])"
  }

  /// Whether the letters after a number are an exponent: `e20`, or `e` before `-7`.
  private func hasExponent(_ letters: some StringProtocol) -> Bool {
    guard letters.first == "e" || letters.first == "E" else { return false }
    let digits = letters.utf8.dropFirst()
    if !digits.isEmpty { return digits.allSatisfy(isDigit) }
    let bytes = source.bytes
    return position + 1 < bytes.count && [UInt8(ascii: "-"), UInt8(ascii: "+")].contains(bytes[position])
      && isDigit(bytes[position + 1])
  }

  /// Whether the last word takes an attribute, so that `2e19` is a UUID.
  private var followsAttributeWord: Bool {
    guard case .word(let word)? = tokens.last?.kind else { return false }
    return [
      "read", "raw", "to", "from", "for", "notify", "service", "characteristic", "descriptor", "include", "advertise", "write",
    ]
    .contains(word)
  }
}
