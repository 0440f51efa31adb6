/// One command of the command line.
struct Command: Sendable {
  var name: String
  /// What stands behind the name: `FILE.ble [--INPUT VALUE …]`.
  var arguments: String
  var summary: String
  /// Second words: `runs show`.
  var verbs: [String]
  /// It takes recipe files, for completions.
  var takesRecipes: Bool
  // Each start makes the whole table and needs the lists of one command: they are made when they
  // are asked for.
  private var makeDetails: @Sendable () -> [String]
  private var makeOptions: @Sendable () -> [String]

  init(
    name: String, arguments: String, summary: String, details: @autoclosure @escaping @Sendable () -> [String] = [],
    options: @autoclosure @escaping @Sendable () -> [String] = [], verbs: [String] = [], takesRecipes: Bool = false
  ) {
    self.name = name
    self.arguments = arguments
    self.summary = summary
    self.verbs = verbs
    self.takesRecipes = takesRecipes
    makeDetails = details
    makeOptions = options
  }

  /// Paragraphs for `tooth help NAME` and the man page.
  var details: [String] { makeDetails() }
  /// Names of its options, in the order of the help.
  var options: [String] { makeOptions() }
}
