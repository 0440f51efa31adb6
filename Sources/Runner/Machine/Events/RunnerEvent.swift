package import Exchange
import Vocabulary

/// What a run is told: facts, in the past tense.
package enum RunnerEvent: Equatable, Sendable {
  case host(HostReport)
  /// An append or save was performed, or failed (disk full, no such folder, …).
  case fileWritten(EffectID, Failure?)
  /// A file was read, or could not be.
  case fileRead(EffectID, Result<[UInt8], Failure>)
  /// A line of stdin, or (nothing) its end. Only told while the machine wants lines.
  case lineRead(String?)
  /// What the person at the terminal answered; a failure `user` without one.
  case answered(EffectID, Result<String, Failure>)
  /// A program has ended, or could not be started: a failure `command`.
  case commandEnded(EffectID, Result<CommandResult, Failure>)
  /// The line is on stdout or stderr: it need not be repeated.
  case outputWritten(EffectID)
  /// Somebody wants the run to end: `on stop` runs, links are closed, then `finished` comes.
  case stopRequested(StopReason)
  /// This process is to end because another one takes its place at once: `on stop` runs, links are
  /// left where they are, then `finished` comes.
  case replacementRequested
  /// Something of a run or a peripheral of this test has another value, or a list of it one more
  /// element.
  case subjectChanged(Int, name: String, Value)
  case subjectGrew(Int, name: String, Value)
}
