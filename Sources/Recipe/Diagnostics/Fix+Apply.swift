extension SourceText {
  /// The text after a fix; `nil` if its edits overlap or are out of range.
  package func applying(_ fix: Fix) -> [UInt8]? {
    var result: [UInt8] = []
    var place = 0
    for edit in fix.edits.sorted(by: { ($0.range.start, $0.range.end) < ($1.range.start, $1.range.end) }) {
      let start = Int(edit.range.start)
      let end = Int(edit.range.end)
      guard start >= place, end >= start, end <= bytes.count else { return nil }
      result += bytes[place..<start]
      result += Array(edit.replacement.utf8)
      place = end
    }
    return result + bytes[place...]
  }
}
