import Journal
import Linux
import Session
import Vocabulary

/// The current state of a run, for lists and pages.
struct RunStatus {
  /// `running`, `killed`, `rebooted`, or how it ended.
  let word: String
  /// The process that is running it.
  let process: Int32?
  let exitCode: Int32?

  init(_ record: RunRecord, _ id: RunID, _ state: StateDirectory) {
    if let pid = RunLock.holder(of: id, in: state) {
      (word, process, exitCode) = ("running", pid, nil)
    } else if record.ending == .none {
      (word, process, exitCode) = (record.isOfEarlierBoot(than: SystemClock.bootID()) ? "rebooted" : "killed", nil, nil)
    } else {
      (word, process, exitCode) = (record.ending.rawValue, nil, record.exitCode)
    }
  }

  var isRunning: Bool { process != nil }

  /// The state with the process or the exit code.
  var text: String {
    if let process, process > 0 { return "\(word) (process \(process))" }
    return exitCode.map { "\(word) (\($0))" } ?? word
  }

  /// The command that a user most probably needs next.
  func nextCommand(_ record: RunRecord, _ id: RunID) -> (command: String, does: String)? {
    guard !isRunning else { return nil }
    if record.path == ReplCommand.path {
      let name = record.owner.hasPrefix("name:") ? String(record.owner.dropFirst(5)) : id.text
      let command = "tooth repl --as \(ShellText.word(name))"
      switch record.ending {
      case .none, .terminated: return (command, "continues the session; give it the same options, such as --adapter")
      case .finished, .stopped, .failed, .interrupted: return (command, "starts another session: this one has ended")
      }
    }
    switch record.ending {
    case .none, .terminated, .interrupted:
      return ("tooth resume \(id)", "continues where it was; give it the same options, such as --adapter")
    case .failed:
      return ("tooth resume \(id)", "continues at the statement where it ended; give it the same options, such as --adapter")
    case .finished, .stopped:
      guard record.path.hasPrefix("/") else { return nil }
      let name = record.owner.hasPrefix("name:") ? " --as \(ShellText.word(String(record.owner.dropFirst(5))))" : ""
      let does = record.inputs.isEmpty ? "runs it again, with its inputs" : "runs it again; give it the same inputs"
      let (file, peripheral) = RunCommand.file(of: record)
      let served = peripheral.map { " \(ShellText.word($0))" }
      return ("tooth \(served == nil ? "run" : "serve") \(ShellText.word(file))\(served ?? "")\(name)", does)
    }
  }

  /// Whether it is running, or can be continued by `tooth run`, `resume` or `repl`.
  func isOpen(_ record: RunRecord, hasState: Bool) -> Bool {
    if isRunning { return true }
    guard hasState else { return false }
    switch record.ending {
    case .none, .terminated: return true
    case .failed, .interrupted: return record.path != ReplCommand.path
    case .finished, .stopped: return false
    }
  }

  /// The recipe with its inputs, as on a command line.
  static func recipe(_ record: RunRecord) -> String {
    let name = record.path.split(separator: "/").last.map(String.init) ?? record.path
    let inputs = record.inputs.flatMap { input in
      let option = "--\(String(input.name.map { $0 == "_" ? "-" : $0 }))"
      return parts(input).map { "\(option) \(ShellText.word(String($0)))" }
    }
    return ([name] + inputs).joined(separator: " ")
  }

  /// The values of an input, which is given once for each.
  private static func parts(_ input: RunRecord.Input) -> [Substring] {
    input.value.split(separator: "\u{1E}", omittingEmptySubsequences: false)
  }

  static func value(_ input: RunRecord.Input) -> String { parts(input).joined(separator: ", ") }

  /// `2026-11-22 21:05:06` in the local time zone; simulated times are marked.
  static func clock(_ time: WallTime, of record: RunRecord, _ zone: TimeZoneRules) -> String {
    let text = (record.isVirtual ? TimeZoneRules.utc : zone).civil(time).description
    let clock = text.utf8.prefix(19).count == 19 ? String(text.prefix(10)) + " " + String(text.dropFirst(11).prefix(8)) : text
    return record.isVirtual ? "\(clock) virtual" : clock
  }
}
