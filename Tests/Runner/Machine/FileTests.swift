import Exchange
import Testing
import Vocabulary

@testable import Runner

/// `file` and `env`: what a run reads from its environment.
struct FileTests {
  @Test func aFileIsReadWithinAStatement() throws {
    let bench = try Bench(
      """
      let key = file("key.txt").text().trim()
      print "{key} {file('b').text()}{count(file('b'))}" if file("b") is hex "6a61" else "no"
      """, files: ["key.txt": "open\n", "b": "ja"])
    #expect(bench.failures.isEmpty)
    #expect(bench.printed == ["open ja2"])
    #expect(bench.exit?.code == 0)
  }

  @Test func unreadableFilesAreTypedFailures() throws {
    let bench = try Bench(
      """
      try
        let x = file("none")
        print x
      otherwise if file as p
        print p.kind
      end
      print file("none")
      """)
    #expect(bench.printed == ["file"])
    #expect(bench.failures.map(\.kind) == [.file])
    #expect(bench.exit?.code == 1)
  }

  /// A statement is atomic, so no handler runs while its file is read.
  @Test func noHandlerRunsMeanwhile() throws {
    let bench = try Bench(
      """
      let n = 0
      every 1s
        set n to n + 1
        let before = n
        let x = file("a")
        print n is before, count(x)
      end
      every 1s
        set n to n + 1
        print count(file("a")) + 0 * n
      end
      wait 3500ms
      """, files: ["a": "abc"])
    var run = bench
    run.advance(.seconds(4))
    #expect(run.printed == ["true 3", "3", "true 3", "3", "true 3", "3"])
  }

  @Test func aConditionReadsNoFileThroughAProcedure() throws {
    var bench = try Bench(
      """
      let n = 0
      procedure ready()
        return count(file("go")) + n > 0
      end
      after 1s: set n to 1
      wait until ready()
      """, files: ["go": "x"])
    bench.advance(.seconds(2))
    #expect(bench.failures.map(\.message) == ["a condition cannot read a file"])
    #expect(bench.exit?.code == 1)
  }

  @Test func anAppendInAConditionFailsWithoutBlocking() throws {
    var bench = try Bench(
      """
      procedure ready()
        append "x" to "log.txt"
        return true
      end
      every 1s: print "tick"
      try
        wait until ready()
      otherwise as p
        print p.message
      end
      wait 1500ms
      """)
    bench.advance(.seconds(3))
    #expect(bench.printed == ["a condition can only compute: it cannot wait, print or store", "tick"])
    #expect(bench.files == [:])
  }

  /// The process is dropped between the request and the answer: the file is read again.
  @Test func aKilledRunReadsItAgain() throws {
    var bench = try Bench("wait 1s\nlet a = file(\"a\").text() + file(\"b\").text()\nprint a", files: ["a": "x", "b": "y"])
    bench.now = bench.now + .seconds(1)
    let turn = bench.machine.turn(at: bench.now)
    for row in turn.commit.rows { bench.rows[row.key] = row.value }
    #expect(
      turn.effects.contains { effect in
        if case .readFile(_, "a", _) = effect { true } else { false }
      })
    try bench.kill()
    #expect(bench.printed == ["xy"])
    #expect(bench.exit?.code == 0)
  }

  @Test func theEnvironmentIsThatOfTheProcess() throws {
    let bench = try Bench(
      """
      print env("HOME"), env("NONE", 7), env("EMPTY")
      print env("TOOTH_SECRET_PIN") otherwise print it.message
      print env("TOOTH_SECRET_PIN", "none")
      print env("NONE")
      """, variables: [("HOME", "/home/a"), ("EMPTY", ""), ("TOOTH_SECRET_PIN", "1234")])
    #expect(bench.printed == ["/home/a 7 ", "`env` does not return secrets", "none"])
    #expect(bench.failures.map(\.message) == ["the environment variable NONE is not set"])
    #expect(bench.failures.map(\.kind) == [.value])
  }

  @Test func aSecretNamesNoFile() throws {
    let bench = try Bench("input pin: secret\nprint file(pin)", inputs: [("pin", .text("1234"))], files: ["1234": "x"])
    #expect(bench.failures.map(\.kind) == [.value])
  }
}
