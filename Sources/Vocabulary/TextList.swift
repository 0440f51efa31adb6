extension [String] {
  /// `joined(separator:)`, made for this type: the library's own looks types up by their names when
  /// it is first called, 120,000 instructions of a start.
  package func list(by separator: String) -> String {
    var text = first ?? ""
    for part in dropFirst() {
      text += separator
      text += part
    }
    return text
  }
  /// `text, csv or json`: what one may choose from.
  package var choice: String {
    count < 2 ? list(by: "") : "\(Array(dropLast()).list(by: ", ")) or \(self[count - 1])"
  }
}
