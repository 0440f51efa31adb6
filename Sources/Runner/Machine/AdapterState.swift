import Exchange
import Vocabulary

/// Whether the host has its adapter, and what waits for it.
struct AdapterState: Sendable {
  private(set) var isUp = false
  /// The adapter is being recovered, and because of what.
  private(set) var trouble: Failure?
  /// How long that may take before it is looked whether anybody still wants to wait.
  private(set) var patience: Moment?
  private var held: [RunnerEffect] = []

  /// So many requests wait for the adapter.
  var heldCount: Int { held.count }

  /// The adapter works.
  /// - Returns: the requests that waited for it.
  mutating func ready() -> [RunnerEffect] {
    self.isUp = true
    trouble = nil
    patience = nil
    var requests: [RunnerEffect] = []
    swap(&requests, &held)
    return requests
  }

  /// The adapter of a keeper, in a run that is taken up.
  mutating func resume(isUp: Bool) { self.isUp = isUp }

  mutating func away(_ failure: Failure, until patience: Moment?) {
    trouble = failure
    self.patience = patience
  }

  mutating func lost() { isUp = false }

  /// Waits on, or (nothing) without an end.
  mutating func wait(until patience: Moment?) { self.patience = patience }

  mutating func hold(_ request: RunnerEffect) { held.append(request) }

  mutating func dropHeld() { held.removeAll() }
}
