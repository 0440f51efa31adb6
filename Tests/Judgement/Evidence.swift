/// Everything that the judge may read: the air's log, the files, and the output of each life of the
/// process.
package struct Evidence {
  package struct Life {
    package var output: String
    package var errors: String

    package init(output: String, errors: String = "") {
      self.output = output
      self.errors = errors
    }
  }

  package var log: [String]
  package var lives: [Life]
  package var files: [String: String] = [:]
  package var exitCode: Int32
  /// When the run was asked to end, in the air's time. Later values may be missing.
  package var stoppedAt: Int64?

  package init(
    log: [String], lives: [Life], files: [String: String] = [:], exitCode: Int32, stoppedAt: Int64? = nil
  ) {
    self.log = log
    self.lives = lives
    self.files = files
    self.exitCode = exitCode
    self.stoppedAt = stoppedAt
  }

  /// The device that accepted the first connection.
  package var firstConnected: String? {
    for (index, text) in log.enumerated() {
      if let line = AirLine(text, number: index + 1), line.kind == "connect_ind" { return line.to }
    }
    return nil
  }
}
