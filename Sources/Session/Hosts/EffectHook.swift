package import Exchange

/// What a run does to the world, for whoever watches it one effect at a time.
package enum EffectKind: Equatable, Sendable {
  case commit(synced: Bool)
  /// A packet to the controller, H4 type octet first.
  case packet([UInt8])
  /// To the keeper that hosts the run.
  case request(HostRequest)
  /// To it: what the run has gone on with, or that it ends.
  case resumed
  case goodbye
  case print(String)
  case log(String)
  case append(path: String)
  case save(path: String)
  /// A program is started.
  case command(String)
}

/// An effect is numbered from 1 in each process, and told twice: before it acts, and after it has
/// acted but before the run knows.
package struct EffectPoint: Equatable, Sendable {
  package enum Side: Equatable, Sendable { case before, after }

  package var number: Int
  package var side: Side
  package var kind: EffectKind
}

/// What becomes of the process at that point.
package enum EffectVerdict: Equatable, Sendable {
  case goOn
  /// SIGKILL: nothing more is done, not even for the rest of this effect.
  case kill
  /// The effect is left out and taken as done; for planted defects.
  case leaveOut
}

package typealias EffectHook = (EffectPoint) -> EffectVerdict
