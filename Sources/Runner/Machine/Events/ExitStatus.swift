/// The exit code of the process, and why the run ended.
package struct ExitStatus: Equatable, Sendable {
  package var code: Int32
  package var reason: StopReason

  package init(code: Int32, reason: StopReason) {
    self.code = code
    self.reason = reason
  }
}
