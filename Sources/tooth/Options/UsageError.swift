/// An invalid command line.
struct UsageError: Error, Equatable {
  var message: String
  var hint: String?
  var exitCode: Int32 = 2

  init(_ message: String, hint: String? = nil, exitCode: Int32 = 2) {
    self.message = message
    self.hint = hint
    self.exitCode = exitCode
  }
}
