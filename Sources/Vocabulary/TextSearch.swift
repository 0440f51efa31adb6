/// Searching in texts octet by octet.
///
/// `contains` and `replacing` of the standard library's string processing compare characters, which a combining mark behind them hides from the
/// search, and bring the machinery of regular expressions into the program.
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

  fileprivate func place(of part: [UInt8], from start: Int) -> Int? {
    guard let first = part.first else { return start }
    guard start >= 0, part.count <= count - start else { return nil }
    let last = count - part.count
    var index = start
    while index <= last {
      if self[index] == first {
        var length = 1
        while length < part.count, self[index + length] == part[length] { length += 1 }
        if length == part.count { return index }
      }
      index += 1
    }
    return nil
  }
}
