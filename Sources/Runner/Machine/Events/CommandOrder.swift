import Exchange

/// A program to start.
package struct CommandOrder: Equatable, Sendable {
  package struct Variable: Equatable, Sendable {
    package var name: String
    package var value: String
  }

  package var arguments: [String]
  /// Environment variables in addition to the run's own.
  package var variables: [Variable]
  /// Whether its output goes to stderr.
  package var isRelayed: Bool
  /// The command without secrets, for display.
  package var shown: String

  /// The name of the program without secrets.
  package var shownProgram: String {
    guard let name = arguments.first, shown.hasPrefix(name) else { return "the program" }
    return name
  }
}

/// The result of a program.
package struct CommandResult: Equatable, Sendable {
  /// The exit code, or 128 plus the number of the signal.
  package var code: Int
  package var out: [UInt8]
  package var err: [UInt8]

  package init(code: Int, out: [UInt8] = [], err: [UInt8] = []) {
    self.code = code
    self.out = out
    self.err = err
  }
}
