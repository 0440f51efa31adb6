/// One command of the command line.
struct Command: Sendable {
  var name: String
  /// What stands behind the name: `FILE.ble [--INPUT VALUE …]`.
  var arguments: String
  var summary: String
  /// Paragraphs for `tooth help NAME` and the man page.
  var details: [String] = []
  /// Names of its options, in the order of the help.
  var options: [String] = []
  /// Second words: `runs show`.
  var verbs: [String] = []
  /// It takes recipe files, for completions.
  var takesRecipes = false
}
