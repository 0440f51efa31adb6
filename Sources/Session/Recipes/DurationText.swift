package import Vocabulary

/// Durations in the syntax of recipes: `500ms`, `30s`, `1h30min`, `1.5s`.
package enum DurationText {
  /// Whether the text is a duration that is too long to represent.
  package static func isTooLong(_ text: String) -> Bool {
    guard parse(text) == nil, !text.utf8.contains(UInt8(ascii: ".")) else { return false }
    var short = ""
    for letter in text where !(letter.isASCII && letter.isNumber && short.last?.isNumber ?? false) { short.append(letter) }
    return parse(short) != nil
  }

  package static func parse(_ text: String) -> TimeSpan? {
    var rest = Array(text.utf8)[...]
    var total: Int64 = 0
    guard !rest.isEmpty else { return nil }
    while !rest.isEmpty {
      var whole: Int64 = 0
      var fraction: Int64 = 0
      var scale: Int64 = 1
      var digits = 0
      var afterPoint = false
      while let byte = rest.first, byte == 0x2E || (0x30...0x39).contains(byte) {
        rest.removeFirst()
        if byte == 0x2E {
          guard !afterPoint, digits > 0 else { return nil }
          afterPoint = true
          continue
        }
        digits += 1
        guard digits <= 12 else { return nil }
        if afterPoint {
          fraction = fraction * 10 + Int64(byte - 0x30)
          scale *= 10
        } else {
          whole = whole * 10 + Int64(byte - 0x30)
        }
      }
      guard digits > 0 else { return nil }
      let unit = String(decoding: rest.prefix { $0 >= 0x61 && $0 <= 0x7A }, as: UTF8.self)
      rest = rest.dropFirst(unit.utf8.count)
      let size: Int64
      switch unit {
      case "ms": size = 1_000_000
      case "s": size = 1_000_000_000
      case "min": size = 60_000_000_000
      case "h": size = 3_600_000_000_000
      case "d": size = 86_400_000_000_000
      default: return nil
      }
      let (large, tooLarge) = whole.multipliedReportingOverflow(by: size)
      let (part, partTooLarge) = fraction.multipliedReportingOverflow(by: size)
      let (sum, overflow) = total.addingReportingOverflow(large)
      guard !tooLarge, !overflow else { return nil }
      let small = partTooLarge ? Int64(Double(fraction) * Double(size) / Double(scale)) : part / scale
      let (all, over) = sum.addingReportingOverflow(small)
      guard !over else { return nil }
      total = all
    }
    return TimeSpan(nanoseconds: total)
  }
}
