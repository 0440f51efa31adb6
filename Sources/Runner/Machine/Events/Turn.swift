/// The result of a turn: the shell makes the commit, then performs the effects in order.
package struct Turn: Equatable, Sendable {
  package var commit = Commit()
  package var effects: [RunnerEffect] = []
  /// Whether another turn must follow at once, without a new event.
  package var hasMore = false
  /// Whether it computed as long as a turn may, so that the clock must be read before the next one.
  package var isLong = false
  /// Whether a later turn commits its changes. Until then there are no effects.
  package var isUncommitted = false

  package init() {}
}
