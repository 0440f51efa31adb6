import Vocabulary

/// Bytes that were written without `hex "…"`, as in `write 01 ff to led`.
///
/// `01`, `ff` and `0x10` can only be hex. `10 20` may as well be decimal, so it has two readings.
struct LooseBytes {
  private let pieces: [String]

  init(_ pieces: [String]) { self.pieces = pieces }

  private static func isMarked(_ piece: String) -> Bool { piece.hasPrefix("0x") }

  private static func isDecimal(_ piece: String) -> Bool { piece.utf8.allSatisfy(isDigit) }

  /// Whether only hex can be meant: a letter, or two digits of which the first is 0.
  private static func isHex(_ piece: String) -> Bool {
    isMarked(piece) || !isDecimal(piece) || piece.utf8.count == 2 && piece.hasPrefix("0")
  }

  /// Whether nothing but hex can be meant. Next to `0x01`, a plain `20` is decimal to many.
  var areCertainlyHex: Bool {
    pieces.contains { Self.isMarked($0) } ? pieces.allSatisfy { Self.isHex($0) } : pieces.contains { Self.isHex($0) }
  }

  /// All of them as hex: `hex "10 20"`.
  var hexDigits: String? {
    let digits = pieces.map { piece in
      let digits = Self.isMarked(piece) ? String(piece.dropFirst(2)) : piece
      return digits.utf8.count == 1 ? "0" + digits : digits
    }
    let text = digits.joined(separator: " ")
    return Hex.bytes(text) == nil ? nil : text
  }

  /// What may be meant, as the language writes it. More than one unless it is certainly hex, and
  /// then the writer has to choose.
  var readings: [String] {
    let hex = hexDigits.map { "hex \"\($0)\"" }
    if areCertainlyHex { return hex.map { [$0] } ?? [] }
    var readings: [String] = []
    if let hex { readings.append(hex) }
    for (type, largest) in [("u8", 0xFF), ("u16", 0xFFFF)] where readings.count < 2 {
      let numbers = pieces.compactMap { piece -> String? in
        let value = Self.isDecimal(piece) ? Int(piece) : Int(piece.dropFirst(Self.isMarked(piece) ? 2 : 0), radix: 16)
        guard let value, value <= largest else { return nil }
        return "\(type)(\(Self.isDecimal(piece) ? String(value) : piece))"
      }
      if numbers.count == pieces.count { readings.append(numbers.joined(separator: " + ")) }
    }
    return readings.count > 1 ? readings : []
  }
}
