/// An incomplete command line of a shell, split into words for completion.
struct CommandWords: Equatable {
  /// The words before the current one.
  private(set) var before: [String] = []
  /// The current word, without its quotes.
  private(set) var current = ""
  /// The open quote at the end.
  private(set) var quote: UInt8?

  init(_ line: String) {
    var word: [UInt8]?
    var escaped = false
    for byte in line.utf8 {
      if escaped {
        word = (word ?? []) + [byte]
        escaped = false
      } else if byte == UInt8(ascii: "\\"), quote != UInt8(ascii: "'") {
        escaped = true
      } else if byte == quote {
        quote = nil
      } else if quote == nil, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
        word = word ?? []
      } else if quote == nil, byte == 0x20 || byte == 0x09 {
        if let word { before.append(String(decoding: word, as: UTF8.self)) }
        word = nil
      } else {
        word = (word ?? []) + [byte]
      }
    }
    current = String(decoding: word ?? [], as: UTF8.self)
  }

  /// A candidate for bash. Readline replaces only the text after the last colon, and closes a quote
  /// itself.
  func bash(_ candidate: String) -> String {
    guard quote == nil else { return candidate }
    var text = candidate
    if let colon = current.utf8.lastIndex(of: UInt8(ascii: ":")) {
      let kept = current.utf8.distance(from: current.utf8.startIndex, to: colon) + 1
      text = String(decoding: candidate.utf8.dropFirst(kept), as: UTF8.self)
    }
    var result: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-")...UInt8(ascii: ":"), UInt8(ascii: "_"), UInt8(ascii: "="), UInt8(ascii: "@"), UInt8(ascii: "+"),
        UInt8(ascii: ","), 0x80...:
        result.append(byte)
      default: result += [UInt8(ascii: "\\"), byte]
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
