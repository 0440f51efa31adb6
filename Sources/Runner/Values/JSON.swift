package import Exchange
import Vocabulary

/// Strict JSON (RFC 8259). Integers stay 64-bit integers, other numbers are doubles.
package enum JSON {
  /// JSON on one line without spaces. Values without a JSON form are texts as `print` shows them;
  /// NaN and infinities are null.
  package static func text(of value: Value, _ surroundings: borrowing Surroundings) -> String {
    var text = ""
    write(value, to: &text, surroundings)
    return text
  }

  package static func write(_ value: Value, to text: inout String, _ surroundings: borrowing Surroundings) {
    switch value {
    case .nothing: text += "null"
    case .bool(let flag): text += flag ? "true" : "false"
    case .int(let number): text += String(number)
    case .real(let number): text += number.isFinite ? DecimalText.text(number) : "null"
    case .list(let list):
      text += "["
      for index in list.indices {
        if index > 0 { text += "," }
        write(list[index], to: &text, surroundings)
      }
      text += "]"
    case .record(let record):
      text += "{"
      for index in record.fields.indices {
        if index > 0 { text += "," }
        JSONObject.quote(record.fields[index].key, to: &text)
        text += ":"
        write(record.fields[index].value, to: &text, surroundings)
      }
      text += "}"
    default: JSONObject.quote(TextRendering.text(of: value, surroundings), to: &text)
    }
  }

  /// Parses one value; fails if anything follows it.
  package static func parse(_ bytes: [UInt8]) throws(Failure) -> Value {
    var parser = Parser(bytes: bytes)
    parser.skipSpace()
    let value = try parser.value(levels: Value.depthLimit)
    parser.skipSpace()
    if parser.at < bytes.count { throw parser.failure("there is text after the value") }
    return value
  }

  private struct Parser {
    let bytes: [UInt8]
    var at = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var next: UInt8? { at < bytes.count ? bytes[at] : nil }

    func failure(_ message: String) -> Failure {
      let line = 1 + bytes[..<min(at, bytes.count)].count { $0 == 0x0A }
      return .value("this is not JSON: \(message) (line \(line), byte \(at))")
    }

    mutating func skipSpace() {
      while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { at += 1 }
    }

    mutating func take(_ word: StaticString) -> Bool {
      let count = word.utf8CodeUnitCount
      guard at + count <= bytes.count else { return false }
      for index in 0..<count where bytes[at + index] != word.utf8Start[index] { return false }
      at += count
      return true
    }

    mutating func value(levels: Int) throws(Failure) -> Value {
      switch next {
      case nil: throw failure("it ends where a value is expected")
      case UInt8(ascii: "{"):
        if levels == 0 { throw .tooDeep }
        return .record(try record(levels: levels - 1))
      case UInt8(ascii: "["):
        if levels == 0 { throw .tooDeep }
        return .list(try list(levels: levels - 1))
      case UInt8(ascii: "\""): return .text(try string())
      case UInt8(ascii: "t") where take("true"): return .bool(true)
      case UInt8(ascii: "f") where take("false"): return .bool(false)
      case UInt8(ascii: "n") where take("null"): return .nothing
      case let byte? where byte == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte): return try number()
      default: throw failure("expected a value here")
      }
    }

    mutating func list(levels: Int) throws(Failure) -> [Value] {
      at += 1
      var list: [Value] = []
      skipSpace()
      if next == UInt8(ascii: "]") {
        at += 1
        return list
      }
      while true {
        skipSpace()
        list.append(try value(levels: levels))
        skipSpace()
        switch next {
        case UInt8(ascii: ","): at += 1
        case UInt8(ascii: "]"):
          at += 1
          return list
        default: throw failure("expected `,` or `]` here")
        }
      }
    }

    mutating func record(levels: Int) throws(Failure) -> Record {
      at += 1
      var record = Record()
      skipSpace()
      if next == UInt8(ascii: "}") {
        at += 1
        return record
      }
      while true {
        skipSpace()
        guard next == UInt8(ascii: "\"") else { throw failure("expected a key in quotes here") }
        let key = try string()
        skipSpace()
        guard next == UInt8(ascii: ":") else { throw failure("expected `:` here") }
        at += 1
        skipSpace()
        record.set(key, try value(levels: levels))
        skipSpace()
        switch next {
        case UInt8(ascii: ","): at += 1
        case UInt8(ascii: "}"):
          at += 1
          return record
        default: throw failure("expected `,` or `}` here")
        }
      }
    }

    mutating func string() throws(Failure) -> String {
      at += 1
      var text: [UInt8] = []
      while let byte = next {
        at += 1
        switch byte {
        case UInt8(ascii: "\""):
          guard let string = String(validating: text, as: UTF8.self) else { throw failure("a text is not UTF-8") }
          return string
        case UInt8(ascii: "\\"): try escape(into: &text)
        case 0..<0x20: throw failure("a text contains a control character")
        default: text.append(byte)
        }
      }
      throw failure("a text is not closed")
    }

    private mutating func escape(into text: inout [UInt8]) throws(Failure) {
      guard let byte = next else { throw failure("a text is not closed") }
      at += 1
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
      case UInt8(ascii: "n"): text.append(0x0A)
      case UInt8(ascii: "r"): text.append(0x0D)
      case UInt8(ascii: "t"): text.append(0x09)
      case UInt8(ascii: "b"): text.append(0x08)
      case UInt8(ascii: "f"): text.append(0x0C)
      case UInt8(ascii: "u"):
        var code = try fourDigits()
        if (0xD800..<0xDC00).contains(code) {
          guard take("\\u") else { throw failure("half of a surrogate pair") }
          let low = try fourDigits()
          guard (0xDC00..<0xE000).contains(low) else { throw failure("half of a surrogate pair") }
          code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw failure("half of a surrogate pair") }
        text.append(contentsOf: String(Character(scalar)).utf8)
      default: throw failure("there is no such escape")
      }
    }

    private mutating func fourDigits() throws(Failure) -> UInt32 {
      var code: UInt32 = 0
      for _ in 0..<4 {
        guard let byte = next, let digit = Hex.digit(byte) else { throw failure("expected four hex digits after \\u") }
        code = code << 4 | UInt32(digit)
        at += 1
      }
      return code
    }

    private mutating func number() throws(Failure) -> Value {
      let start = at
      var isWhole = true
      if next == UInt8(ascii: "-") { at += 1 }
      if next == UInt8(ascii: "0") { at += 1 } else { try digits() }
      if next == UInt8(ascii: ".") {
        isWhole = false
        at += 1
        try digits()
      }
      if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
        isWhole = false
        at += 1
        if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { at += 1 }
        try digits()
      }
      let text = String(decoding: bytes[start..<at], as: UTF8.self)
      if isWhole {
        guard let whole = Int64(text) else { throw failure("the number \(text) has more than 64 bits") }
        return .int(whole)
      }
      guard let real = Double(text), real.isFinite else { throw failure("the number \(text) is out of range") }
      return .real(real)
    }

    private mutating func digits() throws(Failure) {
      let start = at
      while let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { at += 1 }
      if at == start { throw failure("expected a digit here") }
    }
  }
}
