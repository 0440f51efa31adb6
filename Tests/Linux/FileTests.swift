import Glibc
import Linux
import Testing

@Suite struct FileTests {
  let scratch = LinuxScratch()

  func content(_ path: String) -> String {
    (try? readFile(path, limit: 1 << 20)).map { String(decoding: $0, as: UTF8.self) } ?? "?"
  }

  @Test(arguments: [("missing", ENOENT), ("", EISDIR)]) func readErrorsHaveAReason(name: String, code: Int32) {
    #expect(throws: SystemFailure("reading \(scratch.path)/\(name)", code: code)) {
      try readFile("\(scratch.path)/\(name)", limit: 10)
    }
  }

  @Test func aFileBeyondTheLimitIsRefused() {
    let path = scratch.file("f", "12345678901")
    #expect(throws: SystemFailure("reading \(path)", code: EFBIG)) { try readFile(path, limit: 10) }
  }

  @Test func savingReplacesAndKeepsTheMode() throws {
    let path = scratch.file("f", "old")
    chmod(path, 0o640)
    try saveFile(path, Array("new".utf8))
    #expect(content(path) == "new")
    var status = stat()
    stat(path, &status)
    #expect(status.st_mode & 0o777 == 0o640)
    #expect(throws: SystemFailure("saving \(scratch.path)/no/f", code: ENOENT)) { try saveFile("\(scratch.path)/no/f", []) }
  }

  @Test func savingThroughALinkKeepsTheLink() throws {
    let path = scratch.file("f", "old")
    symlink(path, "\(scratch.path)/l")
    try saveFile("\(scratch.path)/l", Array("new".utf8))
    #expect(content(path) == "new")
  }

  // MARK: Appending

  let row = Array("12:00,72\n".utf8)

  @Test func recordsFollowEachOther() throws {
    let path = "\(scratch.path)/beats.csv"
    let appender = Appender()
    #expect(try appender.size(of: path) == 0)
    appender.plan(path, offset: 0, count: row.count)
    #expect(try appender.size(of: path) == 9)
    try appender.append(path, offset: 0, row)
    try appender.append(path, offset: 9, row)
    appender.settle()
    #expect(content(path) == "12:00,72\n12:00,72\n")
    #expect(try appender.size(of: path) == 18)
    try appender.sync()
  }

  @Test(arguments: [
    // the file after the record's place, the result of reconciling, the file afterwards
    ("", Appender.Reconciliation.completed, "12:00,72\n"),
    ("12:0", .completed, "12:00,72\n"),
    ("12:00,72", .completed, "12:00,72\n"),
    ("12:00,72\n", .complete, "12:00,72\n"),
    ("12:00,72\nothers\n", .complete, "12:00,72\nothers\n"),
    ("others\n12:00,72\n", .complete, "others\n12:00,72\n"),
    ("others\n", .completed, "others\n12:00,72\n"),
    ("x", .completed, "x12:00,72\n"),
  ])
  func anIntentIsMadeWholeExactlyOnce(tail: String, outcome: Appender.Reconciliation, after: String) throws {
    let path = scratch.file("beats.csv", "time,bpm\n" + tail)
    #expect(try Appender().reconcile(path, offset: 9, row) == outcome)
    #expect(content(path) == "time,bpm\n" + after)
    // Repeating it changes nothing.
    #expect(try Appender().reconcile(path, offset: 9, row) == .complete)
    #expect(content(path) == "time,bpm\n" + after)
  }

  /// The first record of a CSV file has its header, but another process may have begun the file
  /// between the intent and the write.
  @Test(arguments: [
    // the file, the file afterwards
    ("", "time,bpm\n12:00,72\n"),
    ("time,bpm\n", "time,bpm\n12:00,72\n"),
    ("time,bpm\n12:0", "time,bpm\n12:00,72\n"),
    ("time,bpm\n12:00,72\n", "time,bpm\n12:00,72\n"),
    ("time,bpm\n11:00,60\n", "time,bpm\n11:00,60\n12:00,72\n"),
    ("time,bpm\n11:00,60\n12:00,72\n", "time,bpm\n11:00,60\n12:00,72\n"),
    ("room,bpm\nx,60\n", "room,bpm\nx,60\ntime,bpm\n12:00,72\n"),
  ])
  func aFileHasOneHeader(before: String, after: String) throws {
    let path = scratch.file("beats.csv", before)
    let whole = Array("time,bpm\n".utf8) + row
    for _ in 0..<2 {
      _ = try Appender().reconcile(path, offset: 0, whole)
      #expect(content(path) == after)
    }
    // A text of several lines has no header.
    let log = scratch.file("log.txt", "a\nb\n")
    _ = try Appender().reconcile(log, offset: 0, Array("a\nc\n".utf8))
    #expect(content(log) == "a\nb\na\nc\n")
  }

  @Test func aTruncatedOrRemovedFileGetsTheRecordAtItsEnd() throws {
    let path = scratch.file("beats.csv", "t\n")
    #expect(try Appender().reconcile(path, offset: 900, row) == .completed)
    #expect(content(path) == "t\n12:00,72\n")
    #expect(try Appender().reconcile("\(scratch.path)/gone.csv", offset: 900, row) == .completed)
    #expect(content("\(scratch.path)/gone.csv") == "12:00,72\n")
  }

  /// The remembered last byte is that of the file, even if the file is written, truncated or
  /// replaced.
  @Test func theRememberedLastByteFollowsTheFile() throws {
    let path = scratch.file("log", "")
    let appender = Appender()
    func last() throws -> UInt8? { appender.lastByte(of: path, at: try appender.size(of: path)) }
    func others(_ text: String, _ flags: Int32 = O_APPEND) {
      let descriptor = open(path, O_WRONLY | flags)
      write(descriptor, text, text.utf8.count)
      close(descriptor)
    }
    #expect(try last() == nil)
    try appender.append(path, offset: 0, Array("ab".utf8))
    #expect(try last() == UInt8(ascii: "b"))
    others("c")
    #expect(try last() == UInt8(ascii: "c"))
    // Another process was faster between the check and the write.
    try appender.append(path, offset: 2, Array("d".utf8))
    #expect(try last() == UInt8(ascii: "d"))
    others("x", O_TRUNC)
    #expect(try last() == UInt8(ascii: "x"))
    try appender.append(path, offset: 1, Array("y".utf8))
    rename(path, path + ".1")
    #expect(try last() == nil)
    _ = scratch.file("log", "qz")
    #expect(try last() == UInt8(ascii: "z"))
    try appender.append(path, offset: 2, Array("1".utf8))
    #expect(try last() == UInt8(ascii: "1"))
    #expect(content(path) == "qz1")
  }

  /// Runs that begin a file at the same instant write one header.
  @Test func oneOfSeveralBeginsAFile() async throws {
    for round in 0..<50 {
      let path = "\(scratch.path)/new\(round).csv"
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<2 {
          group.addTask {
            let appender = Appender()
            let offset = try appender.size(of: path, begins: true)
            let record = Array(((offset == 0 ? "time,bpm\n" : "") + "12:00,72\n").utf8)
            appender.plan(path, offset: offset, count: record.count)
            // A commit happens between the two.
            sched_yield()
            try appender.append(path, offset: offset, record)
            appender.settle()
          }
        }
        try await group.waitForAll()
      }
      #expect(content(path) == "time,bpm\n12:00,72\n12:00,72\n")
    }
  }

  @Test func aRotatedFileIsCreatedAgain() throws {
    let path = scratch.file("log", "")
    let appender = Appender()
    try appender.append(path, offset: 0, row)
    rename(path, path + ".1")
    #expect(try appender.size(of: path) == 0)
    try appender.append(path, offset: 0, row)
    #expect(content(path) == "12:00,72\n")
    #expect(content(path + ".1") == "12:00,72\n")
  }

  @Test func appendErrorsHaveAReason() {
    #expect(throws: SystemFailure("appending to \(scratch.path)", code: EISDIR)) { try Appender().size(of: scratch.path) }
    #expect(throws: SystemFailure("appending to \(scratch.path)/no/f", code: ENOENT)) {
      try Appender().append("\(scratch.path)/no/f", offset: 0, [1])
    }
    #expect(throws: SystemFailure("appending to /dev/full", code: ENOSPC)) { try Appender().append("/dev/full", offset: 0, [1]) }
  }

  @Test func aBrokenPipeIsRememberedAndQuiet() {
    signal(SIGPIPE, SIG_IGN)
    var ends: [Int32] = [0, 0]
    pipe(&ends)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    close(ends[0])
    let output = OutputPipe(descriptor: ends[1])
    output.write("a")
    #expect(output.isBroken)
    output.write("b")
    close(ends[1])
  }
}
