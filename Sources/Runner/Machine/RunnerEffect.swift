package import Exchange

/// What a run asks for. Performed in order after the commit of the same turn.
package enum RunnerEffect: Equatable, Sendable {
  case request(HostRequest)
  /// To stdout; answered by `outputWritten`.
  case print(EffectID, PrintedLine)
  /// To stderr; answered by `outputWritten`.
  case log(EffectID, LogLevel, String)
  /// Exactly once: its intent is in the commit of this turn. Answered by `fileWritten`.
  case append(EffectID, path: String, AppendContent)
  /// Atomic replace. Answered by `fileWritten`.
  case save(EffectID, path: String, [UInt8])
  /// A failure that nobody handled, for the person who watches; the run may live on.
  case failed(FailureReport)
  /// Links came, went, or are being made: progress and JSON events.
  case progressed(ProgressReport)
  /// The run is over and all links are closed. Nothing follows.
  case finished(ExitStatus)
}

/// One `print`: the values for JSON and CSV output, the text for people.
package struct PrintedLine: Equatable, Sendable {
  package var values: [Value]
  /// What `ending` says; a line end by default.
  package var ending: String
  package var device: String?
  package var line: Int

  package init(values: [Value], ending: String = "\n", device: String? = nil, line: Int) {
    self.values = values
    self.ending = ending
    self.device = device
    self.line = line
  }
}

/// What an `append` adds. The header of a CSV file is written when the file is empty.
package enum AppendContent: Equatable, Sendable {
  /// Columns as they are called; cells as they stand in the file, quoted where need be.
  case csv(columns: [String], cells: [String])
  /// Whole bytes, the line end included.
  case bytes([UInt8])
}

/// An unhandled failure with its place.
package struct FailureReport: Equatable, Sendable {
  package var failure: Failure
  /// Of the statement, in the program's text.
  package var range: SourceRange
  package var device: String?
  /// How often it was tried, when more than once.
  package var attempts: Int
  /// Whether the run ends because of it.
  package var ends: Bool

  package init(failure: Failure, range: SourceRange, device: String?, attempts: Int, ends: Bool) {
    self.failure = failure
    self.range = range
    self.device = device
    self.attempts = attempts
    self.ends = ends
  }
}

/// One line of progress: `connecting to Polar H10`, `discovering`, `connected`.
package struct ProgressReport: Equatable, Sendable {
  package enum Kind: String, Sendable {
    case scanning, connecting, connected, ready, disconnected, waiting
  }

  package var kind: Kind
  package var device: String?
  package var text: String

  package init(_ kind: Kind, device: String?, text: String) {
    self.kind = kind
    self.device = device
    self.text = text
  }
}
