import Exchange

/// A program to be started.
package struct CommandOrder: Equatable, Sendable {
  package struct Variable: Equatable, Sendable {
    package var name: String
    package var value: String
  }

  package var arguments: [String]
  /// Of its environment, beside what the run's own has.
  package var variables: [Variable]
  /// What it says goes to stderr.
  package var isRelayed: Bool
  /// As it may be shown: without secrets.
  package var shown: String

  /// The name of the program, as far as it may be shown.
  package var shownProgram: String {
    guard let name = arguments.first, shown.hasPrefix(name) else { return "the program" }
    return name
  }
}

/// How a program ended.
package struct CommandResult: Equatable, Sendable {
  /// The exit code, or 128 and the signal.
  package var code: Int
  package var out: [UInt8]
  package var err: [UInt8]

  package init(code: Int, out: [UInt8] = [], err: [UInt8] = []) {
    self.code = code
    self.out = out
    self.err = err
  }
}
