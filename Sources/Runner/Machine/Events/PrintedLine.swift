import Exchange

/// One `print`: the values for JSON and CSV output, the text for people.
package struct PrintedLine: Equatable, Sendable {
  package var values: [Value]
  /// What `ending` says; a line end by default.
  package var ending: String
  package var device: String?
  package var line: Int

  package init(values: [Value], ending: String = "\n", device: String? = nil, line: Int) {
    self.values = values
    self.ending = ending
    self.device = device
    self.line = line
  }
}
