package import Exchange
import Vocabulary

/// An input of a run, named in the past tense.
package enum RunnerEvent: Equatable, Sendable {
  case host(HostReport)
  /// An append or save succeeded or failed (disk full, no such folder, …).
  case fileWritten(EffectID, Failure?)
  /// A file was read, or reading failed.
  case fileRead(EffectID, Result<[UInt8], Failure>)
  /// A line of stdin; `nil` at its end. Sent only while the machine wants lines.
  case lineRead(String?)
  /// The answer from the terminal, or a `user` failure.
  case answered(EffectID, Result<String, Failure>)
  /// A program ended, or failed with `command` because it could not be started.
  case commandEnded(EffectID, Result<CommandResult, Failure>)
  /// The line is on stdout or stderr, so it need not be repeated.
  case outputWritten(EffectID)
  /// A request to end the run: `on stop` runs, links are closed, then `finished` follows.
  case stopRequested(StopReason)
  /// A request to end this process because another replaces it at once: `on stop` runs, links stay
  /// up, then `finished` follows.
  case replacementRequested
  /// A field of a run or peripheral of this test has a new value; in `subjectGrew`, a list has a
  /// new element.
  case subjectChanged(Int, name: String, Value)
  case subjectGrew(Int, name: String, Value)
}
