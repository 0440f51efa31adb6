import Glibc
import Journal
import Linux
import Testing
import Vocabulary

@Test(.enabled(if: Screen.isCI)) func tmuxIsInstalledInCI() { #expect(Screen.isThere, "make setup installs tmux") }

/// What a person sees in an independent terminal: each view in three sizes, with and without UTF-8
/// and colour.
@Suite(.serialized, .enabled(if: Screen.isThere)) struct ScreenTests {
  private let folder = Folder()

  private var environment: [String: String] { ["TOOTH_STATE": "\(folder.path)/state"] }

  private static let devices = """
    peripheral strap named "Strap 7"
      advertise heart_rate every 50ms
      service heart_rate
        characteristic heart_rate_measurement can notify
        characteristic body_sensor_location can read starts as hex "01"
      end
      service battery_service
        characteristic battery_level can read, notify starts as 97
      end
      on subscribe heart_rate_measurement
        for each beat in [61, 62, 64, 67, 71, 70, 66, 60]
          notify heart_rate_measurement with {bpm: beat, contact: "unsupported"}
          wait 100ms
        end
      end
    end
    peripheral old named "Old\\u{1b}[31m lamp \\u{202e}with a name that is longer"
      advertise 0xFE95 every 60ms
    end
    peripheral wide named "Küche 温度計 é"
      advertise environmental_sensing every 70ms
    end

    """

  /// Starts one for each kind of terminal at the same time, since each takes a while, and checks
  /// them in turn.
  private func screens(
    _ name: String, of kinds: [Screen.Kind] = Screen.Kind.all, mask: ScreenMask? = nil, shared: Bool = false,
    _ command: (Screen.Kind) -> [String], _ play: (Screen) throws -> Void
  ) throws {
    folder.file("air.ble", Self.devices)
    var golden = try GoldenScreen(name)
    let mask = try mask ?? ScreenMask()
    let screens = try kinds.enumerated().map { place, kind in
      let state = ["TOOTH_STATE": "\(folder.path)/state\(shared ? "" : "\(place)")", "TMPDIR": "."]
      return try Screen(command(kind), kind, environment: state, directory: folder.path)
    }
    for screen in screens {
      try play(screen)
      try golden.take(screen, masking: mask)
      if screen.kind.isUTF8 { continue }
      // Apart from the typed text.
      let lines = try screen.text(joined: true).split(separator: "\n").filter { !$0.contains(" > ") }
      for line in lines { #expect(line.utf8.allSatisfy { $0 < 0x80 }, "\(name), \(screen.kind): \(line)") }
    }
    try golden.end()
  }

  // MARK: Views

  @Test func screensOfARunningScan() throws {
    var mask = try ScreenMask()
    try mask.change(" -[0-9]{2} [█▏▎▍▌▋▊▉#]+ *", ScreenMask.filled(" -00 ####"))
    try mask.change("[0-9]+ s left") { _ in "00 s left" }
    for pattern in ["  [0-9]s", "signal: -[0-9]{2}"] { try mask.change(pattern, ScreenMask.zeros) }
    try screens(
      "scan", mask: mask,
      { kind in
        let what =
          kind.isDumb ? ["--clock", "virtual", "--time-limit", "3s", "--seed", "7"] : ["--sort", "name", "--time-limit", "10min"]
        return ["tooth", "scan", "--adapter", "sim:air.ble"] + what
      }
    ) { screen in
      if screen.kind.isDumb { try screen.waitForEnd() } else { try screen.see("3 devices") }
    }
  }

  @Test func aSessionAtThePrompt() throws {
    try screens("prompt", { _ in ["tooth", "repl", "--adapter", "sim:air.ble", "--no-listen"] }) { screen in
      try screen.see("sim:air.ble >", last: ">")
      try enter("scan for \"Strap 7\"", screen, screen.kind.isUTF8 ? "Strap 7○ >" : "Strap 7- >")
      try enter("connect", screen, screen.kind.isUTF8 ? "Strap 7● >" : "Strap 7* >")
      try enter("discover everything", screen, "everything")
      try enter("read battery_level", screen, "it = 97")
      try enter(screen.kind.isUTF8 ? "\"温度計 é\"" : "\"plain\"", screen, "a text")
      try enter("devices", screen, "EC:AD:84:E6:82:49")
      try enter("services", screen, "0x2A19")
      try enter("sleep 5", screen, "wait 5s")
      try enter("help read", screen, "Decodes the value")
      if screen.kind.isDumb { return }
      try screen.type("read b")
      try screen.press("Tab", "Tab")
      try screen.see("body_sensor_location", count: 2, last: "read b")
      try screen.press("C-u")
      let word = screen.kind.isUTF8 ? "\u{6E29}\u{5EA6}\u{8A08}" : "a word"
      let line = "\"a line that is longer than a terminal of 80 columns is wide, with \(word) near its end\""
      try screen.type(line)
      try screen.see("its end\"", last: "its end\"")
    }
  }

  @Test func keysAtThePrompt() throws {
    try screens(
      "keys", of: Screen.Kind.all.filter { !$0.isDumb }, { _ in ["tooth", "repl", "--adapter", "sim:air.ble", "--no-listen"] }
    ) { screen in
      try screen.see("sim:air.ble >", last: ">")
      try enter("scan for \"Strap 7\"", screen, screen.kind.isUTF8 ? "Strap 7○ >" : "Strap 7- >")
      try enter("connect", screen, screen.kind.isUTF8 ? "Strap 7● >" : "Strap 7* >")
      // Ctrl-C at a line, without one, in a block, and while a statement runs.
      try screen.type("this is forgotten")
      try screen.see("this is forgotten")
      try screen.press("C-c")
      try screen.see(">", last: ">")
      try screen.press("C-c")
      try screen.see("Ctrl-D leaves", last: ">")
      try enter("if true", screen, "... >")
      try screen.press("C-c")
      try screen.see(">", last: screen.kind.isUTF8 ? "● >" : "* >")
      try enter("if true", screen, "... >")
      try enter("  warn \"waits\"", screen, "... >", count: 2)
      try enter("  wait 60s", screen, "... >", count: 3)
      try screen.type("end")
      try screen.press("Enter")
      try screen.see("warning waits")
      try screen.see(screen.kind.isUTF8 ? "s · Ctrl-C cancels" : "s - Ctrl-C cancels")
      try screen.press("C-c")
      try screen.see("cancelled", last: ">")
      // A paste is one entry.
      try screen.paste("if true\n  warn \"pasted\"\nend\n")
      try screen.see("pasted")
      try screen.press("Enter")
      try screen.see("warning pasted", last: ">")
      // Output appears above the line that is typed.
      try enter("on notify heart_rate_measurement as beat", screen, "... >", count: 4)
      try enter("  warn \"{beat.bpm}\"", screen, "... >", count: 5)
      try enter("end", screen, "nothing arrives")
      try screen.type("subscribe to heart_rate_measurement")
      try screen.press("Enter")
      try screen.type("half a li")
      try screen.see("warning 60", last: "half a li")
      try screen.press("C-u", "C-r")
      try screen.type("scan")
      try screen.see("scan': scan for")
    }
  }

  private func enter(_ line: String, _ screen: Screen, _ wanted: String, count: Int = 1) throws {
    try screen.type(line)
    try screen.press("Enter")
    try screen.see(wanted, count: count, last: ">")
  }

  @Test func thePlotOfAWatch() throws {
    let words = ["watch", "Strap 7", "heart_rate_measurement", "--plot", "--field", "bpm", "--count", "8"]
    try screens("plot", { _ in ["tooth"] + words + ["--adapter", "sim:air.ble"] }) { try $0.waitForEnd() }
  }

  /// Commands that print a page and exit, in one terminal.
  @Test func pagesOfOtherCommands() throws {
    folder.file("air.ble", Self.devices)
    folder.file("good.ble", "scan for \"Strap 7\"\nconnect\nread battery_level as level\nprint level\n")
    folder.file("failing-with-a-longer-name.ble", "input limit: number\nfail \"over {limit}\"\n")
    folder.file("wrong.ble", "scan for \"Küche 温度計\" within 5\nconnect\nwrite \"温度計\" + 5 to led_control\n")
    folder.file(
      "right_test.ble",
      """
      include "air.ble"
      test "a battery has 97 %"
        simulate strap
        start recipe "good.ble" as reader
        wait until reader.finished within 1min
        expect reader.printed is ["97"]
      end
      test "a battery has 98 %, by a name that is longer than a narrow terminal is wide"
        simulate strap
        start recipe "good.ble" as reader
        wait until reader.finished within 1min
        expect reader.printed is ["98"]
      end

      """)
    folder.file(
      "pages.sh",
      """
      show() { printf '$ tooth %s\\n' "$*"; tooth "$@"; }
      show runs
      show runs show failing
      show runs show good
      show bonds
      show decode heart_rate_measurement 163d4003
      show names heart_rate
      show check wrong.ble
      show test right_test.ble --seed 7
      show info 'Strap 7' --adapter sim:air.ble --clock virtual --time-limit 60s --seed 7
      show scan --adapter sim:air.ble --clock virtual --time-limit 3s --seed 7

      """)
    for (name, words) in [
      ("good", ["good.ble"]), ("failing", ["failing-with-a-longer-name.ble", "--limit", "7"]),
      ("K\u{FC}che \u{202E}\u{6E29}\u{5EA6}", ["good.ble"]),
    ] {
      _ = Tooth.start(
        ["run"] + words + ["--as", name, "--adapter", "sim:air.ble"], environment: environment, directory: folder.path
      ).wait()
    }
    for path in ["lib", "lib/00:1B:DC:07:33:88", "lib/00:1B:DC:07:33:88/C4:7C:8D:6A:12:0F"] {
      mkdir("\(folder.path)/\(path)", 0o700)
    }
    folder.file(
      "lib/00:1B:DC:07:33:88/C4:7C:8D:6A:12:0F/info",
      "[General]\nName=Lock\nAddressType=static\n\n[LongTermKey]\nKey=BEE4256F797B6991A531B1E52B55AEB1\nAuthenticated=2\n"
        + "EncSize=16\nEDiv=0\nRand=0\n")
    let imported = Tooth.start(["bonds", "import", "lib"], environment: environment, directory: folder.path).wait()
    try #require(imported.code == 0, "\(imported)")
    var mask = try ScreenMask()
    try mask.change("tooth-(command|test)-\\w{6}") { String($0.dropLast(6)) + "XXXXXX" }
    // a narrow terminal wraps the line within the path
    try mask.change("\n\\w{6}/good") { _ in "\nXXXXXX/good" }
    for pattern in ["[0-9]+s  ", "took       [0-9]+s"] { try mask.change(pattern, ScreenMask.zeros) }
    try mask.change("\\([0-9]+\\.[0-9] s\\)") { _ in "(0.0 s)" }
    try screens("pages", mask: mask, shared: true, { _ in ["sh", "pages.sh"] }) { try $0.waitForEnd() }
  }

  // MARK: Ctrl-Z

  private func shell(_ line: String, columns: Int = 80) throws -> Screen {
    folder.file("air.ble", Self.devices)
    var variables = environment
    variables["PS1"] = "shell: "
    let screen = try Screen(
      ["bash", "--norc", "--noprofile", "-i"], Screen.Kind(columns: columns, lines: 24), environment: variables,
      directory: folder.path)
    try screen.see("shell:", last: "shell:")
    try screen.type(line)
    try screen.press("Enter")
    return screen
  }

  /// The typed text is restored, even if the terminal has become narrower.
  @Test func aPromptComesBackAfterCtrlZ() throws {
    let screen = try shell("tooth repl --adapter sim:air.ble --no-listen", columns: 100)
    try screen.see("tooth sim:air.ble >", last: "tooth sim:air.ble >")
    let line = "\"a line that is longer than the terminal is wide afterwards\""
    try screen.type(line)
    try screen.see("afterwards\"")
    try screen.press("C-z")
    try screen.see("Stopped", last: "shell:")
    try screen.resize(columns: 50, lines: 20)
    try screen.type("fg")
    try screen.press("Enter")
    try screen.see("--no-listen", count: 3, last: "afterwards\"")
    try screen.press("Home")
    try screen.see("sim:air.ble > \"a line")
    try screen.type("1 + count(")
    try screen.press("End")
    try screen.type(")")
    try screen.press("Enter")
    try screen.see("a number", last: ">")
    let shown = try screen.text()
    // one more than the line has letters
    #expect(shown.contains("Stopped") && shown.contains("\n  59 "), "\(shown)")
    try screen.type("quit")
    try screen.press("Enter")
    try screen.see("shell:", last: "shell:")
  }

  @Test func aPlainPromptIsStopped() throws {
    let screen = try shell("TERM=dumb tooth repl --adapter sim:air.ble --no-listen")
    try screen.see("tooth sim:air.ble >", last: "tooth sim:air.ble >")
    try screen.press("C-z")
    try screen.see("Stopped", last: "shell:")
    try screen.type("fg")
    try screen.press("Enter")
    try screen.see("tooth sim:air.ble >", count: 2, last: "tooth sim:air.ble >")
    try screen.type("1 + 2")
    try screen.press("Enter")
    try screen.see("a number", last: ">")
  }

  /// The shell's lines stay, and the table continues below them.
  @Test func aTableContinuesAfterCtrlZ() throws {
    let screen = try shell("tooth scan --adapter sim:air.ble --time-limit 10min")
    try screen.see("3 devices")
    try screen.press("C-z")
    try screen.see("Stopped", last: "shell:")
    let before = try screen.text().split(separator: "\n").filter { $0.contains("Stopped") || $0.contains("NAME") }
    try screen.type("fg")
    try screen.press("Enter")
    try screen.see("3 devices", count: 2)
    func left(_ text: String) -> Substring? { text.split(separator: "\n").last { $0.contains("s left") } }
    let first = try left(screen.text())
    try #require(try screen.wait { left($0) != first })
    let after = try screen.text().split(separator: "\n")
    #expect(before.count == 2 && before.allSatisfy { after.contains($0) }, "\(after)")
    #expect(after.filter { $0.contains("NAME") }.count == 2 && after.filter { $0.contains("3 devices") }.count == 2, "\(after)")
  }

  // MARK: Other sizes

  /// Resizing as fast as possible leaves one intact table and one prompt at the bottom.
  @Test func manyResizesLeaveOneTable() throws {
    folder.file("air.ble", Self.devices)
    let screen = try Screen(
      ["tooth", "scan", "--adapter", "sim:air.ble", "--time-limit", "60s"], Screen.Kind(columns: 100, lines: 24),
      environment: environment,
      directory: folder.path)
    _ = try screen.wait { $0.contains("3 devices") }
    for step in 0..<60 { try screen.resize(columns: 30 + step * 37 % 120, lines: 8 + step * 7 % 30) }
    for columns in [100, 45, 100] {
      try screen.resize(columns: columns, lines: 24)
      // Two frames later.
      let left = try screen.text(history: false).split(separator: "\n").last { $0.contains("s left") }.map(String.init) ?? ""
      _ = try screen.wait(history: false) { !$0.contains(left) || left.isEmpty }
    }
    let shown = try screen.text(history: false)
    #expect(shown.ranges(of: "3 devices").count == 1 && shown.ranges(of: "Strap 7").count == 1, "\(shown)")
    #expect(shown.ranges(of: "NAME").count == 1, "\(shown)")
  }

  private func prompt(_ kind: Screen.Kind) throws -> Screen {
    folder.file("air.ble", Self.devices)
    let screen = try Screen(
      ["tooth", "repl", "--adapter", "sim:air.ble", "--no-listen"], kind, environment: environment, directory: folder.path)
    try screen.see("sim:air.ble >")
    return screen
  }

  /// Resizes erase nothing of what was printed above a typed line, however that wraps.
  @Test(arguments: [60, 150]) func resizesEraseNoOutput(_ typed: Int) throws {
    let screen = try prompt(Screen.Kind(columns: 100, lines: 30))
    try screen.type("let n = 0")
    try screen.press("Enter")
    try screen.see("n = 0")
    try screen.paste("every 150ms\n  set n to n + 1\n  print \"EV{n}.\"\nend")
    try screen.press("Enter")
    try screen.see("EV3.")
    try screen.type(String(repeating: "a", count: typed))
    var last = 3
    for columns in [40, 100, 40, 100, 50, 100] {
      try screen.resize(columns: columns, lines: 30)
      last += 4
      try screen.see("EV\(last).")
    }
    let shown = try screen.text(joined: true)
    for number in 1...last { #expect(shown.contains("EV\(number)."), "EV\(number): \(shown)") }
  }

  @Test func manyResizesLeaveOnePrompt() throws {
    let screen = try prompt(Screen.Kind(columns: 80, lines: 24))
    try screen.type("\"a line that is long enough to be wrapped where the terminal is narrow: \u{6E29}\u{5EA6}\"")
    for step in 0..<60 { try screen.resize(columns: 30 + step * 37 % 120, lines: 8 + step * 7 % 30) }
    try screen.resize(columns: 80, lines: 24)
    try screen.press("Home")
    let start = "tooth sim:air.ble > \"a line that is long enough"
    func isWhole(_ shown: String) -> Bool {
      (shown.split(separator: "\n").last?.hasPrefix(start) ?? false) && shown.ranges(of: "tooth sim:air.ble >").count == 1
    }
    let isLeft = try screen.wait(within: .seconds(20), history: false, until: isWhole)
    let shown = try screen.text(history: false)
    #expect(isLeft, "\(shown)")
    try screen.press("Enter")
    try screen.see("a text")
  }
}
