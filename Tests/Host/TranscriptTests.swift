import Exchange
import Foundation
import Host
import Packets
import Testing
import Vocabulary

/// One case of a file in `Tests/Transcripts`.
struct Transcript: Sendable, CustomTestStringConvertible {
  var name: String
  var file: String
  var line: Int
  var lines: [String] = []

  var testDescription: String { name }

  static func all() -> [Transcript] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(
      "Transcripts")
    var list: [Transcript] = []
    for file in ["GAC", "GAD", "GAR", "GAW", "GAN", "GAI", "GAT", "server"] {
      let text = (try? String(contentsOf: folder.appendingPathComponent("\(file).txt"), encoding: .utf8)) ?? "# \(file) is missing"
      for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() where !line.isEmpty {
        if line.hasPrefix("# ") {
          list.append(Transcript(name: String(line.dropFirst(2)), file: "\(file).txt", line: number + 1))
        } else if !list.isEmpty {
          list[list.count - 1].lines.append(String(line))
        }
      }
    }
    return list
  }
}

@Suite struct TranscriptTests {
  @Test func everyTranscriptFileIsRead() {
    #expect(Transcript.all().count > 80)
    #expect(
      Transcript.all().allSatisfy { $0.lines.count > 2 || $0.lines.first?.hasPrefix("do command") == true || $0.lines.count == 2 })
  }

  @Test(arguments: Transcript.all()) func theBearerFollowsTheTranscript(transcript: Transcript) {
    let isServer = transcript.lines.first == "serve"
    var bench = isServer ? ServedTable.bench() : transcript.lines.first == "raw" ? AttBench() : AttBench.ready(mtu: 23)
    if transcript.lines.first == "raw" { bench.start() }
    var last: OperationID?
    var told = 0
    var acknowledged: UInt64 = 0
    for line in transcript.lines where line != "raw" && line != "serve" {
      let words = line.split(separator: " ").map(String.init)
      let rest = words.dropFirst().joined(separator: " ")
      switch words[0] {
      case "do": last = submit(words, &bench)
      case ">":
        guard !bench.sent.isEmpty else { return fail("nothing was sent where \(rest) was expected", transcript) }
        let pdu = Hex.text(bench.sent.removeFirst())
        if pdu != rest { return fail("sent \(pdu), expected \(rest)", transcript) }
      case "<":
        if !bench.sent.isEmpty { return fail("\(Hex.text(bench.sent[0])) was sent before \(rest) came", transcript) }
        bench.hear(rest)
      case "open":
        guard let last, bench.outcome(last) == nil else { return fail("it has ended already", transcript) }
      case "end":
        guard let last, let outcome = bench.outcome(last) else { return fail("it has not ended with \(rest)", transcript) }
        if text(outcome, code: words.count > 3) != rest { return fail("ended with \(outcome), expected \(rest)", transcript) }
        if bench.count(of: last) != 1 { return fail("completed \(bench.count(of: last)) times", transcript) }
      case "told":
        let values = bench.events.compactMap { event -> String? in
          guard case .notificationReceived(_, let reference, let value, let kind) = event else { return nil }
          let handle = Hex.text(reference.handle.raw).lowercased()
          return ([kind == .notify ? "notify" : "indicate", handle] + value.map { Hex.text($0) }).joined(separator: " ")
        }
        guard told < values.count, values[told] == rest else {
          return fail("told \(values.dropFirst(told)), expected \(rest)", transcript)
        }
        told += 1
      case "confirm":
        for (token, owner) in bench.tokens {
          acknowledged += 1
          bench.peer.indicationReported(token: token, owner: owner, number: EventNumber(acknowledged))
        }
        bench.tokens = []
        bench.take(bench.peer.acknowledged(owner: .run, EventNumber(acknowledged), at: bench.now))
      case "answer": ServedTable.answer(.value(Hex.bytes(rest) ?? []), &bench)
      case "refuse": ServedTable.answer(.refuse(Hex.bytes(rest)?.first ?? 0), &bench)
      case "publish": ServedTable.publish(words, &bench)
      case "wait": bench.wait(TimeSpan(nanoseconds: Int64((Double(rest) ?? 0) * 1e9)))
      case "closed": if bench.closed == nil { return fail("the link was not closed", transcript) }
      case "knows":
        let handle = AttributeHandle(UInt16(words[1], radix: 16) ?? 0)
        let reference = bench.peer.attributeCache.reference(to: handle)
        if (reference?.descriptor ?? reference?.characteristic) != UUID(words[2]) {
          return fail("\(words[1]) is \(String(describing: reference))", transcript)
        }
      default: return fail("what is \(line)?", transcript)
      }
    }
    if !bench.sent.isEmpty { fail("\(Hex.text(bench.sent[0])) was sent, and the case does not name it", transcript) }
  }

  /// The cases of the SIG's suite that this program has to pass. Unsupported ones are left out: our
  /// client has no Read Multiple.
  @Test func everyCaseHasATranscript() {
    func names(_ prefix: String, _ numbers: [Int]) -> [String] {
      numbers.map { "\(prefix)-\($0 < 10 ? "0" : "")\($0)-C" }
    }
    let wanted =
      ["GAC/SR/BV-01-C", "GAN/SR/BV-01-C", "GAI/SR/BV-01-C", "GAR/SR/BV-01-C", "GAN/CL/BV-01-C", "GAI/CL/BV-01-C"]
      + names("GAD/SR/BV", Array(1...6)) + names("GAR/SR/BV", Array(3...8))
      + names("GAR/SR/BI", [2, 6, 7, 8, 12, 13, 14, 18, 19, 23, 24, 28, 29, 30]) + names("GAW/SR/BV", [3] + Array(5...10))
      + names("GAW/SR/BI", [2, 3, 7, 8, 14, 15, 20, 21, 25, 26]) + names("GAR/CL/BI", Array(23...34))
      + names("GAW/CL/BI", [14, 15] + Array(17...26) + [29, 30, 31])
    let found = Set(Transcript.all().map { String($0.name.prefix { $0 != " " }) })
    #expect(wanted.filter { !found.contains($0) } == [])
  }

  private func fail(_ text: String, _ transcript: Transcript) {
    Issue.record("\(transcript.file):\(transcript.line) \(transcript.name): \(text)")
  }

  private func submit(_ words: [String], _ bench: inout AttBench) -> OperationID {
    let name = words.count > 2 ? words[2] : ""
    let path: AttributePath =
      if name.hasPrefix("=") { .test("handle \(name.dropFirst())") } else {
        .test(name.replacingOccurrences(of: "@", with: " home "))
      }
    let value = Hex.bytes(words.dropFirst(3).joined()) ?? []
    switch words[1] {
    case "read": return bench.submit(.read(path))
    case "write": return bench.submit(.write(path, value))
    case "command": return bench.submit(.writeWithoutResponse(path, value))
    case "subscribe": return bench.submit(.subscribe(path))
    case "unsubscribe": return bench.submit(.unsubscribe(path))
    case "discover": return bench.submit(.discover(words.dropFirst(2).compactMap { UUID($0) }))
    default:
      Issue.record("what is do \(words[1])?")
      return bench.submit(.discover([]))
    }
  }

  private func text(_ outcome: Result<Outcome, Failure>, code: Bool) -> String {
    switch outcome {
    case .success(.done): "done"
    case .success(.outOfBand): "out-of-band data"
    case .success(.value(let value, _)): value.isEmpty ? "value" : "value \(Hex.text(value))"
    case .success(.subscribed(_, let kind)): kind == .notify ? "subscribed notify" : "subscribed indicate"
    case .success(.rssi(let rssi)): "rssi \(rssi)"
    case .success(.paired): "paired"
    case .failure(let failure):
      "failed \(failure.kind.word)" + (code ? failure.code.map { " \(Hex.text(UInt8(truncatingIfNeeded: $0)))" } ?? "" : "")
    }
  }
}
