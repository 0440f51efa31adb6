import Exchange

/// One `print`: the values for JSON and CSV output, the text for people.
package struct PrintedLine: Equatable, Sendable {
  package var values: [Value]
  /// What `ending` says; a line end by default.
  package var ending: String
  package var device: String?
  /// The line of the statement, from 1.
  package var line: Int
  /// The included file that it stands in; nothing for the recipe itself.
  package var file: String?
  /// What it is when a prompt shows it, and no statement prints it.
  package var prompt: PromptOutput?

  package init(
    values: [Value], ending: String = "\n", device: String? = nil, line: Int, file: String? = nil, prompt: PromptOutput? = nil
  ) {
    self.values = values
    self.ending = ending
    self.device = device
    self.line = line
    self.file = file
    self.prompt = prompt
  }
}
