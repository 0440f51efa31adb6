import Exchange

/// A change of a text: which stretches of the old text became which stretches of the new one.
struct TextChange {
  private struct Stretch {
    var before: Range<Int>
    var after: Range<Int>
  }

  let file: UInt16
  private var stretches: [Stretch] = []

  /// - Parameter fix: must be applicable to the text.
  init(_ fix: Fix, file: UInt16) {
    self.file = file
    var shift = 0
    for edit in fix.edits.sorted(by: { ($0.range.start, $0.range.end) < ($1.range.start, $1.range.end) }) {
      let before = Int(edit.range.start)..<Int(edit.range.end)
      let start = before.lowerBound + shift
      let size = edit.replacement.utf8.count
      stretches.append(Stretch(before: before, after: start..<start + size))
      shift += size - before.count
    }
  }

  /// A single stretch between the common beginning and the common end of both texts.
  init(from old: [UInt8], to new: [UInt8], file: UInt16) {
    self.file = file
    let shorter = min(old.count, new.count)
    var head = 0
    while head < shorter, old[head] == new[head] { head += 1 }
    // Do not split a UTF-8 sequence.
    while head > 0, head < old.count, old[head] & 0xC0 == 0x80 { head -= 1 }
    var tail = 0
    while tail < shorter - head, old[old.count - 1 - tail] == new[new.count - 1 - tail] { tail += 1 }
    while tail > 0, old[old.count - tail] & 0xC0 == 0x80 { tail -= 1 }
    stretches = [Stretch(before: head..<old.count - tail, after: head..<new.count - tail)]
  }

  /// The old offset of a new one; `nil` inside inserted text.
  func before(_ place: UInt32) -> UInt32? {
    var shift = 0
    for stretch in stretches {
      if Int(place) < stretch.after.lowerBound { break }
      if stretch.after.contains(Int(place)) { return nil }
      shift = stretch.before.upperBound - stretch.after.upperBound
    }
    return UInt32(exactly: Int(place) + shift)
  }

  /// The new offset of an old one; the start of the replacement inside replaced text.
  func after(_ place: UInt32) -> UInt32 {
    var shift = 0
    for stretch in stretches {
      if Int(place) < stretch.before.lowerBound { break }
      if stretch.before.contains(Int(place)) { return UInt32(truncatingIfNeeded: stretch.after.lowerBound) }
      shift = stretch.after.upperBound - stretch.before.upperBound
    }
    return UInt32(truncatingIfNeeded: max(0, Int(place) + shift))
  }

  /// Whether a range of the new text is in one of these lines, or in one that the change touches.
  func concerns(_ range: SourceRange, _ lines: Set<Int>, of text: SourceText) -> Bool {
    guard range.file == file else { return false }
    let line = text.line(of: range.start)
    return lines.contains(line) || touches(line: line, of: text)
  }

  /// Whether the change touches a line of the new text.
  func touches(line: Int, of text: SourceText) -> Bool {
    stretches.contains { stretch in
      let first = text.line(of: UInt32(truncatingIfNeeded: stretch.after.lowerBound))
      let last = text.line(of: UInt32(truncatingIfNeeded: max(stretch.after.lowerBound, stretch.after.upperBound - 1)))
      return (first...max(first, last)).contains(line)
    }
  }

  /// The change as a fix, if it is a single stretch.
  func fix(in new: [UInt8]) -> Fix? {
    guard stretches.count == 1, let only = stretches.first else { return nil }
    let range = SourceRange(file: file, start: UInt32(only.before.lowerBound), end: UInt32(only.before.upperBound))
    return .replace(range, with: String(decoding: new[only.after], as: UTF8.self))
  }
}
