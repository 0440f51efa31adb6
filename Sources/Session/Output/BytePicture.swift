import Exchange
import Recipe
import Vocabulary

/// The bytes of a value, with carets under those that do not match its format.
enum BytePicture {
  /// The bytes shown before the first wrong one, and after the last.
  private static let before = 16
  private static let after = 8
  /// The most carets; the rest of a long field is not marked.
  private static let marked = 16

  /// Returns `bytes  01 02`, and a line with `^^` under the wrong ones and what was decoded before.
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
    // Each byte has two digits and a space; a missing byte has one caret.
    let present = min(count, bytes.count - start)
    if present > 0 { marks += String(repeating: "^", count: 3 * present - 1) }
    if count > present { marks += present > 0 ? "^^" : "^" }
    if !fault.known.isEmpty { marks += " \(fault.known)" }
    return Diagnostic.Fact(text, marks: marks)
  }
}
