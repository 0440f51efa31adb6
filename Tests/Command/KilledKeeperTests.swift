import Glibc
import Linux
import Testing
import Vocabulary

/// A keeper is killed under a run that connects once and says nothing of reconnecting. The next
/// keeper makes the link again, and the run continues, as if the run had been killed, too.
@Suite struct KilledKeeperTests {
  private let folder = Folder()

  private static let room = """
    peripheral pod named "Pod"
      let beats = 0
      advertise 0xFFF0 every 50ms
      service 0xFFF0
        characteristic 0xFFF1 can read needs encryption starts as "open"
        characteristic 0xFFF2 can notify
        characteristic 0xFFF3 can read starts as "here"
      end
      every 50ms
        set beats to beats + 1
        notify 0xFFF2 with u16(beats)
      end
    end

    """

  private func start(_ words: String...) -> Tooth.Process {
    let environment = [
      "TOOTH_STATE": "\(folder.path)/state", "TOOTH_KEEPER_DIRECTORY": "\(folder.path)/keeper",
      "TOOTH_ADAPTER": "unix:\(folder.path)/air", "HOME": folder.path,
    ]
    return Tooth.start(words, environment: environment, directory: folder.path)
  }

  private func keeper() -> Tooth.Process {
    let process = start("keeper", "run", "--keep", "1min")
    process.read { $0.complaint.contains("its socket is ") }
    return process
  }

  private var log: String {
    String(decoding: (try? readFile("\(folder.path)/air.log", limit: 1 << 26)) ?? [], as: UTF8.self)
  }

  struct Case: CustomTestStringConvertible, Sendable {
    var name: String
    var body: String
    /// The output line, or the text of the air's log, after which the keeper is killed.
    var after: String
    var output: @Sendable (String) -> Bool
    var testDescription: String { name }
  }

  private static let cases = [
    Case(
      name: "a subscription",
      body:
        "let seen = 0\non notify 0xFFF2\n  set seen to seen + 1\n  print seen\n  if seen is 40\n    stop\n  end\nend\nSCAN\nsubscribe to 0xFFF2\nwait 1min",
      after: "5\n", output: { $0.hasSuffix("\n40\n") }),
    Case(
      name: "a wait for a value",
      body:
        "SCAN\nsubscribe to 0xFFF2\nlet n = 0\nrepeat 40 times\n  set n to n + 1\n  wait for notify 0xFFF2 within 30s\n  print n\nend",
      after: "5\n", output: { $0.hasSuffix("\n40\n") }),
    Case(
      name: "reads",
      body:
        "SCAN\nlet n = 0\nrepeat 40 times\n  set n to n + 1\n  read 0xFFF3 as value\n  print \"{n} {value.text()}\"\n  wait 20ms\nend",
      after: "5 here\n", output: { $0.hasSuffix("\n40 here\n") }),
    Case(
      name: "a pairing", body: "SCAN\npair\nread 0xFFF1 as value\nprint value.text()", after: #""cid":6,"bytes":"0c"#,
      output: { $0 == "open\n" }),
    Case(
      name: "the set-up", body: "SCAN\nread 0xFFF3 as value\nprint value.text()", after: #""cid":4,"#, output: { $0 == "here\n" }),
  ]

  @Test(arguments: cases) func theRunContinues(_ round: Case) throws {
    folder.file("room.ble", Self.room)
    folder.file(
      "plain.ble",
      round.body.replacing("SCAN", with: "scan for \"Pod\" within 1min\nconnect within 1min") + "\n")
    let air = start("air", "room.ble", "--listen", "unix:\(folder.path)/air", "--log", "air.log")
    try #require(air.read { $0.complaint.contains("on the air") }, "\(air.complaint)")
    let first = keeper()
    let run = start("run", "plain.ble", "--keeper")
    if round.after.hasSuffix("\n") {
      try #require(run.read { $0.text.contains(round.after) }, "\(run.complaint)")
    } else {
      let end = SystemClock.now().moment + .seconds(60)
      while !log.contains(round.after), SystemClock.now().moment < end {
        _ = Poll.wait(for: [], until: SystemClock.now().moment + .milliseconds(1))
      }
    }
    first.signal(SIGKILL)
    _ = first.wait()
    let second = keeper()
    let ended = run.wait()
    #expect(ended.code == 0 && round.output(ended.output), "\(ended)")
    second.signal(SIGTERM)
    _ = second.wait()
    air.signal(SIGKILL)
  }
}
