/// Looking for a text in a text, on UTF-8: a match of valid UTF-8 in valid UTF-8 always stands on a character's start.
enum TextSearch {
  /// The byte offset of the first occurrence at or behind `start`.
  static func first(_ part: [UInt8], in whole: [UInt8], from start: Int = 0) -> Int? {
    if part.isEmpty { return start <= whole.count ? start : nil }
    guard whole.count >= part.count, start <= whole.count - part.count else { return nil }
    let head = part[0]
    var at = start
    let last = whole.count - part.count
    while at <= last {
      if whole[at] == head {
        var length = 1
        while length < part.count, whole[at + length] == part[length] { length += 1 }
        if length == part.count { return at }
      }
      at += 1
    }
    return nil
  }

  static func first(_ part: String, in whole: String) -> Int? { first(Array(part.utf8), in: Array(whole.utf8)) }

  /// The pieces between the occurrences of a separator that is not empty.
  static func split(_ whole: String, by separator: String) -> [String] {
    let bytes = Array(whole.utf8)
    let part = Array(separator.utf8)
    var pieces: [String] = []
    var start = 0
    while let at = first(part, in: bytes, from: start) {
      pieces.append(String(decoding: bytes[start..<at], as: UTF8.self))
      start = at + part.count
    }
    pieces.append(String(decoding: bytes[start...], as: UTF8.self))
    return pieces
  }
}
