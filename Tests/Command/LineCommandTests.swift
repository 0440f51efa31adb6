import Glibc
import Linux
import Testing
import Vocabulary

/// stdin of a recipe as a pipe, a file, a terminal, or closed.
@Suite struct LineCommandTests {
  static let recipe = """
    let n = 0
    let over = false
    on line as typed
      if typed is nothing
        set over to true
        return
      end
      set n to n + 1
      print "{n} {typed}"
    end
    wait until over

    """

  static let air = "sim:\(Tooth.package)/recipes/devices/thermometer.ble"

  @Test func aPipeIsReadToItsEnd() {
    let folder = Folder()
    folder.file("r.ble", Self.recipe)
    let text = (1...5000).map { "line \($0)\n" }.joined() + "last"
    let result = Tooth.run("run", "r.ble", "--state", "s", input: text, directory: folder.path)
    #expect(result.code == 0, "\(result.errors)")
    #expect(result.output == (1...5000).map { "\($0) line \($0)\n" }.joined() + "5001 last\n")
  }

  @Test func readsLinesFromFilesAndEmptyInput() {
    let folder = Folder()
    folder.file("r.ble", Self.recipe)
    folder.file("in.txt", "a\nb\n")
    for (redirection, output) in [("<in.txt", "1 a\n2 b\n"), ("</dev/null", ""), ("<&-", "")] {
      let result = Tooth.start(
        ["-c", "cd \(folder.path) && exec \(Tooth.path) run r.ble --fresh --state s \(redirection)"], program: "/bin/sh"
      ).wait()
      #expect(result.code == 0, "\(redirection) \(result.errors)")
      #expect(result.output == output, "\(redirection)")
    }
  }

  @Test func linesAreReadUnderAVirtualClock() {
    let folder = Folder()
    folder.file(
      "r.ble", "repeat forever\n  wait for line as typed\n  if typed is nothing: leave\n  wait 1h\n  print typed\nend\n")
    let result = Tooth.run(
      "run", "r.ble", "--state", "s", "--adapter", Self.air, "--clock", "virtual", "--time-limit", "1d", input: "a\nb\n",
      directory: folder.path)
    #expect(result.code == 0, "\(result.errors)")
    #expect(result.output == "a\nb\n")
  }

  /// A line is read from the pipe only when the recipe needs it. What a killed process has not read
  /// is there for the next one.
  @Test func unreadLinesStayInThePipe() {
    let folder = Folder()
    folder.file("one.ble", "wait for line as typed\nprint typed\n")
    let result = Tooth.run("run", "one.ble", "--state", "s", input: "first\nsecond\n", directory: folder.path)
    #expect(result.output == "first\n")
  }

  @Test func withoutATerminalAskFails() {
    let folder = Folder()
    folder.file("r.ble", "ask \"Name?\" as name\nprint name\n")
    let result = Tooth.run("run", "r.ble", "--state", "s", input: "Eva\n", directory: folder.path)
    #expect(result.code == 1)
    #expect(result.errors.contains("there is no one to ask"), "\(result.errors)")
    #expect(result.output == "")
  }

  @Test func aTerminalIsAsked() throws {
    let folder = Folder()
    folder.file("r.ble", "ask \"Name?\" as name\nask secret \"PIN?\" as pin\nprint name, count(pin)\nwait for line\nprint it\n")
    let session = try TerminalSession(["run", "r.ble", "--state", "s"], directory: folder.path)
    #expect(session.read { $0.contains("Name? ") })
    session.type("Eva\n")
    #expect(session.read { $0.contains("PIN? ") })
    session.type("1234\n")
    #expect(session.read { $0.contains("Eva 4") })
    session.type("more\n")
    #expect(session.wait() == 0, "\(session.text)")
    #expect(session.text.contains("more"))
    #expect(!session.text.contains("1234"))
  }

  @Test func progressIsSparseInALog() {
    let folder = Folder()
    folder.file(
      "r.ble",
      "for each i in [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]\n  progress i of 20\n  wait 1s\nend\n")
    let result = Tooth.run(
      "run", "r.ble", "--state", "s", "--adapter", Self.air, "--clock", "virtual", "--time-limit", "1d", directory: folder.path)
    #expect(result.code == 0)
    let lines = result.errors.split(separator: "\n").filter { $0.contains(" of 20 ") }
    #expect(lines.count == 11, "\(lines)")
    #expect(lines.last?.hasSuffix("20 of 20 (100 %)") ?? false, "\(lines)")
  }
}
