import Exchange
import Vocabulary

/// A client wants a link. It stays until the link is ready, the attempt failed, or it is withdrawn.
struct ConnectWish: Equatable, Sendable {
  var owner: OwnerID
  var id: OperationID
  var request: ConnectRequest
  /// Only a direct attempt ends by itself.
  var deadline: Moment?

  var peer: Address { request.peer }
}
