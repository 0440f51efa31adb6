package import Exchange

/// The kind of an effect of a run.
package enum EffectKind: Equatable, Sendable {
  case commit(synced: Bool)
  /// A packet to the controller, its H4 type octet first.
  case packet([UInt8])
  /// A request to the keeper that hosts the run.
  case request(HostRequest)
  /// A message to the keeper: what the run has continued, or that it ends.
  case resumed
  case goodbye
  case print(String)
  case log(String)
  case append(path: String)
  case save(path: String)
  /// The start of a program.
  case command(String)
}

/// A point before or after an effect. Effects are numbered from 1 in each process and reported
/// twice: before they act, and after they have acted but before the run knows.
package struct EffectPoint: Equatable, Sendable {
  package enum Side: Equatable, Sendable { case before, after }

  package var number: Int
  package var side: Side
  package var kind: EffectKind
}

/// What happens to the process at a point.
package enum EffectVerdict: Equatable, Sendable {
  case goOn
  /// Ends it like SIGKILL; not even the rest of this effect happens.
  case kill
  /// Skips the effect and treats it as done, for planted defects.
  case leaveOut
}

package typealias EffectHook = (EffectPoint) -> EffectVerdict
