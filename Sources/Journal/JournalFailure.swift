/// Why a checkpoint cannot be stored or read.
package struct JournalFailure: Error, Equatable, Sendable, CustomStringConvertible {
  package enum Kind: Equatable, Sendable {
    /// Another process runs it, with its process id if known.
    case locked(pid: Int32?)
    /// The state directory cannot be created or written.
    case unwritable
    case diskFull
    /// The file is damaged or not a database.
    case unreadable
    /// A newer version of tooth wrote it.
    case newer
    /// The run or the checkpoint does not exist.
    case missing
    /// The command line names something that is unknown or ambiguous.
    case unknown
    /// The recipe or an input file differs from the one of the checkpoint.
    case changed
    /// Its files were removed, replaced or truncated during the run.
    case displaced
  }

  /// Whether the state is intact, but cannot be written now.
  package var isOfTheDisk: Bool { kind == .diskFull || kind == .unwritable }

  package var kind: Kind
  package var message: String
  package var hint: String?

  package init(_ kind: Kind, _ message: String, hint: String? = nil) {
    self.kind = kind
    self.message = message
    self.hint = hint
  }

  /// An unknown name is an error of the command line.
  package var exitCode: Int32 { kind == .unknown ? 2 : 11 }

  package var description: String { hint.map { "\(message)\n  = fix: \($0)" } ?? message }
}
