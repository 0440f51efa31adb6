package import Exchange

/// An effect that a run requests. Performed in order after the commit of the same turn.
package enum RunnerEffect: Equatable, Sendable {
  case request(HostRequest)
  /// Sent to a keeper after a restored run has repeated its requests. The keeper withdraws its
  /// other scans and connections up to this number.
  case resumed(upTo: OperationID, except: [OperationID])
  /// Writes to stdout; answered by `outputWritten`.
  case print(EffectID, PrintedLine)
  /// Writes to stderr; answered by `outputWritten`.
  case log(EffectID, LogLevel, String)
  /// Performed exactly once, because its intent is in this turn's commit. Answered by
  /// `fileWritten`.
  case append(EffectID, path: String, AppendContent)
  /// Replaces a file atomically. Answered by `fileWritten`.
  case save(EffectID, path: String, [UInt8])
  /// Our out-of-band data, for the file of `--give-oob`. It is not in any checkpoint.
  case offerMade([UInt8])
  /// Reads a file, up to `limit` bytes. Has no side effects; answered by `fileRead`.
  case readFile(EffectID, path: String, limit: Int)
  /// An order of a test. Answered by `fileWritten`.
  case order(EffectID, TestOrder)
  /// Asks the person at the terminal; answered by `answered`.
  case ask(EffectID, question: String, isSecret: Bool)
  /// Starts a program; answered by `commandEnded`.
  case run(EffectID, CommandOrder)
  /// The answer to this effect is no longer needed.
  case withdrawn(EffectID)
  /// `progress a of b` as text, and as a fraction from 0 to 1.
  case metered(done: String, total: String, part: Double)
  /// Shows an unhandled failure. The run may continue.
  case failed(FailureReport)
  /// Shows the progress of links, also as JSON events.
  case progressed(ProgressReport)
  /// The run has ended and all links are closed. The last effect of a run.
  case finished(ExitStatus)
}
