import Glibc
import Judgement
import Linux
import Packets
import Synchronization
import Testing
import Vocabulary

/// The btsnoop files that the tests of a suite left: when all of them are over, tshark looks at
/// every packet. A dissector that others wrote must not find one that it cannot read.
struct Traces: SuiteTrait, TestScoping {
  private static let directory: String = {
    var template = Array("/tmp/tooth-traces-XXXXXX".utf8CString)
    return mkdtemp(&template).map { String(cString: $0) } ?? "/tmp"
  }()
  private static let made = Mutex<[String]>([])

  /// The path of a trace yet to be written.
  static func new(_ name: String) -> String {
    made.withLock { made in
      let path = "\(directory)/\(made.count + 1)-\(name).btsnoop"
      made.append(path)
      return path
    }
  }

  /// A directory in which others write traces.
  static func folder() -> String {
    let path = new("folder")
    mkdir(path, 0o755)
    return path
  }

  func provideScope(for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void) async throws {
    try await function()
    defer { removeTree(Self.directory) }
    guard Bumble.isTsharkThere else { return say("no trace was looked at, tshark is missing; make setup installs it") }
    var looked = 0
    var packets = 0
    for path in Self.made.withLock({ $0 }) {
      let inside = namesOfFiles(in: path).map { "\(path)/\($0)" }
      var seen = 0
      for trace in inside.isEmpty ? [path] : inside {
        guard access(trace, R_OK) == 0 else { continue }
        let look = try Self.look(trace)
        looked += 1
        seen += look.packets
        for remark in look.remarks { Issue.record("\(trace): \(remark)") }
        // Else it has remarks on nothing.
        let written = try Self.written(trace)
        #expect(look.packets == written, "\(trace): tshark sees \(look.packets) of \(written) packets")
      }
      packets += seen
      // Reset and its answer at least.
      #expect(seen >= 2, "\(path): a run left \(seen) packets in its trace")
    }
    say("\(looked) traces with \(packets) packets went through tshark")
    #expect(looked > 0, "no trace at all was left by these tests")
  }

  private func say(_ words: String) {
    let line = Array("interop: \(words)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
  }

  /// How many whole records a trace has, by our own reader.
  private static func written(_ path: String) throws -> Int {
    try BtsnoopFile.recover(try readFile(path, limit: 1 << 28)).file.records.count
  }

  /// How many packets tshark sees as such in a trace; nothing without it.
  static func frames(_ path: String) throws -> Int? { Bumble.isTsharkThere ? try look(path).packets : nil }

  /// How many packets tshark sees as HCI, and what it finds malformed or calls an error; a frame a
  /// line.
  static func look(_ path: String) throws -> (packets: Int, remarks: [String]) {
    let shark = try Child([
      Bumble.tshark, "-n", "-r", path, "-Y", "_ws.malformed || _ws.expert.severity >= 0x800000", "-T", "fields", "-E",
      "separator=|",
      "-e", "frame.number", "-e", "_ws.expert.message", "-e", "_ws.col.Info", "-e", "frame.cap_len", "-e", "hci_h4.direction", "-e",
      "bthci_evt.status", "-e", "bthci_evt.code", "-e", "btatt.opcode", "-e", "btatt.length", "-e", "btatt.uuid16",
      // All of them are counted, whatever is shown: `    hci_h4        frames:122 bytes:2476`.
      "-z", "io,phs,hci_h4",
    ])
    let code = shark.end(within: .seconds(60))
    guard code == 0 else { return (0, ["tshark ended with \(code): \(shark.complaint)"]) }
    let counted = shark.lines.map { $0.split(separator: " ") }.first { $0.first == "hci_h4" && $0.count > 1 }
    let packets = counted.flatMap { Int($0[1].dropFirst("frames:".count)) } ?? 0
    let remarks = shark.lines.prefix { !$0.hasPrefix("=") }.filter { !$0.isEmpty }
    return (packets, remarks.filter(isRemark))
  }

  /// A line that is no known misreading of tshark's.
  private static func isRemark(_ line: String) -> Bool {
    let cells = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    guard cells.count == 10 else { return true }
    // Command Complete that says no more than that the command failed, as Bumble's controller
    // answers what it does not know. It is common among controllers; tshark misses the return
    // parameters, which are only defined for commands that did not.
    let isShortRefusal = cells[6] == "0x0e" && cells[3] == "7" && cells[5] != "0x00" && cells[5] != ""
    // An include declaration has no UUID when that has 128 bits (Vol 3, Part G, 3.2); tshark reads
    // one all the same.
    let isLongInclude = cells[7] == "0x09" && cells[8] == "6" && cells[9].hasSuffix("0x2802")
    // Nothing is left behind the offset: a Read Blob Response may be empty (Vol 3, Part F,
    // 3.4.4.6), which tshark does not expect.
    let isEmptyBlob = cells[7] == "0x0d" && cells[3] == "10"
    return !isShortRefusal && !isLongInclude && !isEmptyBlob
  }
}

extension Trait where Self == Traces {
  /// Hands what the tests record to tshark.
  static var traced: Traces { Traces() }
}
