/// Searching in texts octet by octet, in linear time whatever is looked for.
///
/// `contains` and `replacing` of the standard library's string processing compare characters, which
/// a combining mark behind them hides from the search, and bring the machinery of regular
/// expressions into the program.
extension String {
  /// Whether these octets stand in it somewhere.
  package func holds(_ part: String) -> Bool { Array(utf8).holds(Array(part.utf8)) }

  /// With another text wherever this one stands. Nothing stands nowhere.
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
    // Whole characters of UTF-8 are found in UTF-8 only where such a character begins.
    return String(decoding: result, as: UTF8.self)
  }
}

extension [UInt8] {
  /// Whether these octets stand in it somewhere.
  package func holds(_ part: [UInt8]) -> Bool { place(of: part, from: 0) != nil }

  /// Where these octets stand first, at or behind `start`. Takes steps in proportion to both
  /// counts.
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
        // Texts that nearly match everywhere would be compared again and again.
        if compared > 4 * (index - start + part.count) + 1024 { return placeByTable(of: part, from: index + 1) }
      }
      index += 1
    }
    return nil
  }

  /// Knuth, Morris and Pratt: no octet of the text is looked at from the start again.
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
