/// A pattern of `matches` and `named` for a whole text, case-sensitive: `*` stands for any text,
/// `?` for any single character.
///
/// Each piece between two `*` is searched once, after the previous one. Long pieces with `?` use
/// `WildcardSearch`, so that the time depends on the text and not on text times pattern.
package struct Glob: Equatable, Sendable {
  /// Pieces with at least this many characters are long.
  private static let long = 32

  package let pattern: String
  /// The pieces between two `*`, in UTF-8.
  private let pieces: [[UInt8]]  // unsaved: made of the pattern

  package init(_ pattern: String) {
    self.pattern = pattern
    pieces = Array(pattern.utf8).split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map { Array($0) }
  }

  package static func matches(_ pattern: String, _ text: String) -> Bool {
    if !isPattern(pattern) { return pattern == text && pattern.utf8.elementsEqual(text.utf8) }
    if pattern.utf8.count >= long, text.utf8.count >= long, hasLongWildcard(pattern) { return matchesLong(pattern, text) }
    return Glob(pattern).matches(Array(text.utf8))
  }

  /// Whether the pattern matches a text, given as UTF-8.
  package func matches(_ text: [UInt8]) -> Bool {
    guard let first = pieces.first, let start = Self.end(of: first, in: text, at: 0) else { return false }
    guard pieces.count > 1, let last = pieces.last else { return start == text.count }
    var at = start
    for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
      guard let found = Self.next(piece, in: text, from: at) else { return false }
      at = found
    }
    // The last piece must match at the end, so step back by its number of characters.
    var tail = text.count
    for octet in last where !Self.isContinuation(octet) {
      if tail <= at { return false }
      tail -= 1
      while tail > at, Self.isContinuation(text[tail]) { tail -= 1 }
    }
    return Self.end(of: last, in: text, at: tail) == text.count
  }

  /// The end of a piece that matches at `start`; `nil` if it does not.
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

  /// The end of the first occurrence of a piece.
  private static func next(_ piece: [UInt8], in text: [UInt8], from start: Int) -> Int? {
    guard piece.contains(UInt8(ascii: "?")) else { return text.place(of: piece, from: start).map { $0 + piece.count } }
    for at in start..<max(start, text.count) where !isContinuation(text[at]) {
      if let found = end(of: piece, in: text, at: at) { return found }
    }
    return nil
  }

  /// Whether a long piece between two `*` has a `?`.
  private static func hasLongWildcard(_ pattern: String) -> Bool {
    pattern.utf8.split(separator: UInt8(ascii: "*")).contains { $0.count >= long && $0.contains(UInt8(ascii: "?")) }
  }

  /// As `matches`, by Unicode scalars.
  private static func matchesLong(_ pattern: String, _ text: String) -> Bool {
    let text = text.unicodeScalars.map(\.value)
    let any = WildcardSearch.any
    let pieces = pattern.unicodeScalars.split(separator: "*", omittingEmptySubsequences: false).map { piece in
      piece.map { $0 == "?" ? any : $0.value }
    }
    func fits(_ piece: [UInt32], _ at: Int) -> Bool {
      at >= 0 && at + piece.count <= text.count && piece.indices.allSatisfy { piece[$0] == any || piece[$0] == text[at + $0] }
    }
    guard let first = pieces.first, fits(first, 0) else { return false }
    guard pieces.count > 1, let last = pieces.last else { return first.count == text.count }
    var at = first.count
    for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
      let found =
        piece.count < long
        ? (at..<max(at, text.count - piece.count + 1)).first { fits(piece, $0) } : WildcardSearch(piece).first(in: text, from: at)
      guard let found else { return false }
      at = found + piece.count
    }
    return text.count - last.count >= at && fits(last, text.count - last.count)
  }

  private static func isContinuation(_ octet: UInt8) -> Bool { octet & 0xC0 == 0x80 }

  /// Whether a text contains wildcards.
  package static func isPattern(_ text: String) -> Bool {
    text.utf8.contains { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "?") }
  }
}
