package import Runner
import Vocabulary

/// What stands in a test for stdin, for whoever answers, and for programs. It outlives the
/// processes of its run: what a killed one had taken and not committed is given again.
package final class ScriptedInput {
  private struct Place {
    var line = 0
    var answer = 0
  }

  private let lines: [String]
  private let answers: [String]
  private let results: [(program: String, result: CommandResult)]
  private var place = Place()
  private var committed = Place()
  /// Programs that were to be started, as they may be shown.
  package private(set) var commands: [String] = []
  /// What was answered to `ask secret`.
  package private(set) var secrets: [String] = []

  package static let mostCommands = 65_536

  /// - Parameter results: what a program says and how it ends, by its name, in which `_` stands for
  ///   what a key cannot have; others say nothing and end well.
  package init(lines: [String], answers: [String], results: [(program: String, result: CommandResult)]) {
    self.lines = lines
    self.answers = answers
    self.results = results
  }

  /// A process begins.
  package func begin() { place = committed }

  /// Everything that was taken is in the checkpoint.
  package func settle() { committed = place }

  /// What stdin has still; nothing when its end was told, too.
  var rest: String? {
    guard place.line <= lines.count else { return nil }
    return lines[place.line...].map { $0 + "\n" }.joined()
  }

  /// A line was taken, or the end.
  func lineTaken() { place.line += 1 }

  func answer(isSecret: Bool) -> String? {
    guard place.answer < answers.count else { return nil }
    defer { place.answer += 1 }
    if isSecret { secrets.append(answers[place.answer]) }
    return answers[place.answer]
  }

  func note(_ command: String) { if commands.count < Self.mostCommands { commands.append(command) } }

  /// `notify_send` of `/usr/bin/notify-send`.
  private static func key(_ path: String) -> String {
    let name = path.utf8.split(separator: UInt8(ascii: "/")).last ?? ""[...].utf8
    return String(
      decoding: name.map { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
          byte
        default: UInt8(ascii: "_")
        }
      }, as: UTF8.self)
  }

  func result(of order: CommandOrder) -> CommandResult {
    let name = Self.key(order.arguments.first ?? "")
    return results.first { $0.program == name }?.result ?? CommandResult(code: 0)
  }
}
