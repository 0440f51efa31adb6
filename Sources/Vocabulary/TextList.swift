extension [String] {
  /// As `joined(separator:)`. The library's generic version looks up types at its first call, which
  /// takes 120,000 instructions when the program starts.
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
