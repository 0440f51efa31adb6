import Linux

/// Completes file names in a line of a prompt.
enum PromptFiles {
  /// The most names of a folder.
  private static let most = 1000

  /// The folder of an incomplete file name, as it is written; `nil` if there is no file name here.
  /// - Parameter text: The line before the word, which ends with the quote.
  static func folder(of begun: String, after text: String) -> String? {
    var words = text.utf8.split(separator: 0x0A).last.map { Array($0) } ?? []
    guard words.popLast() == UInt8(ascii: "\"") else { return nil }
    while words.last == 0x20 { words.removeLast() }
    let line = String(decoding: words, as: UTF8.self)
    let first = line.prefix { $0 != " " }
    let isFile =
      line.hasSuffix("file(") || line == "include" || line == "save recipe"
      || ["append", "save"].contains(first) && line.hasSuffix(" to")
    guard isFile else { return nil }
    return begun.lastIndex(of: "/").map { String(begun[...$0]) } ?? ""
  }

  /// Files with the closing quote, folders without.
  static func names(_ begun: String, in place: String, _ folder: String) -> [String] {
    let shown = Files.names(in: place).sorted().prefix(most).filter { name in
      // Skips hidden names and those that a string would have to escape.
      name.utf8.allSatisfy {
        $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") && $0 != UInt8(ascii: "{")
      }
        && (!name.hasPrefix(".") || begun.hasPrefix("\(folder)."))
    }
    return shown.map { name in
      let isFolder = realPath("\(place)/\(name)/.") != nil
      return "\(folder)\(name)\(isFolder ? "/" : "\"")"
    }
  }
}
