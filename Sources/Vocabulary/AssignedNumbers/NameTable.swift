/// A text of lines `name=NNNN`, sorted by name; `name~NNNN` is an alias of a number that has a name
/// on another line. Lookup is a binary search in the text, without allocation or preparation.
struct NameTable {
  var text: StaticString

  func number(named name: String) -> UInt16? {
    var key = name
    return key.withUTF8 { key in
      text.withUTF8Buffer { text in
        var low = 0
        var high = text.count
        while low < high {
          // The line that contains the middle: [start, end). Its name is all but the last five
          // bytes.
          var start = (low + high) / 2
          while start > low, text[start - 1] != newline { start -= 1 }
          var end = start
          while end < text.count, text[end] != newline { end += 1 }
          let nameEnd = end - 5
          guard nameEnd >= start else { return nil }
          switch compare(key, UnsafeBufferPointer(rebasing: text[start..<nameEnd])) {
          case 0: return hexadecimal(text, at: end - 4)
          case ..<0: high = start
          default: low = end + 1
          }
        }
        return nil
      }
    }
  }

  /// The name of a number; never an alias.
  func name(of number: UInt16) -> String? {
    // Only the result is converted to a String.
    text.withUTF8Buffer { text in
      var start = 0
      while start < text.count {
        var end = start
        while end < text.count, text[end] != newline { end += 1 }
        if end - start > 5, text[end - 5] == UInt8(ascii: "="), hexadecimal(text, at: end - 4) == number {
          return String(decoding: text[start..<(end - 5)], as: UTF8.self)
        }
        start = end + 1
      }
      return nil
    }
  }

  /// All lines except aliases, in order.
  var entries: Entries { Entries(text: text) }

  struct Entries: Sequence, IteratorProtocol {
    var text: StaticString
    var position = 0

    init(text: StaticString) { self.text = text }

    mutating func next() -> (name: String, number: UInt16)? {
      text.withUTF8Buffer { text in
        while position < text.count {
          let start = position
          var end = start
          while end < text.count, text[end] != newline { end += 1 }
          position = end + 1
          guard end - start > 5, text[end - 5] == UInt8(ascii: "="), let number = hexadecimal(text, at: end - 4) else { continue }
          return (String(decoding: text[start..<(end - 5)], as: UTF8.self), number)
        }
        return nil
      }
    }
  }
}

/// A text of lines `NNNN=Name`, sorted by number.
struct CompanyTable {
  var text: StaticString

  func name(of identifier: UInt16) -> String? {
    text.withUTF8Buffer { text in
      var low = 0
      var high = text.count
      while low < high {
        var start = (low + high) / 2
        while start > low, text[start - 1] != newline { start -= 1 }
        var end = start
        while end < text.count, text[end] != newline { end += 1 }
        guard end - start > 5, let number = hexadecimal(text, at: start) else { return nil }
        if number == identifier { return String(decoding: text[(start + 5)..<end], as: UTF8.self) }
        if number < identifier { low = end + 1 } else { high = start }
      }
      return nil
    }
  }

  /// All companies in the form of recipes, with their whole names.
  var names: [String] {
    text.withUTF8Buffer { text in
      text.split(separator: newline).map { line -> String in
        let words = line.dropFirst(5).split { byte in
          !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) && !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        return words.map { String(decoding: $0, as: UTF8.self).lowercased() }.joined(separator: "_")
      }
    }
  }

  /// The identifier of a company by its name in any case, or in the form of recipes:
  /// `nordic_semiconductor`, without the legal form at its end.
  func identifier(named name: String) -> UInt16? {
    let key = Array(name.utf8)
    guard !key.isEmpty else { return nil }
    return text.withUTF8Buffer { text in
      var start = 0
      while start < text.count {
        var end = start
        while end < text.count, text[end] != newline { end += 1 }
        if end - start > 5, isName(UnsafeBufferPointer(rebasing: text[(start + 5)..<end]), key) {
          return hexadecimal(text, at: start)
        }
        start = end + 1
      }
      return nil
    }
  }

  private func isName(_ name: UnsafeBufferPointer<UInt8>, _ key: [UInt8]) -> Bool {
    if name.count == key.count, zip(key, name).allSatisfy({ lowercase($0) == lowercase($1) }) { return true }
    var place = 0
    for byte in name {
      // After the key only the legal form may follow, which starts with a new word.
      if place == key.count {
        if isWord(byte) { return false }
        break
      }
      if isWord(byte) {
        guard lowercase(byte) == key[place] else { return false }
        place += 1
      } else if key[place] == UInt8(ascii: "_") {
        place += 1
      } else if place > 0, key[place - 1] != UInt8(ascii: "_") {
        return false
      }
    }
    guard place == key.count, key.last != UInt8(ascii: "_") else { return false }
    var word: [UInt8] = []
    var words: [[UInt8]] = []
    for byte in name.reversed() {
      if isWord(byte) {
        word.insert(lowercase(byte), at: 0)
      } else if !word.isEmpty {
        words.append(word)
        word = []
      }
    }
    words.append(word)
    let written = key.split(separator: UInt8(ascii: "_")).count
    guard written < words.count else { return written == words.count }
    return words.prefix(words.count - written).allSatisfy { word in Self.forms.contains { $0.utf8.elementsEqual(word) } }
  }

  /// Whether it is a letter, a digit, or part of a letter beyond ASCII.
  private func isWord(_ byte: UInt8) -> Bool {
    byte >= 0x80 || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(lowercase(byte))
  }

  /// Legal forms of companies.
  private static let forms = [
    "ab", "ag", "as", "asa", "bv", "b", "v", "co", "company", "corp", "corporation", "gmbh", "inc", "incorporated", "kg", "limited",
    "llc", "ltd", "nv", "n", "oy", "oyj", "plc", "pte", "pty", "sa", "s", "a", "sas", "spa", "srl",
  ]
}

private let newline = UInt8(ascii: "\n")

private func lowercase(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }

/// Negative if the left text comes first, zero if they are equal.
private func compare(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int {
  for index in 0..<Swift.min(left.count, right.count) where left[index] != right[index] {
    return Int(left[index]) - Int(right[index])
  }
  return left.count - right.count
}

/// The four hex digits at a position of a table.
private func hexadecimal(_ text: UnsafeBufferPointer<UInt8>, at place: Int) -> UInt16? {
  guard place >= 0, place + 4 <= text.count else { return nil }
  var value: UInt16 = 0
  for byte in text[place..<(place + 4)] {
    guard let digit = Hex.digit(byte) else { return nil }
    value = value << 4 | UInt16(digit)
  }
  return value
}
