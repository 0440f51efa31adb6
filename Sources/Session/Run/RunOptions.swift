package import Exchange
package import Runner
package import Vocabulary

/// The options of a run besides its recipe.
package struct RunOptions: Sendable {
  package var isStrict = false
  /// The longest time from a commit until it is on disk.
  package var syncWithin: TimeSpan = .seconds(1)
  /// Whether to escape text in CSV that a spreadsheet would read as a formula.
  package var escapesFormulas = false
  /// Whether printed text is a recipe, in which control characters are escaped.
  package var printsRecipe = false
  /// Whether to pair again with a device that has lost its bond.
  package var rebonds = false
  /// The shortest key of a bond, in octets, 7 to 16.
  package var smallestKey: UInt8 = 16
  /// The answers to pairing questions without a user.
  package var codes = PairingCodes()
  /// The folders below which `append` and `save` may write; `nil` for everywhere.
  package var writableFolders: [String]?
  package enum Commands: Equatable, Sendable {
    case started, refused
    /// Programs are not started, as in a test, and each succeeds.
    case imagined
  }

  /// How to handle the programs that the recipe starts.
  package var commands = Commands.started
  /// Whether the recipe may read stdin and ask the user.
  package var hasInput = true
  /// Whether to store only what the recipe remembers.
  package var keepsOnlyRemembered = false
  /// Returns the advice for a failure, in the words of the command that made the recipe.
  package var hint: (@Sendable (Failure) -> String?)?
  /// The folder to which file names are relative.
  package var directory: String

  package init(directory: String) { self.directory = directory }
}
