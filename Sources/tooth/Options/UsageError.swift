/// A command line that cannot be understood. Exit code 2.
struct UsageError: Error, Equatable {
  var message: String
  var hint: String?

  init(_ message: String, hint: String? = nil) {
    self.message = message
    self.hint = hint
  }
}
