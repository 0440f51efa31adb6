/// Octet-wise text search in linear time.
///
/// The standard library's `contains` and `replacing` compare characters, so that a combining mark
/// after a match hides it. They also link regular expressions into the program.
extension String {
  /// Whether it contains these octets.
  package func holds(_ part: String) -> Bool { Array(utf8).holds(Array(part.utf8)) }

  /// Replaces every occurrence of a text. An empty text never occurs.
  package func replacing(every part: String, with other: String) -> String {
    let wanted = Array(part.utf8)
    let own = Array(utf8)
    guard !wanted.isEmpty, var found = own.place(of: wanted, from: 0) else { return self }
    var result: [UInt8] = []
    var rest = 0
    while true {
      result += own[rest..<found]
      result += other.utf8
      rest = found + wanted.count
      guard let next = own.place(of: wanted, from: rest) else { break }
      found = next
    }
    result += own[rest...]
    // A match of valid UTF-8 in valid UTF-8 begins at a character, so the result is valid.
    return String(decoding: result, as: UTF8.self)
  }
}

extension [UInt8] {
  /// Whether it contains these octets.
  package func holds(_ part: [UInt8]) -> Bool { place(of: part, from: 0) != nil }

  /// The first occurrence of these octets at or after `start`. Takes time linear in both counts.
  package func place(of part: [UInt8], from start: Int) -> Int? {
    guard start >= 0, start <= count else { return nil }
    guard let first = part.first else { return start }
    guard part.count <= count - start else { return nil }
    let last = count - part.count
    var index = start
    var compared = 0
    while index <= last {
      if self[index] == first {
        var length = 1
        while length < part.count, self[index + length] == part[length] { length += 1 }
        if length == part.count { return index }
        compared += length
        // Switch algorithms when almost every position nearly matches.
        if compared > 4 * (index - start + part.count) + 1024 { return placeByTable(of: part, from: index + 1) }
      }
      index += 1
    }
    return nil
  }

  /// Knuth-Morris-Pratt, which never goes back in the text.
  private func placeByTable(of part: [UInt8], from start: Int) -> Int? {
    var table = [Int32](repeating: 0, count: part.count)
    var length = 0
    for index in 1..<Swift.max(part.count, 1) {
      while length > 0, part[index] != part[length] { length = Int(table[length - 1]) }
      if part[index] == part[length] { length += 1 }
      table[index] = Int32(truncatingIfNeeded: length)
    }
    length = 0
    for index in start..<count {
      while length > 0, self[index] != part[length] { length = Int(table[length - 1]) }
      if self[index] == part[length] { length += 1 }
      if length == part.count { return index + 1 - length }
    }
    return nil
  }
}
