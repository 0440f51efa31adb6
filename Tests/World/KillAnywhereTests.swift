import Journal
import Linux
import Runner
import Session
import Testing
import Vocabulary

/// Recipes of every shape, dropped before or after each effect: they end as if nothing had
/// happened, with each line of their files once.
@Suite struct KillAnywhereTests {
  static let device = """
    peripheral thing named "Thing"
      let beats = 0
      let commands = 0
      let octets = 0
      advertise 0xFFF0 every 100ms
      service 0xFFF0
        characteristic 0xFFF1 can notify
        characteristic 0xFFF2 can read, write starts as u8(0)
        characteristic 0xFFF3 can write, indicate
        characteristic 0xFFF4 can read starts as u16(0)
        characteristic 0xFFF5 can write
        characteristic 0xFFF6 can read, write starts as "x"
        characteristic 0xFFF7 can read, write, write without response
        characteristic 0xFFF8 can read starts as u16(0)
      end
      on write 0xFFF7 as piece
        set octets to octets + count(piece)
        update 0xFFF7 to piece
        update 0xFFF8 to u16(octets)
      end
      every 500ms
        set beats to beats + 1
        notify 0xFFF1 with u32(beats)
      end
      on write 0xFFF3 as asked
        set commands to commands + 1
        update 0xFFF4 to u16(commands)
        indicate 0xFFF3 with asked + hex "aa"
      end
      on write 0xFFF5: disconnect
    end

    """

  struct Case: CustomStringConvertible, Sendable {
    var name: String
    var recipe: String
    /// The final contents of its files, which kills do not change.
    var files: [String: String]
    var code: Int32 = 0
    var span: TimeSpan = .minutes(5)
    /// Lines of stdout, with consecutive duplicates counted once.
    var lines: [String]?
    var description: String { name }
  }

  static let cases: [Case] = [
    Case(
      name: "a loop of appends",
      recipe: """
        let n = 0
        repeat 6 times
          set n to n + 1
          append "{n}" to "out.txt"
          print n
          wait 300ms
        end
        save "{n}" to "last.txt"
        """, files: ["out.txt": "1\n2\n3\n4\n5\n6\n", "last.txt": "6\n"], lines: ["1", "2", "3", "4", "5", "6"]),
    Case(
      name: "appends side by side",
      recipe: """
        let a = 0
        let b = 0
        every 700ms
          set a to a + 1
          append "a{a}" to "a.csv"
          append {n: a} to "a2.csv"
        end
        after 1s
          for each x in [1, 2, 3]
            append x to "b.txt"
            wait 200ms
          end
          set b to 1
        end
        wait until b is 1 and a >= 4
        print "done"
        """,
      files: ["b.txt": "1\n2\n3\n"], lines: ["done"]),
    Case(
      name: "files that are read in the middle of a statement",
      recipe: """
        save "abc" to "in.txt"
        let whole = file("in.txt").text().trim() + "-{count(file('in.txt'))}"
        append "{whole} {sha256(whole)[0 .. 2]:hex}" to "out.txt"
        wait 200ms
        append file("in.txt").text().trim() + "." to "out.txt"
        append file("none") to "out.txt" otherwise append "{it.kind}" to "out.txt"
        """, files: ["out.txt": "abc-4 c547\nabc.\nfile\n"]),
    Case(
      name: "procedures and tries",
      recipe: """
        let tries = 0
        procedure attempt(n)
          let doubled = n * 2
          wait 100ms
          append "attempt {doubled}" to "out.txt"
          if n < 3: fail "not yet {n}"
          return doubled + 1
        end
        try 5 times every 200ms
          set tries to tries + 1
          let got = attempt(tries)
          append "got {got}" to "out.txt"
        otherwise as p
          append "never {p}" to "out.txt"
        end
        try
          let other = attempt(0)
          print other
        otherwise if user as p
          append "caught {p}" to "out.txt"
        end
        """,
      files: ["out.txt": "attempt 2\nattempt 4\nattempt 6\ngot 7\nattempt 0\ncaught not yet 0\n"]),
    Case(
      name: "read, write and wait for the answer",
      recipe: """
        scan for 0xFFF0
        connect when it appears
        subscribe to 0xFFF3
        let n = 0
        repeat 3 times
          set n to n + 1
          write u8(n) to 0xFFF6 when unsure repeat
          read 0xFFF6 as back
          append "{n} {back:hex}" to "out.txt"
        end
        disconnect
        """, files: ["out.txt": "1 01\n2 02\n3 03\n"]),
    Case(
      name: "a program that must not run twice",
      recipe: """
        try 3 times
          run shell 'echo ran >>ran.txt'
        otherwise if unsure
          append "unsure" to "out.txt"
        end
        append "done" to "out.txt"
        """, files: [:]),
    Case(
      name: "programs that may be repeated",
      recipe: """
        let n = 0
        repeat 3 times
          set n to n + 1
          run "printf %s+ {n}" as r when unsure repeat
          append r.out to "out.txt"
        end
        run "false" when unsure repeat otherwise append "{it.kind} {it.code}" to "out.txt"
        """, files: ["out.txt": "1+\n2+\n3+\ncommand 1\n"]),
    Case(
      name: "branches at once",
      recipe: """
        let sum = 0
        try
          for each x in [3, 1, 2, 5, 4] at once up to 2
            wait x * 100ms
            if x is 5: fail "five"
            append "{x}" to "out{x}.txt"
            set sum to sum + x
          end
        otherwise as p
          append "{p} {sum} {count(p.others)}" to "out.txt"
        end
        for each x in [300ms, 900ms, 600ms] at once
          wait x
          append "first {x}" to "out.txt"
          leave
        end
        """,
      files: [
        "out1.txt": "1\n", "out2.txt": "2\n", "out3.txt": "3\n", "out4.txt": "4\n", "out.txt": "five 10 0\nfirst 300ms\n",
      ]),
    Case(
      name: "reading at once",
      recipe: """
        scan for 0xFFF0
        connect when it appears
        let d = device
        for each x in [1, 2, 3] at once
          read 0xFFF2 of d as value
          append "{x} {value:hex}" to "out{x}.txt"
        end
        """, files: ["out1.txt": "1 00\n", "out2.txt": "2 00\n", "out3.txt": "3 00\n"]),
    Case(
      name: "pieces that are verified",
      recipe: """
        scan for 0xFFF0
        connect when it appears
        let image = hex "00010203040506070809" + hex "10111213141516171819" + hex "2021222324252627"
        write image to 0xFFF7 in pieces of 3 when unsure verify
        read raw 0xFFF7 as last
        read 0xFFF8 as octets
        append "{octets:hex} {last:hex}" to "out.txt"
        """, files: ["out.txt": "1c00 27\n"]),
    Case(
      name: "pieces without response",
      recipe: """
        scan for 0xFFF0
        connect when it appears
        write join(["abcdefghij", "klmnopqrst", "uvwxyz"]) + "!" to 0xFFF7 without response in pieces of 5
        read raw 0xFFF7 as last
        read 0xFFF8 as octets
        append "{octets.u16(0)} {last:hex}" to "out.txt"
        """, files: [:]),
    Case(
      name: "a command that must not repeat",
      recipe: """
        scan for 0xFFF0
        connect when it appears
        subscribe to 0xFFF3
        try 3 times
          write hex "07" to 0xFFF3
        otherwise if unsure
          log "unsure"
        end
        wait 2s
        read 0xFFF4 as count
        append "{count}" to "out.txt"
        """, files: [:]),
    Case(
      name: "lost links in between",
      recipe: """
        let made = 0
        scan for 0xFFF0
        connect when it appears
        subscribe to 0xFFF1
        on connect
          wait 50ms
          set made to made + 1
        end
        on disconnect as reason: log reason
        wait until made >= 1
        write hex "01" to 0xFFF5 when unsure skip
        wait until made >= 2
        wait for notify 0xFFF1
        read 0xFFF2 as v
        append "{v:hex}" to "out.txt"
        """, files: ["out.txt": "00\n"]),
    Case(
      name: "restart keeps what is remembered",
      recipe: """
        remember rounds = 0
        set rounds to rounds + 1
        append "round {rounds}" to "out.txt"
        wait 300ms
        if rounds < 3: restart
        checkpoint
        print rounds
        """, files: ["out.txt": "round 1\nround 2\nround 3\n"], lines: ["3"]),
    Case(
      name: "failing at the end",
      recipe: """
        on stop as why: print why
        wait 200ms
        append "before" to "out.txt"
        fail "so it is" with code 33
        """, files: ["out.txt": "before\n"], code: 33, lines: ["failed"]),
    Case(
      name: "writes to different places that may be repeated",
      recipe: """
        scan for 0xFFF0
        connect when it appears
        procedure put(n)
          write u8(n) to 0xFFF2 when unsure verify within 1min
          read raw 0xFFF2 as back
          return back
        end
        for each n in [3, 4, 5]
          let got = put(n)
          append {n: n, got: got} to "out.csv"
        end
        with (device)
          read raw 0xFFF6 as last
          append "{last:hex}" to "last.txt"
        end
        """, files: ["out.csv": "n,got\n3,03\n4,04\n5,05\n", "last.txt": "78\n"]),
    Case(
      name: "blocks inside blocks",
      recipe: """
        let rounds = 0
        repeat until rounds is 3
          set rounds to rounds + 1
          repeat 2 times
            every 150ms as tick
              append "." to "ticks.txt"
            end
            if rounds is 2: skip
            wait 250ms
            append "{rounds}" to "out.txt"
          end
          for each x in {a: 1, b: 2}.keys()
            if x is "b": leave
            try 2 times every 100ms
              append "{x}" to "out.txt"
              expect rounds is not 3, "three"
            otherwise as p
              append "{p.kind}" to "out.txt"
            end
          end
        end
        """, files: ["out.txt": "1\n1\na\na\n3\n3\na\na\nexpectation\n"]),
    Case(
      name: "things that wait",
      recipe: """
        let early = false
        after 400ms: set early to true
        wait until early within 10s
        append "1" to "out.txt"
        try within 500ms
          wait forever
        otherwise if timeout
          append "2" to "out.txt"
        end
        wait until false within 300ms otherwise append "3" to "out.txt"
        let at = now()
        wait until now() - at >= 1s
        append "4" to "out.txt"
        scan for "nobody" within 1s otherwise append "{it.kind}" to "out.txt"
        connect to C4:7C:8D:6A:12:0F/random within 1s otherwise append "{it.kind}" to "out.txt"
        save [1, {a: 2}] to "out.json"
        """, files: ["out.txt": "1\n2\n3\n4\nnot_found\nunreachable\n", "out.json": "[1,{\"a\":2}]\n"]),
    Case(
      name: "handlers with queues",
      recipe: """
        let total = 0
        scan for 0xFFF0
        connect when it appears
        subscribe to 0xFFF1
        on notify 0xFFF1 as beat
          append "{beat.u32(0)} start" to "out.txt"
          wait 700ms
          append "{beat.u32(0)} end" to "out.txt"
          set total to total + 1
        end
        wait until total >= 3
        """, files: [:]),
  ]

  @Test(arguments: cases)
  func killsDoNotChangeTheResult(_ given: Case) throws {
    let make = { try Fixture(recipe: given.recipe + "\n", devices: Self.device) }
    let whole = try make()
    try whole.start()
    #expect(whole.world.run(for: given.span) == .ended, "\(given.name) \(whole.errors)")
    let count = whole.world.session?.effectCount ?? 0
    check(given, whole, "uninterrupted")
    for number in 1...max(count, 1) {
      // After its last effect, which marks its end, a run is over, and the next start is a new one.
      var sides = number == count ? [EffectPoint.Side.before] : [.before, .after]
      // Every effect, alternating before and after it, and both with FULL=1.
      if environment("FULL") == nil, number < count { sides = [number % 2 == 0 ? .before : .after] }
      for side in sides {
        let fixture = try make()
        try fixture.start(hook: { $0.number == number && $0.side == side ? .kill : .goOn })
        let outcome = fixture.world.run(for: given.span)
        let place = "effect \(number) \(side)"
        if outcome == .killed {
          fixture.world.wait(.seconds(2))
          try fixture.start()
          #expect(fixture.world.run(for: given.span) == .ended, "\(place) \(fixture.errors)")
        }
        check(given, fixture, place)
      }
    }
  }

  private func check(_ given: Case, _ fixture: Fixture, _ place: String) {
    #expect(fixture.world.session?.exitStatus.code == given.code, "\(place): \(fixture.errors)")
    for (name, content) in given.files {
      #expect(fixture.playground.content(name) == content, "\(place): \(fixture.errors)")
    }
    if let lines = given.lines {
      var told: [String] = []
      for line in fixture.output.split(separator: "\n").map(String.init) where told.last != line { told.append(line) }
      #expect(told == lines, "\(place)")
    }
    switch given.name {
    case "a command that must not repeat":
      let text = fixture.playground.content("out.txt") ?? ""
      #expect(text == "0100\n" || text == "0000\n" && fixture.errors.contains("unsure"), "\(place): \(text) \(fixture.errors)")
    case "a program that must not run twice":
      let ran = fixture.playground.content("ran.txt") ?? ""
      let told = fixture.playground.content("out.txt") ?? ""
      #expect(
        told == "done\n" && ran == "ran\n" || told == "unsure\ndone\n" && (ran == "" || ran == "ran\n"),
        "\(place): \(told) \(ran) \(fixture.errors)")
    case "pieces without response":
      // What the dead controller had not sent is lost, and nothing arrives twice.
      let parts = (fixture.playground.content("out.txt") ?? "").split(separator: "\n").flatMap { $0.split(separator: " ") }
      let octets = parts.first.flatMap { Int($0) } ?? 99
      #expect((12...27).contains(octets) && (octets % 5 == 2 || octets % 5 == 0), "\(place): \(parts) \(fixture.errors)")
    case "handlers with queues":
      // Activations run one after the other, each to its end.
      let rows = (fixture.playground.content("out.txt") ?? "").split(separator: "\n").map { $0.split(separator: " ") }
      var last = 0
      for index in rows.indices {
        if index % 2 == 0 {
          let number = Int(rows[index][0]) ?? 0
          #expect(number > last && rows[index][1] == "start", "\(place): \(rows)")
          last = number
        } else {
          #expect(Int(rows[index][0]) == last && rows[index][1] == "end", "\(place): \(rows)")
        }
      }
      #expect(rows.count >= 6, "\(place): \(rows)")
    case "appends side by side":
      let rows = (fixture.playground.content("a2.csv") ?? "").split(separator: "\n").compactMap { Int($0) }
      #expect(rows == Array(1..<1 + rows.count), "\(place): \(rows)")
      #expect(rows.count >= 4, "\(place): \(rows)")
    default: break
    }
  }
}
