import Glibc
import Linux
import Testing
import Vocabulary

/// Signals at bad moments: while other threads wait, and between a check and a wait.
@Suite struct SignalTimingTests {
  private let folder = Folder()

  private static let compiler = ["/usr/bin/cc", "/usr/bin/clang"].first { (path: String) in access(path, X_OK) == 0 }
  private static let tracer = ["/usr/bin/strace", "/bin/strace"].first { (path: String) in access(path, X_OK) == 0 }

  private static let frame = """
    #include "cbluez.h"
    #include <errno.h>
    #include <signal.h>
    #include <stdio.h>
    #include <sys/time.h>
    #include <unistd.h>

    static void tell(const char *word) {
      struct itimerval left;
      getitimer(ITIMER_REAL, &left);
      printf("%s %s %s\\n", word, left.it_value.tv_sec || left.it_value.tv_usec ? "armed" : "quiet", cbluez_is_over() ? "over" : "on");
      fflush(stdout);
    }

    int main(void) {
      int signals = cbluez_signals(16), ends[2];
      char octet;
      if (signals < 0 || pipe(ends)) return 1;

    """

  /// Signal actions of the whole process, in C.
  private func guarded(_ body: String) throws -> Program.Outcome {
    folder.file("main.c", Self.frame + body + "\n}\n")
    let sources = "\(Program.root)/Sources/CBluez"
    let built = try Program.run(
      ["-I", "\(sources)/include", "-o", "\(folder.path)/signals", "\(folder.path)/main.c", "\(sources)/guard.c"],
      program: Self.compiler ?? "cc")
    try #require(built.code == 0, "\(built.errors)")
    return try Program.run([], program: "\(folder.path)/signals")
  }

  /// At a prompt, a second Ctrl-C that is not read at once does not end the process. The timer
  /// ends the pauses.
  @Test(.enabled(if: Self.compiler != nil)) func interruptsOfAPromptMayBeReadLate() throws {
    let late = "raise(SIGINT), raise(SIGINT); for (int turn = 0; turn < 5; turn++) pause();"
    let read = "while (cbluez_next_signal(signals)) cbluez_dismiss_interrupt(); tell(\"dismissed\");"
    #expect(try guarded(late + read).code == -SIGINT)
    let result = try guarded("cbluez_outlast_interrupts(); " + late + read)
    #expect(result.code == 0)
    #expect(result.output == "dismissed quiet on\n")
  }

  /// Both presses of Ctrl-C cancelled something, so neither ends the process later.
  @Test(.enabled(if: Self.compiler != nil)) func usedInterruptsDoNotEndTheProcess() throws {
    let result = try guarded(
      """
        raise(SIGINT), raise(SIGINT), raise(SIGINT);
        while (cbluez_next_signal(signals)) cbluez_dismiss_interrupt();
        tell("pardoned");
        raise(SIGINT), raise(SIGTERM);
        while (cbluez_next_signal(signals) == SIGINT) cbluez_dismiss_interrupt();
        tell("to end");
        return 0;
      """)
    #expect(result.code == 0 && result.output == "pardoned quiet on\nto end armed over\n", "\(result)")
  }

  /// A call that starts to wait after a signal's handler has run still returns.
  @Test(.enabled(if: Self.compiler != nil)) func aWaitAfterASignalIsInterrupted() throws {
    let result = try guarded(
      """
        raise(SIGINT);
        printf("%s\\n", read(ends[0], &octet, 1) < 0 && errno == EINTR ? "interrupted" : "read");
        printf("%d\\n", cbluez_next_signal(signals));
        return 0;
      """)
    #expect(result.code == 0 && result.output == "interrupted\n2\n", "\(result)")
  }

  /// A process that is stuck is ended all the same.
  @Test(.enabled(if: Self.compiler != nil)) func aStuckProcessEnds() throws {
    let result = try guarded("  raise(SIGINT);\n  for (;;) if (read(ends[0], &octet, 1) == 0) return 0;")
    #expect(result.code == -SIGINT, "\(result)")
  }

  /// Ctrl-C drops a key after poll has reported it and before it is read. strace delays each return
  /// of poll.
  @Test(.enabled(if: Self.tracer != nil)) func aKeyThatCtrlCDropsIsNotWaitedFor() throws {
    let variables = ["TOOTH_STATE": "\(folder.path)/state"]
    let arguments = ["-f", "-o", "\(folder.path)/log", "-e", "inject=poll,ppoll:delay_exit=200000", Tooth.path]
    let session = try TerminalSession(
      arguments + ["repl", "--adapter", "sim:demo", "--no-listen"], program: Self.tracer ?? "strace", environment: variables,
      directory: folder.path)
    try #require(session.read { $0.contains("tooth sim:demo >") }, "\(session.text)")
    let children = "/proc/\(session.pid)/task/\(session.pid)/children"
    let child = (try? readFile(children, limit: 100)).flatMap {
      pid_t(String(decoding: $0, as: UTF8.self).split(separator: " ").first ?? "")
    }
    let process = try #require(child)
    for _ in 0..<5 {
      let prompts = session.text.ranges(of: "tooth sim:demo >").count
      try #require(state(process, isHeld: false))
      session.type("x")
      try #require(state(process, isHeld: true))
      session.type("\u{3}")
      try #require(session.read { $0.ranges(of: "tooth sim:demo >").count > prompts }, "\(session.text.debugDescription)")
    }
    session.type("\"still {1 + 1}\"\n")
    #expect(session.read { $0.contains("still 2") && $0.contains("a text") }, "\(session.text.debugDescription)")
    session.type("quit\n")
    #expect(session.wait() == 0, "\(session.text)")
  }

  /// Waits until its tracer has held the process for a while, or until it blocks.
  private func state(_ process: pid_t, isHeld: Bool) -> Bool {
    let end = SystemClock.now().moment + .seconds(60)
    var since: Moment?
    while SystemClock.now().moment < end {
      let now = SystemClock.now().moment
      let text = (try? readFile("/proc/\(process)/stat", limit: 1000)).map { String(decoding: $0, as: UTF8.self) } ?? ""
      let isSo = text.contains(isHeld ? ") t " : ") S ")
      if !isSo { since = nil }
      if isSo, since == nil { since = now }
      if let since, now - since > .milliseconds(isHeld ? 20 : 300) { return true }
      _ = Poll.wait(for: [], until: now + .milliseconds(2))
    }
    return false
  }
}
