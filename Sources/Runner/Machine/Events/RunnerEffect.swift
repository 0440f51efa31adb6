package import Exchange

/// What a run asks for. Performed in order after the commit of the same turn.
package enum RunnerEffect: Equatable, Sendable {
  case request(HostRequest)
  /// To a keeper, by a run that has come back and has asked anew for what it goes on with: its
  /// scans and connections up to this number are withdrawn, but for these.
  case resumed(upTo: OperationID, except: [OperationID])
  /// To stdout; answered by `outputWritten`.
  case print(EffectID, PrintedLine)
  /// To stderr; answered by `outputWritten`.
  case log(EffectID, LogLevel, String)
  /// Exactly once: its intent is in the commit of this turn. Answered by `fileWritten`.
  case append(EffectID, path: String, AppendContent)
  /// Atomic replace. Answered by `fileWritten`.
  case save(EffectID, path: String, [UInt8])
  /// What is given away out of band, for the file of `--give-oob`. It is in no checkpoint.
  case offerMade([UInt8])
  /// The bytes of a file, at most so many. It changes nothing; answered by `fileRead`.
  case readFile(EffectID, path: String, limit: Int)
  /// Of a test. Answered by `fileWritten`.
  case order(EffectID, TestOrder)
  /// A question for the person at the terminal; answered by `answered`.
  case ask(EffectID, question: String, isSecret: Bool)
  /// Starts a program; answered by `commandEnded`.
  case run(EffectID, CommandOrder)
  /// Nobody waits for the answer to this effect any more.
  case withdrawn(EffectID)
  /// `progress a of b`, as it is shown, and how large a part that is (0 to 1).
  case metered(done: String, total: String, part: Double)
  /// A failure that nobody handled, for the person who watches; the run may live on.
  case failed(FailureReport)
  /// Links came, went, or are being made: progress and JSON events.
  case progressed(ProgressReport)
  /// The run is over and all links are closed. Nothing follows.
  case finished(ExitStatus)
}
