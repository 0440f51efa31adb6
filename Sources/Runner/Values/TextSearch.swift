import Vocabulary

extension String {
  /// Whether both have the same Unicode scalars. Texts that only look alike differ, as they do for
  /// `count`, `contains` and the devices that are named after them.
  func isSame(as other: String) -> Bool { self == other && utf8.elementsEqual(other.utf8) }
}

/// A text as a key, by its Unicode scalars.
struct ExactText: Hashable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (one: ExactText, other: ExactText) -> Bool { one.text.isSame(as: other.text) }
  func hash(into hasher: inout Hasher) { for byte in text.utf8 { hasher.combine(byte) } }
}

/// Searches UTF-8. A match of valid UTF-8 in valid UTF-8 always begins at the start of a character.
enum TextSearch {
  static func first(_ part: String, in whole: String) -> Int? { Array(whole.utf8).place(of: Array(part.utf8), from: 0) }

  /// The pieces between the occurrences of a nonempty separator.
  static func split(_ whole: String, by separator: String) -> [String] {
    let bytes = Array(whole.utf8)
    let part = Array(separator.utf8)
    var pieces: [String] = []
    var start = 0
    while let at = bytes.place(of: part, from: start) {
      pieces.append(String(decoding: bytes[start..<at], as: UTF8.self))
      start = at + part.count
    }
    pieces.append(String(decoding: bytes[start...], as: UTF8.self))
    return pieces
  }
}
