/// Why a checkpoint cannot be kept or read.
package struct JournalFailure: Error, Equatable, Sendable, CustomStringConvertible {
  package enum Kind: Equatable, Sendable {
    /// Another process runs it; its process id, when that is known.
    case locked(pid: Int32?)
    /// The state directory cannot be made or written.
    case unwritable
    case diskFull
    /// The database is damaged or no database.
    case unreadable
    /// Written by a newer tooth.
    case newer
    /// The run or the checkpoint is not there.
    case missing
    /// The command line names what is not known here, or what may be several things.
    case unknown
    /// The recipe or an input file is not what the checkpoint belongs to.
    case changed
    /// Its files were removed, replaced or cut off while the run went on.
    case displaced
  }

  package var kind: Kind
  package var message: String
  package var hint: String?

  package init(_ kind: Kind, _ message: String, hint: String? = nil) {
    self.kind = kind
    self.message = message
    self.hint = hint
  }

  /// A name that is not known here is a wrong command line.
  package var exitCode: Int32 { kind == .unknown ? 2 : 11 }

  package var description: String { hint.map { "\(message)\n  = fix: \($0)" } ?? message }
}
