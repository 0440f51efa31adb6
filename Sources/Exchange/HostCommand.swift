package import Vocabulary

/// What a client requests of the host. Each command ends in one `completed` event unless its
/// comment says otherwise.
package enum HostCommand: Equatable, Sendable {
  // MARK: Scanning
  /// Scans until cancelled; `advertisementReceived` events carry the number of the operation. Ends
  /// in `completed` only if it fails.
  case scan(ScanRequest)

  // MARK: Links
  /// Makes a link and exchanges the MTU. Ends in `connected` or a failed `completed`; at once if
  /// the peer is connected.
  case connect(ConnectRequest)
  /// Closes the link. Completed when the link is gone, also if there was none.
  case disconnect(Address)

  // MARK: GATT client. One operation at a time per link; others wait in order.
  case gatt(Address, GattRequest)

  /// Withdraws a scan, a connection attempt or a GATT operation. A request that was sent stays
  /// outstanding and its answer is dropped; its `completed` carries `Failure.Kind.cancelled` and
  /// how far it got. `cancel` itself is never `completed`.
  case cancel(OperationID)

  /// Acknowledges all events up to this one as committed, which confirms the indications among
  /// them. Never `completed`.
  case acknowledge(EventNumber)

  // MARK: GATT server
  /// Replaces our server's attribute table. The host adds the GAP and GATT services if the table
  /// lacks them.
  case publish(ServerTable)
  /// Advertises until stopped and replaces earlier advertising. Resumes after each link if links
  /// are free.
  case advertise(AdvertisingPlan)
  case stopAdvertising
  /// Stores a value without sending it.
  case update(attribute: ServerAttributeID, value: [UInt8])
  /// Stores the value and sends it to one or to all subscribers. Completed when it is queued
  /// (notify) or confirmed by all (indicate).
  case publishValue(attribute: ServerAttributeID, value: [UInt8], kind: SubscriptionKind, to: Address?)
  /// Answers a `readRequested` or `writeRequested`. Completed once accepted, even if the request
  /// has expired.
  case answer(ServerRequestID, ServerAnswer)

  // MARK: Pairing
  /// Answers a `pairingAsked`. Completed once accepted, even if the question was withdrawn.
  case answerPairing(PairingQuestionID, PairingAnswer)
  /// Removes the bond, if there is one, and closes a link that it encrypts.
  case forgetBond(Address)
  /// Creates out-of-band data with which a device can authenticate us in one pairing. Ends in
  /// `outOfBand`. Returns existing data that is unused.
  case offerOutOfBand
}
