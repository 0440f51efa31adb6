import Vocabulary

/// Bytes written without `hex "…"`, as in `write 01 ff to led`.
///
/// `01`, `ff` and `0x10` can only be hex. `10 20` may also be decimal, so it has two readings.
struct LooseBytes {
  private let pieces: [String]

  init(_ pieces: [String]) { self.pieces = pieces }

  private static func isMarked(_ piece: String) -> Bool { piece.hasPrefix("0x") }

  private static func isDecimal(_ piece: String) -> Bool { piece.utf8.allSatisfy(isDigit) }

  /// Whether a piece can only be hex: it has a letter, or two digits starting with 0.
  private static func isHex(_ piece: String) -> Bool {
    isMarked(piece) || !isDecimal(piece) || piece.utf8.count == 2 && piece.hasPrefix("0")
  }

  /// Whether all pieces can only be hex. Next to `0x01`, many people mean a plain `20` as decimal.
  var areCertainlyHex: Bool {
    pieces.contains { Self.isMarked($0) } ? pieces.allSatisfy { Self.isHex($0) } : pieces.contains { Self.isHex($0) }
  }

  /// All pieces as hex: `hex "10 20"`.
  var hexDigits: String? {
    let digits = pieces.map { piece in
      let digits = Self.isMarked(piece) ? String(piece.dropFirst(2)) : piece
      return digits.utf8.count == 1 ? "0" + digits : digits
    }
    let text = digits.joined(separator: " ")
    return Hex.bytes(text) == nil ? nil : text
  }

  /// The possible meanings in the language's notation. There are several unless the pieces are
  /// certainly hex; then the writer has to choose.
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
