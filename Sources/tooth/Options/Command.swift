/// A command of the command line.
struct Command: Sendable {
  var name: String
  /// The arguments after the name: `FILE.ble [--INPUT VALUE …]`.
  var arguments: String
  var summary: String
  /// Second words: `show` in `runs show`.
  var verbs: [String]
  /// Whether it takes recipe files, for completion.
  var takesRecipes: Bool
  // Closures, because each start builds the whole table but needs the lists of only one command.
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
