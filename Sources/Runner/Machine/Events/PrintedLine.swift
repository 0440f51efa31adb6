import Exchange

/// The output of a `print`: values for JSON and CSV, text for people.
package struct PrintedLine: Equatable, Sendable {
  package var values: [Value]
  /// The text of `ending`, by default a line end.
  package var ending: String
  package var device: String?
  /// Line of the statement, from 1.
  package var line: Int
  /// The included file of the statement; `nil` for the recipe itself.
  package var file: String?
  /// What it is if a prompt displays it and no statement prints it.
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
