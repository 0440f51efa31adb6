import Glibc
import Linux
import Testing
import Vocabulary

/// `run` with real programs.
@Suite struct RunStatementTests {
  private func run(_ text: String, _ more: String..., environment: [String: String] = [:], in folder: Folder = Folder())
    -> Tooth.Result
  {
    folder.file("r.ble", text)
    return Tooth.start(["run", "r.ble", "--state", "s"] + more, environment: environment, directory: folder.path).wait()
  }

  @Test func outputOfAProgramGoesToStderr() {
    let result = run("run shell 'echo out; echo err >&2'\nrun \"printf %s {7}\" as r\nprint r.out\nrun \"printf no-end\"\n")
    #expect(result.code == 0, "\(result.errors)")
    #expect(result.output == "7\n")
    #expect(result.errors.contains("out\n") && result.errors.contains("err\n") && result.errors.hasSuffix("no-end\n"))
  }

  /// An inserted value never becomes another argument or a part of a shell script.
  @Test func nothingIsSplitTwice() {
    let folder = Folder()
    let result = run(
      """
      let nasty = "a b; touch bad $(touch bad) 'x'"
      run "printf [%s] {nasty} '{nasty}' x{nasty}" as r
      print r.out
      run shell 'printf "[%s]" "$nasty"' as s
      print s.out

      """, in: folder)
    let nasty = "a b; touch bad $(touch bad) 'x'"
    #expect(result.output == "[\(nasty)][\(nasty)][x\(nasty)]\n[\(nasty)]\n", "\(result.errors)")
    #expect(folder.content("bad") == nil)
  }

  @Test func failuresAreTyped() {
    let result = run(
      """
      run "false" otherwise print it.kind, it.code
      run "no-such-program-at-all" otherwise print it.kind, it.code
      run "sleep 60" within 200ms when unsure repeat otherwise print it.kind
      run shell 'kill -9 $$' otherwise print it.code

      """)
    #expect(result.output == "command 1\ncommand nothing\ntimeout\n137\n", "\(result.errors)")
  }

  /// A program that ignores SIGTERM, and whose child keeps its output open, does not block the run.
  @Test func aProgramThatIgnoresSignalsDoesNotDelayTheEnd() {
    let before = SystemClock.now().moment
    let result = run(
      """
      run shell 'trap "" TERM; while :; do sleep 1; done' within 300ms when unsure skip
      run shell 'sleep 300 & echo started' as r
      print r.out

      """)
    #expect(result.code == 0, "\(result.errors)")
    #expect(result.output == "started\n\n" || result.output == "started\n", "\(result.output)")
    #expect(SystemClock.now().moment - before < .seconds(60))
  }

  @Test func theEndOfARunEndsItsPrograms() throws {
    let folder = Folder()
    folder.file("r.ble", "run shell 'trap \"echo told >told.txt; exit 0\" TERM; echo $$ >pid.txt; while :; do sleep 0.1; done'\n")
    let process = Tooth.start(["run", "r.ble", "--state", "s"], directory: folder.path)
    let end = SystemClock.now().moment + .seconds(60)
    while (folder.content("pid.txt") ?? "").isEmpty, SystemClock.now().moment < end {
      _ = Poll.wait(for: [], until: SystemClock.now().moment + .milliseconds(10))
    }
    process.signal(SIGTERM)
    #expect(process.wait().code == 143)
    #expect(folder.content("told.txt") == "told\n")
    let pid = try #require((folder.content("pid.txt") ?? "").split(separator: "\n").first.flatMap { pid_t(String($0)) })
    #expect(kill(pid, 0) != 0)
  }

  private func pids(_ folder: Folder, _ count: Int) -> [pid_t] {
    let end = SystemClock.now().moment + .seconds(60)
    while SystemClock.now().moment < end {
      let found = (folder.content("pids.txt") ?? "").split(separator: "\n").compactMap { pid_t(String($0)) }
      if found.count >= count { return found }
      _ = Poll.wait(for: [], until: SystemClock.now().moment + .milliseconds(10))
    }
    return []
  }

  /// Waits until none of them runs.
  private func haveExited(_ pids: [pid_t], within span: TimeSpan = .seconds(20)) -> Bool {
    let end = SystemClock.now().moment + span
    while SystemClock.now().moment < end {
      if pids.allSatisfy({ kill($0, 0) != 0 || isZombie($0) }) { return true }
      _ = Poll.wait(for: [], until: SystemClock.now().moment + .milliseconds(20))
    }
    return false
  }

  private func isZombie(_ pid: pid_t) -> Bool {
    guard let stat = try? readFile("/proc/\(pid)/stat", limit: 4096) else { return true }
    return String(decoding: stat, as: UTF8.self).split(separator: ")").last?.split(separator: " ").first == "Z"
  }

  /// A program that ignores SIGTERM, as does its child.
  private static let stubborn =
    "run shell 'trap \"\" TERM; (trap \"\" TERM; while :; do sleep 0.1; done) & echo $$ $! | tr \" \" \"\\n\" >pids.txt; while :; do sleep 0.1; done'"

  @Test(arguments: [SIGKILL, SIGTERM]) func nothingIsLeftRunning(signal: Int32) throws {
    let folder = Folder()
    folder.file("r.ble", Self.stubborn + "\n")
    let process = Tooth.start(["run", "r.ble", "--state", "s"], directory: folder.path)
    let started = pids(folder, 2)
    #expect(started.count == 2)
    process.signal(signal)
    _ = process.wait()
    #expect(haveExited(started))
  }

  /// The program is guarded from its first instruction.
  @Test func aProgramThatKillsItsRunAtOnceIsEnded() throws {
    let folder = Folder()
    folder.file("r.ble", "run shell 'trap \"\" TERM; kill -9 $PPID; echo $$ >>pids.txt; while :; do sleep 0.1; done'\n")
    for round in 1...8 {
      let process = Tooth.start(["run", "r.ble", "--fresh", "--state", "s"], directory: folder.path)
      _ = process.wait()
      let started = pids(folder, round)
      #expect(started.count == round)
      #expect(haveExited(started))
    }
  }

  @Test func aSecondInterruptLeavesNothingRunning() throws {
    let folder = Folder()
    folder.file("r.ble", Self.stubborn + "\n")
    let process = Tooth.start(["run", "r.ble", "--state", "s"], directory: folder.path)
    let started = pids(folder, 2)
    #expect(started.count == 2)
    process.signal(SIGINT)
    _ = Poll.wait(for: [], until: SystemClock.now().moment + .milliseconds(300))
    process.signal(SIGINT)
    _ = process.wait()
    #expect(haveExited(started))
  }

  @Test func theTimeoutAlsoEndsChildProcesses() throws {
    let folder = Folder()
    let text =
      Self.stubborn.replacing("while :; do sleep 0.1; done'", with: "'") + " within 1s when unsure skip\nwait 6s\nprint \"on\"\n"
    // The program itself ends on SIGTERM, its child does not.
    folder.file(
      "r.ble",
      text.replacing("run shell 'trap \"\" TERM; (", with: "run shell '(").replacing("pids.txt; '", with: "pids.txt; wait'"))
    let process = Tooth.start(["run", "r.ble", "--state", "s"], directory: folder.path)
    let started = pids(folder, 2)
    #expect(started.count == 2)
    #expect(haveExited(started))
    #expect(process.wait().code == 0)
  }

  @Test func muchOutputIsBounded() {
    let result = run("run shell 'head -c 5000000 /dev/zero | tr \"\\0\" x' as r\nprint count(r.out)\n")
    #expect(result.output == "1048576\n", "\(result.errors)")
    #expect(result.errors.contains("printed more than 1 MiB"))
  }

  @Test func foreignRecipesNeedPermissionToRunPrograms() {
    let refused = Tooth.run("run", "-", input: "run \"echo x\" as r\nprint r.out\n")
    #expect(refused.code == 1 && refused.errors.contains("--allow run"), "\(refused.errors)")
    let allowed = Tooth.run("run", "-", "--allow", "run", input: "run \"printf x\" as r\nprint r.out\n")
    #expect(allowed.code == 0 && allowed.output == "x\n", "\(allowed.errors)")
    let none = run("run \"echo x\"\n", "--allow", "none")
    #expect(none.code == 1 && none.errors.contains("--allow run"), "\(none.errors)")
  }

  @Test(arguments: ["run \"/nowhere/{pin}\"", "run \"{pin} x\"", "run [pin]"])
  func aProgramThatCannotStartRevealsNoSecret(_ statement: String) {
    let result = run(
      "input pin: secret\n\(statement) otherwise print it.message\n\(statement)\n", "-vv",
      environment: ["TOOTH_SECRET_PIN": "hunter7"])
    #expect(result.code == 1, "\(result)")
    #expect(result.output.contains("the program cannot be started"), "\(result)")
    #expect(!result.output.contains("hunter") && !result.errors.contains("hunter"), "\(result)")
  }

  @Test func secretsAreNotForPrograms() {
    let result = run(
      "input pin: secret\nrun \"env\" as r\nprint r.out contains \"hunter\"\nrun \"printf {pin}\" as s\nprint s.out is pin\n", "-v",
      environment: ["TOOTH_SECRET_PIN": "hunter2"])
    #expect(result.output == "false\ntrue\n", "\(result.errors)")
    #expect(!result.errors.contains("hunter2"))
  }
}
