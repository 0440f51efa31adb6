import Exchange
import Vocabulary

/// Whether the host has its adapter, and the requests that wait for it.
struct AdapterState: Sendable {
  private(set) var isUp = false
  /// The failure from which the adapter is being recovered.
  private(set) var trouble: Failure?
  /// When to check whether the run should keep waiting for the adapter.
  private(set) var patience: Moment?
  private var held: [RunnerEffect] = []

  /// The number of requests that wait for the adapter.
  var heldCount: Int { held.count }

  /// Records that the adapter works.
  /// - Returns: the requests that waited for it.
  mutating func ready() -> [RunnerEffect] {
    self.isUp = true
    trouble = nil
    patience = nil
    var requests: [RunnerEffect] = []
    swap(&requests, &held)
    return requests
  }

  /// Sets the state of a keeper's adapter in a restored run.
  mutating func resume(isUp: Bool) { self.isUp = isUp }

  mutating func away(_ failure: Failure, until patience: Moment?) {
    trouble = failure
    self.patience = patience
  }

  mutating func lost() { isUp = false }

  /// Sets the next check; `nil` waits without a limit.
  mutating func wait(until patience: Moment?) { self.patience = patience }

  mutating func hold(_ request: RunnerEffect) { held.append(request) }

  mutating func dropHeld() { held.removeAll() }
}
