/// Everything that a process does to the world passes here: it is numbered, and a watcher may leave
/// it out or end the process.
package final class EffectGate {
  private let hook: EffectHook?
  /// How many effects there were.
  package private(set) var count = 0
  /// The process is dead: nothing is done any more.
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
