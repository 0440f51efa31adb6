import Glibc
import Linux
import Testing

/// Output files that other programs write at the same time or have begun.
@Suite struct OutputFileTests {
  let folder = Folder()

  private func shell(_ line: String) -> Tooth.Result {
    Tooth.start(
      ["-c", line, Tooth.path], program: "/bin/sh", environment: ["TOOTH_STATE": "\(folder.path)/s"], directory: folder.path
    )
    .wait()
  }

  /// The file of stdout or stderr is never replaced, whatever name leads to it.
  @Test(arguments: ["save", "append"], ["/dev/stdout", "/proc/self/fd/1", "out", "/dev/stderr"])
  func aRunDoesNotReplaceItsOwnOutput(verb: String, name: String) {
    folder.file("r.ble", "print \"before\"\n\(verb) \"other\" to \"\(name)\" otherwise print it.kind\nprint \"after\"\n")
    let result = shell("\"$0\" run r.ble >out 2>err")
    #expect(result.code == 0, "\(folder.content("err") ?? "")")
    #expect(folder.content("out") == "before\nfile\nafter\n")
  }

  @Test func aPipeIsReportedAsAPipe() {
    folder.file("r.ble", "save \"x\" to \"/dev/stdout\"\n")
    let result = shell("\"$0\" run r.ble | cat; exit 0")
    #expect(result.errors.contains("pipe, and only a file can be replaced"), "\(result)")
  }

  /// Editors may leave the last line without a line end.
  @Test(arguments: [
    ("a.csv", "a,b\n1,2", "{b: 4, a: 3}", "a,b\n1,2\n3,4\n"), ("a.csv", "a,b", "{b: 4, a: 3}", "a,b\n3,4\n"),
    ("a.csv", "a,b\n1,2\n", "{a: 3, b: 4}", "a,b\n1,2\n3,4\n"), ("a.jsonl", "{\"a\":1}", "{a: 2}", "{\"a\":1}\n{\"a\":2}\n"),
    ("a.log", "one", "\"two\"", "one\ntwo\n"), ("a.bin", "one", "\"two\".bytes()", "onetwo"), ("a.log", "", "\"two\"", "two\n"),
  ])
  func aRecordStartsOnANewLine(name: String, before: String, value: String, after: String) {
    folder.file(name, before)
    folder.file("r.ble", "append \(value) to \"\(name)\"\n")
    let result = shell("\"$0\" run r.ble")
    #expect(result.code == 0, "\(result)")
    #expect(folder.content(name) == after)
  }

  @Test func twoRecordsInARowStayTwoLines() {
    folder.file("a.csv", "a\n1")
    folder.file("r.ble", "append {a: 2} to \"a.csv\"\nappend {a: 3} to \"a.csv\"\n")
    #expect(shell("\"$0\" run r.ble").code == 0)
    #expect(folder.content("a.csv") == "a\n1\n2\n3\n")
  }

  /// The run does not look up what it has written itself; the test counts system calls.
  @Test func aFileIsNotOpenedForEachRecord() throws {
    let path = folder.file("a.csv", "n,t\n1,2")
    folder.file("r.ble", "let n = 0\nrepeat 200 times\n  set n to n + 1\n  append {n: n, t: n} to \"a.csv\"\nend\n")
    let watch = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    defer { close(watch) }
    #expect(inotify_add_watch(watch, path, UInt32(IN_OPEN) | UInt32(IN_ACCESS) | UInt32(IN_MODIFY)) >= 0)
    #expect(shell("\"$0\" run r.ble").code == 0)
    var counts: [UInt32: Int] = [:]
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = read(watch, &block, block.count), count > 0 {
      var place = 0
      while place < count {
        let event = block.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: inotify_event.self) }
        counts[event.mask, default: 0] += 1
        place += MemoryLayout<inotify_event>.size + Int(event.len)
      }
    }
    // To read its header, to read its last byte, and to write it.
    #expect(counts[UInt32(IN_OPEN), default: 0] <= 3, "\(counts)")
    #expect(counts[UInt32(IN_ACCESS), default: 0] <= 2, "\(counts)")
    #expect(counts[UInt32(IN_MODIFY), default: 0] >= 1, "\(counts)")
    #expect(folder.content("a.csv") == (["n,t", "1,2"] + (1...200).map { "\($0),\($0)" }).joined(separator: "\n") + "\n")
  }

  @Test(.enabled(if: getuid() == 0)) func savingAFileKeepsItsOwner() {
    let path = folder.file("kept", "old\n")
    chown(path, 65534, 65534)
    folder.file("r.ble", "save \"new\" to \"kept\"\n")
    #expect(shell("\"$0\" run r.ble").code == 0)
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_uid == 65534 && status.st_gid == 65534)
    #expect(folder.content("kept") == "new\n")
  }
}
