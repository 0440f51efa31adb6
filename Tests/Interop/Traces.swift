import Glibc
import Judgement
import Linux
import Packets
import Synchronization
import Testing
import Vocabulary

/// btsnoop files of the tests of a suite. When all tests are done, tshark checks every packet, and
/// its independent dissectors must be able to read each.
struct Traces: SuiteTrait, TestScoping {
  private static let directory: String = {
    var template = Array("/tmp/tooth-traces-XXXXXX".utf8CString)
    return mkdtemp(&template).map { String(cString: $0) } ?? "/tmp"
  }()
  private static let made = Mutex<[String]>([])

  /// The path for a new trace.
  static func new(_ name: String) -> String {
    made.withLock { made in
      let path = "\(directory)/\(made.count + 1)-\(name).btsnoop"
      made.append(path)
      return path
    }
  }

  /// A directory in which other programs write traces.
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
        // Otherwise tshark has remarks on nothing.
        let written = try Self.written(trace)
        #expect(look.packets == written, "\(trace): tshark sees \(look.packets) of \(written) packets")
      }
      packets += seen
      // At least Reset and its answer.
      #expect(seen >= 2, "\(path): a run left \(seen) packets in its trace")
    }
    say("\(looked) traces with \(packets) packets went through tshark")
    #expect(looked > 0, "no trace at all was left by these tests")
  }

  private func say(_ words: String) {
    let line = Array("interop: \(words)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
  }

  /// The number of complete records in a trace, by our own reader.
  private static func written(_ path: String) throws -> Int {
    try BtsnoopFile.recover(try readFile(path, limit: 1 << 28)).file.records.count
  }

  /// The number of packets that tshark sees in a trace; zero without tshark.
  static func frames(_ path: String) throws -> Int? { Bumble.isTsharkThere ? try look(path).packets : nil }

  /// The number of packets that tshark sees as HCI, and the frames that it calls malformed or an
  /// error, one per line.
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

  /// A line that is not one of tshark's known misreadings.
  private static func isRemark(_ line: String) -> Bool {
    let cells = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    guard cells.count == 10 else { return true }
    // Bumble's controller, like many, answers unknown commands with a Command Complete that only
    // has a status. tshark expects return parameters, which are defined only for success.
    let isShortRefusal = cells[6] == "0x0e" && cells[3] == "7" && cells[5] != "0x00" && cells[5] != ""
    // An include declaration omits a 128-bit UUID (Vol 3, Part G, 3.2), but tshark reads one.
    let isLongInclude = cells[7] == "0x09" && cells[8] == "6" && cells[9].hasSuffix("0x2802")
    // Nothing is left after the offset: a Read Blob Response may be empty (Vol 3, Part F, 3.4.4.6),
    // which tshark does not expect.
    let isEmptyBlob = cells[7] == "0x0d" && cells[3] == "10"
    return !isShortRefusal && !isLongInclude && !isEmptyBlob
  }
}

extension Trait where Self == Traces {
  /// Passes the recorded packets of the tests to tshark.
  static var traced: Traces { Traces() }
}
