import Glibc
import Testing

@testable import Journal

/// An ending process that still holds the lock of a run: a start waits for it instead of failing.
@Suite struct EndingProcessTests {
  @Test func aRunningProcessIsNotEnding() {
    #expect(!RunLock.isEnding(getpid()))
    #expect(!RunLock.isEnding(1))
  }

  @Test func aProcessThatHasEndedIsEnding() throws {
    var process: pid_t = 0
    let word = try #require(strdup("true"))
    defer { free(word) }
    var words: [UnsafeMutablePointer<CChar>?] = [word, nil]
    try #require(posix_spawnp(&process, "true", nil, nil, &words, nil) == 0)
    // It stays in the process table until its exit status is read.
    var information = siginfo_t()
    #expect(waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) == 0)
    #expect(RunLock.isEnding(process))
    var status: Int32 = 0
    waitpid(process, &status, 0)
    #expect(RunLock.isEnding(process))
  }
}
