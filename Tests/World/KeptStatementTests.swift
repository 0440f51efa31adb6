import Glibc
import Linux
import Testing
import Vocabulary
import World

/// Statements with several effects, killed before and after each: with a keeper everything happens
/// once, and without one nothing happens twice.
@Suite struct KeptStatementTests {
  private let playground = Playground()

  static let thing = """
    peripheral thing named "Thing"
      let octets = 0
      let writes_seen = 0
      advertise 0xFFF0 every 100ms
      service 0xFFF0
        characteristic 0xFFF2 can read, write starts as u8(0)
        characteristic 0xFFF7 can read, write, write without response
      end
      on write 0xFFF2 as value
        set writes_seen to writes_seen + 1
        update 0xFFF2 to value
      end
      on write 0xFFF7 as piece
        set octets to octets + count(piece)
        update 0xFFF7 to piece
      end
    end

    """

  struct Case: CustomStringConvertible, Sendable {
    var name: String
    var head = ""
    var text: String
    /// Without a keeper, the outcome of a write with `when unsure fail` is unknown.
    var isDirectToo = true
    var description: String { name }
  }

  static let cases: [Case] = [
    Case(
      name: "whenever",
      text: """
        let done = 0
        whenever 0xFFF0 appears as d
          connect to d
          read raw 0xFFF2 as value
          append "{value:hex}" to "out.txt"
          write u8(5) to 0xFFF2 when unsure verify
          wait 500ms
          append "written" to "out.txt"
          set done to done + 1
        end
        wait until done is 1 within 1min
        append "done" to "out.txt"
        test "each device once"
          simulate thing
          start recipe as r
          wait until r.finished within 2min
          expect r.exit_code is 0, r.errors
          expect file("out.txt").text() is "00\\nwritten\\ndone\\n" and thing.writes_seen is 1
        end
        """),
    Case(
      name: "limits after on restore",
      text: """
        on restore: wait 5s
        let n = 0
        scan for 0xFFF0 within 4s
        try within 4s
          connect
        end
        try 3 times
          try within 2s
            write u8(5) to 0xFFF2
          end
        end
        try 3 times within 2s: write u8(6) to 0xFFF2 when unsure skip
        write u8(7) to 0xFFF2 within 2s
        try within 2s: run "sync" when unsure repeat
        after 1s: set n to n + 1
        wait until n is 1 within 2s
        append "{n}" to "out.txt"
        test "an on restore that outlasts every limit"
          simulate thing
          start recipe as r
          wait until r.finished within 2min
          expect r.exit_code is 0, r.errors
          expect file("out.txt").text() is "1\\n" and thing.writes_seen is 3
        end
        """, isDirectToo: false),
    Case(
      name: "use scan", head: "use scan gentle\n",
      text: """
        scan for 0xFFF0
        connect when it appears
        write u8(5) to 0xFFF2 when unsure verify
        append "written" to "out.txt"
        test "once"
          simulate thing
          start recipe as r
          wait until r.finished within 2min
          expect r.exit_code is 0, r.errors
          expect file("out.txt").text() is "written\\n" and thing.writes_seen is 1
        end
        """),
    Case(
      name: "at once",
      text: """
        let sum = 0
        scan for 0xFFF0
        connect
        let d = device
        for each x in [3, 1, 2] at once up to 2
          wait x * 100ms
          read raw 0xFFF2 of d as value
          append "{x} {value:hex}" to "out{x}.txt"
          set sum to sum + x
        end
        for each x in [300ms, 900ms] at once
          wait x
          append "first {x}" to "out.txt"
          leave
        end
        append "{sum}" to "out.txt"
        test "each branch once"
          simulate thing
          start recipe as r
          wait until r.finished within 2min
          expect r.exit_code is 0, r.errors
          expect file("out.txt").text() is "first 300ms\\n6\\n"
          for each x in [1, 2, 3]
            expect file("out{x}.txt").text() is "{x} 00\\n"
          end
        end
        """),
    Case(
      name: "in pieces",
      text: """
        input without: flag = false
        scan for 0xFFF0
        connect
        let image = hex "00010203040506070809" + hex "10111213141516171819" + hex "2021222324252627"
        if without
          write image to 0xFFF7 without response in pieces of 5
        else
          write image to 0xFFF7 in pieces of 3
        end
        read raw 0xFFF7 as last
        append "{last:hex}" to "out.txt"
        test "each piece once"
          simulate thing
          start recipe as r
          wait until r.finished within 2min
          expect r.exit_code is 0, r.errors
          expect thing.octets is 28 and file("out.txt").text() is "27\\n"
        end
        test "without response"
          simulate thing
          start recipe with {without: true} as r
          wait until r.finished within 2min
          expect r.exit_code is 0, r.errors
          expect thing.octets is 28 and file("out.txt").text() is "252627\\n"
        end
        """, isDirectToo: false),
    Case(
      name: "on line",
      text: """
        let isOver = false
        let isReady = false
        scan for 0xFFF0
        connect
        set isReady to true
        on line as typed
          wait until isReady
          if typed is nothing
            set isOver to true
            return
          end
          write u8(number(typed)) to 0xFFF2
          append typed to "out.txt"
        end
        wait until isOver
        read raw 0xFFF2 as last
        append "{last:hex}" to "out.txt"
        test "each line is written once"
          simulate thing
          start recipe with {lines: [1, 2, 3]} as r
          wait until r.finished within 2min
          expect r.exit_code is 0, r.errors
          expect file("out.txt").text() is "1\\n2\\n3\\n03\\n" and thing.writes_seen is 3
        end
        """, isDirectToo: false),
    Case(
      name: "run",
      text: """
        scan for 0xFFF0
        connect
        run "date +%s" as r when unsure repeat
        write r.out.bytes() to 0xFFF2 when unsure verify
        try
          run "notify-send once"
        otherwise if unsure
          append "unsure" to "out.txt"
        end
        run "logger x" when unsure skip
        append "end" to "out.txt"
        test "a program"
          simulate thing
          start recipe with {commands: {date: "7"}} as r
          wait until r.finished within 2min
          expect r.exit_code is 0, r.errors
          let log = file("out.txt").text()
          expect log is "end\\n" or log is "unsure\\nend\\n"
          let once = 0
          let skipped = 0
          for each c in r.commands
            if c is "notify-send once": set once to once + 1
            if c is "logger x": set skipped to skipped + 1
          end
          expect once <= 1 and skipped <= 1 and (once is 1 or log contains "unsure")
          expect thing.writes_seen is 1
        end
        """),
  ]

  @Test(arguments: cases) func everyStatementTakesEffectOnceDespiteKills(given: Case) throws {
    let path = "\(playground.path)/a.ble"
    try saveFile(path, Array((given.head + Self.thing + given.text + "\n").utf8))
    let file = try TestFile(path: path)
    let sample = getenv("FULL") == nil ? 60 : nil
    var options = TestOptions(seed: 1)
    for kills in [TestOptions.Kills.kept(sample: sample)] + (given.isDirectToo ? [.direct(sample: sample)] : []) {
      options.kills = kills
      for test in file.tests {
        let verdict = try TestSweep(test, of: file, options).run()
        #expect(
          verdict.passed,
          "\(verdict.circumstance ?? "uninterrupted") \(String(describing: verdict.failure?.failure?.message)) \(verdict.failure?.logs ?? [])"
        )
      }
    }
  }
}
