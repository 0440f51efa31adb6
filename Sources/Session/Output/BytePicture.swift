import Exchange
import Recipe
import Vocabulary

/// The bytes of a value with carets under those that do not fit its format.
enum BytePicture {
  /// Bytes shown before the first that is wrong, and after the last.
  private static let before = 16
  private static let after = 8
  /// Carets at most; the rest of a long field is not underlined.
  private static let marked = 16

  /// `bytes  01 02`, and a line with `^^` under the wrong ones and what was decoded before.
  static func fact(_ bytes: [UInt8], _ fault: DecodeFault) -> Diagnostic.Fact {
    let start = min(max(0, fault.offset), bytes.count)
    let count = min(max(1, fault.count), marked)
    let first = start > before ? start - before : 0
    let last = min(bytes.count, start + count + after)
    let lead = first > 0 ? "bytes  … " : "bytes  "
    var text = lead + Hex.text(bytes[first..<last])
    if last < bytes.count { text += " …" }
    let indent = lead.unicodeScalars.count + 3 * (start - first)
    var marks = String(repeating: " ", count: indent)
    // Two digits a byte with a space between; a byte that is missing has one caret.
    let present = min(count, bytes.count - start)
    if present > 0 { marks += String(repeating: "^", count: 3 * present - 1) }
    if count > present { marks += present > 0 ? "^^" : "^" }
    if !fault.known.isEmpty { marks += " \(fault.known)" }
    return Diagnostic.Fact(text, marks: marks)
  }
}
