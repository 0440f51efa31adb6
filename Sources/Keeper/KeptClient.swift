import Exchange
import Vocabulary

/// One client of a keeper, connected or away.
struct KeptClient: Equatable, Sendable {
  let owner: OwnerID
  let identity: [UInt8]
  /// What this acquaintance is called.
  let session: UInt64
  var name: String
  var credentials: Credentials
  var isEphemeral: Bool
  var connection: ConnectionID?
  /// Until when what it left is held.
  var heldUntil: Moment?
  var queue: ReportQueue
  /// Requests that were performed, or are, and whose outcome is not acknowledged: when they come
  /// again, they are not performed again.
  var requests: [OperationID] = []

  /// Whether this is the same run as that of another identity. A run that is killed before it has
  /// committed whom it met begins again under another name; nothing comes back for this one.
  func isForerunner(of other: [UInt8], _ user: UInt32) -> Bool {
    identity != other && credentials.user == user && !isEphemeral
      && identity.suffix(KeeperLimits.runPart) == other.suffix(KeeperLimits.runPart)
  }
}

extension KeptClient: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(
      owner: try reader.next(), identity: try reader.next(), session: try reader.next(), name: try reader.next(),
      credentials: try reader.next(), isEphemeral: try reader.next(), connection: try reader.next(), heldUntil: try reader.next(),
      queue: try reader.next(), requests: try reader.next())
  }

  func write(to writer: inout ByteWriter) {
    writer.put(
      all: owner, identity, session, name, credentials, isEphemeral, connection, heldUntil, queue, requests)
  }
}
