package import Exchange
package import Runner
package import Vocabulary

/// What a run may be told beside its recipe.
package struct RunOptions: Sendable {
  package var isStrict = false
  /// At most this long from a commit to the disk.
  package var syncWithin: TimeSpan = .seconds(1)
  /// No text in CSV begins like a formula of a spreadsheet.
  package var escapesFormulas = false
  /// A device that has forgotten its bond is paired with anew.
  package var rebonds = false
  /// The shortest key of a bond, in octets, 7 to 16.
  package var smallestKey: UInt8 = 16
  /// What is answered without a person when a pairing asks.
  package var codes = PairingCodes()
  /// `append` and `save` may write below these folders only; nothing means everywhere.
  package var writableFolders: [String]?
  package enum Commands: Equatable, Sendable {
    case started, refused
    /// In a test none is started, and each ends well.
    case imagined
  }

  /// What becomes of the programs that the recipe starts.
  package var commands = Commands.started
  /// The recipe may read stdin, and ask whoever is there.
  package var hasInput = true
  /// Only what the recipe remembers is stored.
  package var keepsOnlyRemembered = false
  /// What to do about a failure, in the words of the command that the recipe stands for.
  package var hint: (@Sendable (Failure) -> String?)?
  /// File names are relative to it.
  package var directory: String

  package init(directory: String) { self.directory = directory }
}
