import Glibc
import Testing

@testable import Journal

/// Who holds the lock of a run and will not for long: a start waits for it instead of refusing.
@Suite struct EndingProcessTests {
  @Test func aProcessThatLivesIsNotEnding() {
    #expect(!RunLock.isEnding(getpid()))
    #expect(!RunLock.isEnding(1))
  }

  @Test func aProcessThatHasEndedIsEnding() throws {
    var process: pid_t = 0
    let word = try #require(strdup("true"))
    defer { free(word) }
    var words: [UnsafeMutablePointer<CChar>?] = [word, nil]
    try #require(posix_spawnp(&process, "true", nil, nil, &words, nil) == 0)
    // It stays in the table of processes until somebody asks how it ended.
    var information = siginfo_t()
    #expect(waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) == 0)
    #expect(RunLock.isEnding(process))
    var status: Int32 = 0
    waitpid(process, &status, 0)
    #expect(RunLock.isEnding(process))
  }
}
