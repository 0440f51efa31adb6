import Exchange
import Vocabulary

/// A client's request for a link. It stays until the link is ready, it fails, or it is withdrawn.
struct RequestedConnection: Equatable, Sendable {
  var owner: OwnerID
  var id: OperationID
  var request: ConnectRequest
  /// `nil` for a pending connection, which has no time limit.
  var deadline: Moment?

  var peer: Address { request.peer }
}
