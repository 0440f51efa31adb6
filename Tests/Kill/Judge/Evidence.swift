/// All that the judge may look at: the air's log, the files, and what each life of the process wrote.
struct Evidence {
  struct Life {
    var output: String
    var errors: String = ""
  }

  var log: [String]
  var lives: [Life]
  var files: [String: String] = [:]
  var exitCode: Int32
  /// When the run was told to end, in the air's time: what comes after it may be left out.
  var stoppedAt: Int64?
}
