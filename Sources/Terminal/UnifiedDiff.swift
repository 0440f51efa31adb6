/// The difference between two texts in the format of `diff -u`.
package enum UnifiedDiff {
  private enum Step { case same, gone, new }

  private static let context = 3
  /// If both sides together have more differing lines than this, they become a single hunk.
  private static let limit = 4000

  /// Empty if both texts are the same. Lines count from 1.
  package static func text(_ old: [UInt8], _ new: [UInt8], name: String) -> String {
    guard old != new else { return "" }
    let (left, right) = (lines(old), lines(new))
    let steps = steps(left, right)
    var result = "--- \(name)\n+++ \(name)\n"
    var place = 0
    var (from, to) = (0, 0)
    var starts: [(Int, Int)] = []
    for step in steps {
      starts.append((from, to))
      if step != .new { from += 1 }
      if step != .gone { to += 1 }
    }
    while let first = steps[place...].firstIndex(where: { $0 != .same }) {
      var last = first
      // Changes close to each other form one hunk.
      while let next = steps[(last + 1)...].firstIndex(where: { $0 != .same }), next - last <= 2 * context + 1 { last = next }
      let range = max(place, first - context)..<min(steps.count, last + 1 + context)
      result += piece(range, steps, starts, left, right)
      place = range.upperBound
    }
    return result
  }

  private static func piece(
    _ range: Range<Int>, _ steps: [Step], _ starts: [(Int, Int)], _ left: [[UInt8]], _ right: [[UInt8]]
  ) -> String {
    let gone = range.count { steps[$0] != .new }
    let new = range.count { steps[$0] != .gone }
    let (from, to) = starts[range.lowerBound]
    func place(_ start: Int, _ count: Int) -> String { count == 1 ? "\(start + 1)" : "\(count == 0 ? start : start + 1),\(count)" }
    var text = "@@ -\(place(from, gone)) +\(place(to, new)) @@\n"
    for index in range {
      let (old, fresh) = starts[index]
      let line = steps[index] == .new ? right[fresh] : left[old]
      let sign = steps[index] == .same ? " " : steps[index] == .gone ? "-" : "+"
      text += sign + String(decoding: line, as: UTF8.self)
      if line.last != 0x0A { text += "\n\\ No newline at end of file\n" }
    }
    return text
  }

  /// The lines, including their line ends.
  private static func lines(_ bytes: [UInt8]) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    var start = 0
    for (place, byte) in bytes.enumerated() where byte == 0x0A {
      lines.append(Array(bytes[start...place]))
      start = place + 1
    }
    if start < bytes.count { lines.append(Array(bytes[start...])) }
    return lines
  }

  /// The edit steps that keep a longest common subsequence of lines.
  private static func steps(_ left: [[UInt8]], _ right: [[UInt8]]) -> [Step] {
    var head = 0
    while head < min(left.count, right.count), left[head] == right[head] { head += 1 }
    var tail = 0
    while tail < min(left.count, right.count) - head, left[left.count - 1 - tail] == right[right.count - 1 - tail] { tail += 1 }
    let (a, b) = (Array(left[head..<left.count - tail]), Array(right[head..<right.count - tail]))
    return Array(repeating: .same, count: head) + middle(a, b) + Array(repeating: .same, count: tail)
  }

  private static func middle(_ a: [[UInt8]], _ b: [[UInt8]]) -> [Step] {
    guard !a.isEmpty, !b.isEmpty, a.count + b.count <= limit else {
      return Array(repeating: .gone, count: a.count) + Array(repeating: .new, count: b.count)
    }
    // common[i][j]: the number of lines that the rests after i and j have in common.
    let width = b.count + 1
    var common = [Int32](repeating: 0, count: (a.count + 1) * width)
    for i in a.indices.reversed() {
      for j in b.indices.reversed() {
        common[i * width + j] =
          a[i] == b[j] ? common[(i + 1) * width + j + 1] + 1 : max(common[(i + 1) * width + j], common[i * width + j + 1])
      }
    }
    var steps: [Step] = []
    var (i, j) = (0, 0)
    while i < a.count || j < b.count {
      if i < a.count, j < b.count, a[i] == b[j] {
        steps.append(.same)
        (i, j) = (i + 1, j + 1)
      } else if i < a.count, j == b.count || common[(i + 1) * width + j] >= common[i * width + j + 1] {
        steps.append(.gone)
        i += 1
      } else {
        steps.append(.new)
        j += 1
      }
    }
    return steps
  }
}
