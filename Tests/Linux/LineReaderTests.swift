import Glibc
import Linux
import Testing

/// Lines read from a descriptor.
@Suite struct LineReaderTests {
  /// Data written to a pipe that is then closed is read as these lines.
  private func lines(of bytes: [UInt8]) throws -> [String] {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let reader = LineReader(descriptor: ends[0])
    var lines: [String] = []
    var rest = bytes[...]
    while !reader.isOver {
      // Less than a pipe holds.
      let part = Array(rest.prefix(30_000))
      rest = rest.dropFirst(part.count)
      if part.isEmpty { close(ends[1]) } else { try writeAll(ends[1], part, named: "a pipe") }
      repeat {
        reader.fill()
        while let line = reader.next() { lines.append(line) }
      } while !part.isEmpty && available(ends[0]) > 0
    }
    close(ends[0])
    return lines
  }

  private func available(_ descriptor: Int32) -> Int32 {
    var count: Int32 = 0
    _ = ioctl(descriptor, UInt(FIONREAD), &count)
    return count
  }

  @Test(
    arguments: [
      ("", []), ("a\n", ["a"]), ("a\nb", ["a", "b"]), ("\n\n", ["", ""]), ("a\r\nb\rc\n", ["a", "b\rc"]), ("ä\n", ["ä"]),
    ])
  func linesEndWithALineFeed(text: String, expected: [String]) throws {
    #expect(try lines(of: Array(text.utf8)) == expected)
  }

  @Test func invalidTextIsRepaired() throws { #expect(try lines(of: [0x61, 0xFF, 0x0A]) == ["a\u{FFFD}"]) }

  @Test func aLongLineComesInParts() throws {
    let long = Array(repeating: UInt8(ascii: "x"), count: 3 * LineReader.longest / 2)
    #expect(try lines(of: long + [0x0A, 0x61, 0x0A]).map(\.utf8.count) == [LineReader.longest, LineReader.longest / 2, 1])
  }

  @Test func aClosedDescriptorIsAtItsEnd() {
    let reader = LineReader(descriptor: -1)
    reader.fill()
    #expect(reader.isOver && reader.next() == nil)
  }

  @Test func invalidTextIsReported() throws {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[0]) }
    let reader = LineReader(descriptor: ends[0])
    try writeAll(ends[1], Array("a\n".utf8) + [0x62, 0xFF, 0x0A] + Array("\u{FFFD}\n".utf8) + [0xC3], named: "a pipe")
    close(ends[1])
    while !reader.isOver { reader.fill() }
    var found: [(String, Bool)] = []
    while let line = reader.next() { found.append((line, reader.isMalformed)) }
    #expect(found.map(\.0) == ["a", "b\u{FFFD}", "\u{FFFD}", "\u{FFFD}"])
    #expect(found.map(\.1) == [false, true, false, true])
  }
}
