import Vocabulary

/// Looking for a text in a text, on UTF-8: a match of valid UTF-8 in valid UTF-8 always stands on a
/// character's start.
enum TextSearch {
  static func first(_ part: String, in whole: String) -> Int? { Array(whole.utf8).place(of: Array(part.utf8), from: 0) }

  /// The pieces between the occurrences of a separator that is not empty.
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
