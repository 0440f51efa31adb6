/// The pattern of `matches` and `named`: `*` is any stretch, `?` any one character; the whole text, case-sensitive.
///
/// Each piece between two `*` is looked for once, behind the one before; only pieces with a `?` are tried at every place.
package struct Glob: Equatable, Sendable {
  package let pattern: String
  /// What stands between two `*`, in UTF-8.
  private let pieces: [[UInt8]]

  package init(_ pattern: String) {
    self.pattern = pattern
    pieces = Array(pattern.utf8).split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map { Array($0) }
  }

  package static func matches(_ pattern: String, _ text: String) -> Bool { Glob(pattern).matches(Array(text.utf8)) }

  /// Whether it fits a text, given as UTF-8.
  package func matches(_ text: [UInt8]) -> Bool {
    guard let first = pieces.first, let start = Self.end(of: first, in: text, at: 0) else { return false }
    guard pieces.count > 1, let last = pieces.last else { return start == text.count }
    var at = start
    for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
      guard let found = Self.next(piece, in: text, from: at) else { return false }
      at = found
    }
    // The last piece stands at the end: as many characters as it has.
    var tail = text.count
    for octet in last where !Self.isContinuation(octet) {
      if tail <= at { return false }
      tail -= 1
      while tail > at, Self.isContinuation(text[tail]) { tail -= 1 }
    }
    return Self.end(of: last, in: text, at: tail) == text.count
  }

  /// Where a piece that begins here ends; nothing when it does not.
  private static func end(of piece: [UInt8], in text: [UInt8], at start: Int) -> Int? {
    var at = start
    for octet in piece {
      guard at < text.count else { return nil }
      if octet == UInt8(ascii: "?") {
        at += 1
        while at < text.count, isContinuation(text[at]) { at += 1 }
      } else if octet == text[at] {
        at += 1
      } else {
        return nil
      }
    }
    return at
  }

  /// Where the first occurrence of a piece ends.
  private static func next(_ piece: [UInt8], in text: [UInt8], from start: Int) -> Int? {
    guard piece.contains(UInt8(ascii: "?")) else { return text.place(of: piece, from: start).map { $0 + piece.count } }
    for at in start..<max(start, text.count) where !isContinuation(text[at]) {
      if let found = end(of: piece, in: text, at: at) { return found }
    }
    return nil
  }

  private static func isContinuation(_ octet: UInt8) -> Bool { octet & 0xC0 == 0x80 }

  /// Whether a text is a pattern at all.
  package static func isPattern(_ text: String) -> Bool {
    text.utf8.contains { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "?") }
  }
}
