/// What the process says at its end.
package struct ExitStatus: Equatable, Sendable {
  package var code: Int32
  package var reason: StopReason

  package init(code: Int32, reason: StopReason) {
    self.code = code
    self.reason = reason
  }
}
