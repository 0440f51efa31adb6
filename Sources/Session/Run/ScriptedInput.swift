package import Runner
import Vocabulary

/// Replaces stdin, answers and programs in a test. It outlives the processes of its run: input that
/// a killed process had not committed is given again.
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
  /// The programs that were to be started, in a form that may be shown.
  package private(set) var commands: [String] = []
  /// The answers to `ask secret`.
  package private(set) var secrets: [String] = []

  package static let mostCommands = 65_536

  /// - Parameter results: The output and exit code of a program, by its name with `_` for
  ///   characters that a key cannot contain. Other programs print nothing and succeed.
  package init(lines: [String], answers: [String], results: [(program: String, result: CommandResult)]) {
    self.lines = lines
    self.answers = answers
    self.results = results
  }

  /// A new process starts.
  package func begin() { place = committed }

  /// The checkpoint contains everything that was taken.
  package func settle() { committed = place }

  /// The rest of stdin; `nil` if its end was reported too.
  var rest: String? {
    guard place.line <= lines.count else { return nil }
    return lines[place.line...].map { $0 + "\n" }.joined()
  }

  /// A line, or the end, was taken.
  func lineTaken() { place.line += 1 }

  func answer(isSecret: Bool) -> String? {
    guard place.answer < answers.count else { return nil }
    defer { place.answer += 1 }
    if isSecret { secrets.append(answers[place.answer]) }
    return answers[place.answer]
  }

  func note(_ command: String) { if commands.count < Self.mostCommands { commands.append(command) } }

  /// The key of a program: `notify_send` for `/usr/bin/notify-send`.
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
