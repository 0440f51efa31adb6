/// Hexadecimal text.
package enum Hex {
  /// The value of a hex digit, or `nil`.
  package static func digit(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// Two digits.
  package static func text(_ byte: UInt8, uppercase: Bool = false) -> String {
    String(decoding: [digit(of: byte >> 4, uppercase), digit(of: byte & 0xF, uppercase)], as: UTF8.self)
  }

  private static func digit(of value: UInt8, _ uppercase: Bool) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: uppercase ? "A" : "a") + value - 10
  }

  /// Four digits in upper case, as assigned numbers are printed.
  package static func text(_ value: UInt16) -> String {
    text(UInt8(truncatingIfNeeded: value >> 8), uppercase: true) + text(UInt8(truncatingIfNeeded: value), uppercase: true)
  }

  /// Sixteen digits in lower case, most significant first.
  package static func text(bigEndian value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }

  /// `0x0215`, with two digits for each octet.
  package static func prefixed(_ value: Int64, octets: Int) -> String {
    let digits = text(bigEndian: UInt64(bitPattern: value)).suffix(2 * min(max(octets, 1), 8))
    return "0x" + digits
  }

  /// `01 02 ff`; the separator may be changed or empty.
  package static func text(_ bytes: some Sequence<UInt8>, separator: String = " ") -> String {
    let between = Array(separator.utf8)
    var text: [UInt8] = []
    for byte in Array(bytes) {
      if !text.isEmpty { text += between }
      text.append(digit(of: byte >> 4, false))
      text.append(digit(of: byte & 0xF, false))
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Parses pairs of digits, with optional spaces, tabs and line ends between pairs. `nil` for any
  /// other text.
  package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    var bytes: [UInt8] = []
    var high: UInt8?
    for character in text.utf8 {
      if [0x20, 0x09, 0x0A, 0x0D].contains(character) {
        guard high == nil else { return nil }
        continue
      }
      guard let digit = Self.digit(character) else { return nil }
      if let first = high {
        bytes.append(first << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    return high == nil ? bytes : nil
  }
}
