package import Vocabulary

/// What the host reports to its clients.
package enum HostEvent: Equatable, Sendable {
  // MARK: Adapter
  /// The controller is initialised. No command is accepted earlier.
  case adapterReady(AdapterInfo)
  /// The adapter failed and is being recovered. Its links are reported as disconnected after this;
  /// pending requests continue with the next `adapterReady`. Reported once, however long recovery
  /// takes, and again if the connection to the adapter ends (`Failure.endsConnection`).
  case adapterAway(Failure)
  /// Recovery of the controller was given up. Its links were already reported as disconnected.
  case adapterLost(Failure)

  // MARK: Outcomes
  case completed(OperationID, Result<Outcome, Failure>)

  // MARK: Scanning
  case advertisementReceived(OperationID, Advertisement)
  /// The number of advertisements of this scan that were dropped for lack of room.
  case advertisementsMissed(OperationID, Int)

  // MARK: Links, as the central
  /// The peer has sent a packet, and the MTU exchange is over.
  case connected(OperationID, Address, LinkInfo)
  /// The link of a requested connection is up, and its bond is encrypting it. `connected` follows.
  case encrypting(Address)
  case disconnected(Address, DisconnectReason)
  /// The attribute cache of the peer changed and should be stored. Precedes the outcome of the
  /// operation that changed it.
  case attributeCacheChanged(Address, AttributeCache)
  /// The attribute cache was wrong and was dropped, with the reason for the log.
  case attributeCacheDropped(Address, String)
  case notificationReceived(Address, AttributeReference, [UInt8], SubscriptionKind)
  /// The number of values that were dropped for lack of room.
  case gap(Address, Int)
  case linkChanged(Address, LinkInfo)
  /// The device known by the first address has the second as its identity address, and its name
  /// from now on.
  case identified(Address, Address)

  // MARK: The server and its centrals
  case centralConnected(Address, LinkInfo)
  case centralDisconnected(Address, DisconnectReason)
  case readRequested(ServerRequestID, ServerAttributeID, Address)
  case writeRequested(ServerRequestID, ServerAttributeID, Address, [UInt8], withResponse: Bool)
  /// A central wrote a value that no owner needs to approve; it is stored.
  case valueWritten(ServerAttributeID, Address, [UInt8])
  /// The owner did not answer in time, so the request was refused. Answers to it are ignored.
  case requestExpired(ServerRequestID)
  case subscribed(ServerAttributeID, Address, SubscriptionKind)
  case unsubscribed(ServerAttributeID, Address)

  // MARK: Pairing
  /// A user or a handler must give a code or consent. A question that only shows a code needs no
  /// answer.
  case pairingAsked(PairingQuestionID, Address, PairingQuestion)
  /// Answers to this question are ignored from now on.
  case pairingWithdrawn(PairingQuestionID)

  // MARK: For the log
  case noted(LogLevel, String)
}
