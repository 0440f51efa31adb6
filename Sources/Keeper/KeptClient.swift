import Exchange
import Vocabulary

/// A client of a keeper, connected or away.
struct KeptClient: Equatable, Sendable {
  let owner: OwnerID
  let identity: [UInt8]
  /// The session number.
  let session: UInt64
  var name: String
  var credentials: Credentials
  var isEphemeral: Bool
  var connection: ConnectionID?
  /// When its hold time ends; `nil` while it is connected.
  var heldUntil: Moment?
  var queue: ReportQueue
  /// Requests whose outcome is not acknowledged yet. They are not performed again if repeated.
  var requests: [OperationID] = []

  /// Whether this is the same run under an older identity. A run that is killed before its first
  /// commit starts again with a new one, so this client does not come back.
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
