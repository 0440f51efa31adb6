extension [String] {
  /// As `joined(separator:)`. The library's generic version looks up types at its first call, which
  /// costs 120,000 instructions at the start.
  package func list(by separator: String) -> String {
    var text = first ?? ""
    for part in dropFirst() {
      text += separator
      text += part
    }
    return text
  }
  /// `text, csv or json`: the allowed words.
  package var choice: String {
    count < 2 ? list(by: "") : "\(Array(dropLast()).list(by: ", ")) or \(self[count - 1])"
  }
}
