package import Vocabulary

/// What the host tells its clients: facts, in the past tense.
package enum HostEvent: Equatable, Sendable {
  // MARK: Adapter
  /// The controller is initialised; nothing can be asked before.
  case adapterReady(AdapterInfo)
  /// The adapter is in trouble and is being recovered: links are told as disconnected after this,
  /// and everything that is wished for goes on with the next `adapterReady`. Comes once, however
  /// long that takes, and once more when the connection to it ends as well
  /// (`Failure.endsConnection`).
  case adapterAway(Failure)
  /// The controller is gone or does not answer, and is given up. Links are told as disconnected
  /// before.
  case adapterLost(Failure)

  // MARK: Outcomes
  case completed(OperationID, Result<Outcome, Failure>)

  // MARK: Scanning
  case advertisementReceived(OperationID, Advertisement)
  /// So many advertisements for this scan could not be kept: counted, never silent.
  case advertisementsMissed(OperationID, Int)

  // MARK: Links, as the central
  /// A packet of the peer was heard and the MTU is exchanged.
  case connected(OperationID, Address, LinkInfo)
  case disconnected(Address, DisconnectReason)
  /// What is known of the peer's attributes changed: to be kept. Comes before the outcome that it
  /// led to.
  case knowledgeChanged(Address, GattKnowledge)
  /// What was known was wrong and is thrown away, with the reason for the log.
  case knowledgeDropped(Address, String)
  case notificationReceived(Address, AttributeReference, [UInt8], SubscriptionKind)
  /// So many values could not be kept: counted, never silent.
  case gap(Address, Int)
  case linkChanged(Address, LinkInfo)
  /// The device that was known by the first address has this identity, which is its name from now
  /// on.
  case identified(Address, Address)

  // MARK: The server and its centrals
  case centralConnected(Address, LinkInfo)
  case centralDisconnected(Address, DisconnectReason)
  case readRequested(ServerRequestID, ServerAttributeID, Address)
  case writeRequested(ServerRequestID, ServerAttributeID, Address, [UInt8], withResponse: Bool)
  /// A central wrote a value that no owner was asked about: it is stored.
  case valueWritten(ServerAttributeID, Address, [UInt8])
  /// The owner was away for too long: the request was refused, and no answer to it is awaited.
  case requestExpired(ServerRequestID)
  case subscribed(ServerAttributeID, Address, SubscriptionKind)
  case unsubscribed(ServerAttributeID, Address)

  // MARK: Pairing
  /// A person, or a handler, is asked for a code or for consent; what only shows a code wants no
  /// answer.
  case pairingAsked(PairingQuestionID, Address, PairingQuestion)
  /// No answer to this question is awaited any more.
  case pairingWithdrawn(PairingQuestionID)

  // MARK: For the log
  case noted(LogLevel, String)
}
