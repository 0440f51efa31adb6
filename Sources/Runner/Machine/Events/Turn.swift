/// What one turn of a run asks of its shell: commit first, then perform the effects in order.
package struct Turn: Equatable, Sendable {
  package var commit = Commit()
  package var effects: [RunnerEffect] = []
  /// There is more to do at once, without a new event.
  package var hasMore = false
  /// It computed as long as a turn may: the clock is looked at before the next one.
  package var isLong = false
  /// What it changed is in the commit of a later turn. Until then nothing leaves.
  package var isUncommitted = false

  package init() {}
}
