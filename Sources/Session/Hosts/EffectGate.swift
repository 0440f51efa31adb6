/// Numbers all effects of a process. A watcher may leave an effect out or end the process.
package final class EffectGate {
  private let hook: EffectHook?
  /// The number of effects so far.
  package private(set) var count = 0
  /// Whether the process is dead, so that it does nothing more.
  package private(set) var isKilled = false

  package init(_ hook: EffectHook? = nil) { self.hook = hook }

  package func perform(_ kind: @autoclosure () -> EffectKind, _ action: () -> Void) {
    guard !isKilled else { return }
    count += 1
    guard let hook else {
      action()
      return
    }
    let (kind, number) = (kind(), count)
    switch hook(EffectPoint(number: number, side: .before, kind: kind)) {
    case .kill:
      isKilled = true
      return
    case .leaveOut: return
    case .goOn: action()
    }
    if hook(EffectPoint(number: number, side: .after, kind: kind)) == .kill { isKilled = true }
  }
}
