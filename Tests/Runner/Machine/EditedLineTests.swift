import Exchange
import Testing
import Vocabulary

@testable import Runner

/// Edits of every kind around a run that is at any line of a block: whether the edit is refused,
/// and which line of the new text is blamed.
@Suite struct EditedLineTests {
  /// A block of three waits, nested in something. The run is at one of them.
  struct Place: Sendable, CustomStringConvertible {
    var description: String
    /// The lines before the block, its header (empty at the top level), its end, and the lines
    /// after it.
    var before: [String]
    var header: String
    var otherHeader: String
    var after: [String]
    /// When the first line of the block begins.
    var starts: TimeSpan = .zero
  }

  static let places = [
    Place(description: "the body", before: ["let a = 1"], header: "", otherHeader: "", after: ["print a"]),
    Place(
      description: "a loop", before: ["let a = 1"], header: "repeat 3 times", otherHeader: "repeat 5 times",
      after: ["end", "print a"]),
    Place(
      description: "a branch", before: ["let a = 1", "set a to 2"], header: "if a is 2", otherHeader: "if a is 2 or a is 3",
      after: ["end", "print a"]),
    Place(
      description: "an attempt", before: ["let a = 1"], header: "try 2 times", otherHeader: "try 4 times",
      after: ["otherwise", "  print a", "end"]),
    Place(
      description: "a timer", before: ["let a = 1"], header: "every 1h", otherHeader: "every 2h",
      after: ["end", "wait forever", "print a"],
      starts: .hours(1)),
    Place(
      description: "a loop in a timer", before: ["let a = 1", "every 1h", "  set a to 2"], header: "  repeat 3 times",
      otherHeader: "  repeat 4 times", after: ["  end", "end", "wait forever", "print a"], starts: .hours(1)),
  ]

  /// The new text, and the line that must be blamed, or nil if the run continues.
  struct Edited {
    var name: String
    var lines: [String]
    var blamed: Int?
    var isAround = false
  }

  static let waits = ["wait 10s", "wait 11s", "wait 12s"]

  static func text(_ place: Place, _ block: [String], header: String? = nil) -> (lines: [String], first: Int) {
    let head = header ?? place.header
    let lines = place.before + (head.isEmpty ? [] : [head]) + block + place.after
    return (lines, place.before.count + (head.isEmpty ? 0 : 1) + 1)
  }

  static func edits(_ place: Place, live: Int) -> [Edited] {
    var edits: [Edited] = []
    func add(_ name: String, _ block: [String], blamed: Int? = nil, header: String? = nil, isAround: Bool = false) {
      let (lines, first) = text(place, block, header: header)
      edits.append(Edited(name: name, lines: lines, blamed: blamed.map { first + $0 }, isAround: isAround))
    }
    for line in waits.indices {
      var changed = waits
      changed[line] = "wait 99s"
      add("line \(line) changed", changed, blamed: line == live ? line : nil)
      var gone = waits
      gone.remove(at: line)
      // The following line is blamed, or the one before if the last of a block is missing.
      let last = place.header.isEmpty ? gone.count : gone.count - 1
      add("line \(line) gone", gone, blamed: line == live ? min(line, last) : nil)
      for other in ["log \"new\"", "wait 98s"] {
        var longer = waits
        longer.insert(other, at: line)
        add("\(other) before line \(line)", longer)
        // Nothing shows which of two equal waits is the old one.
        if other.hasPrefix("wait") { continue }
        longer[longer.firstIndex(of: waits[live]) ?? 0] = "wait 97s"
        let blamed = longer.firstIndex(of: "wait 97s")
        add("\(other) before line \(line), and the live one changed", longer, blamed: blamed)
      }
      var wrapped = waits
      wrapped.replaceSubrange(line...line, with: ["if true", waits[line], "end"])
      add("line \(line) wrapped", wrapped, blamed: line == live ? line : nil)
      var other = waits
      other[line] = "log \"another\""
      add("line \(line) is another statement", other, blamed: line == live ? line : nil)
    }
    guard !place.header.isEmpty else { return edits }
    add("another header", waits, blamed: -1, header: place.otherHeader, isAround: true)
    // Moved in front of its block.
    var rest = waits
    let moved = rest.remove(at: live)
    var (lines, first) = text(place, rest)
    lines.insert(moved, at: first - 2)
    edits.append(Edited(name: "moved out", lines: lines, blamed: first - 1))
    (lines, first) = text(place, waits)
    edits.append(Edited(name: "no edit", lines: lines))
    return edits
  }

  @Test(arguments: places) func theLineThatChangedIsBlamed(_ place: Place) throws {
    for live in Self.waits.indices {
      let (old, first) = Self.text(place, Self.waits)
      let passed = (0..<live).reduce(TimeSpan.seconds(1)) { $0 + .seconds(10 + Int64($1)) }
      for edit in Self.edits(place, live: live) {
        let conflict = try AlignmentTests.conflict(
          old.joined(separator: "\n") + "\n", edit.lines.joined(separator: "\n") + "\n", advance: place.starts + passed)
        let new = try Bench.program(edit.lines.joined(separator: "\n") + "\n").lines
        let told: Comment = "\(place), at \(Self.waits[live]), \(edit.name): \(edit.lines)"
        #expect(conflict.map { new.line(of: $0.newRange).number } == edit.blamed, told)
        #expect(conflict?.isAround ?? false == edit.isAround, told)
        if conflict != nil { #expect(conflict?.oldPlace == "line \(edit.isAround ? first - 1 : first + live)", told) }
      }
    }
  }

  @Test func ofEqualLinesOneThatIsLeftIsShown() throws {
    let conflict = try AlignmentTests.conflict(
      "wait 1s\nlog \"x\"\nwait 1s\nprint 1\n", "log \"x\"\nwait 1s\nprint 1\n", advance: .milliseconds(1500))
    #expect(conflict?.edit == .fewerEquals(of: 2, left: 1))
    #expect(conflict?.newRange == SourceRange(start: 8, end: 15))
  }

  @Test func aTextWithoutStatementsIsAConflictToo() throws {
    for empty in ["", "# nothing\n", "let unused = 1\n"] {
      #expect(try AlignmentTests.conflict("wait 1h\n", empty) != nil)
    }
  }
}
