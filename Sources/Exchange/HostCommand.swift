package import Vocabulary

/// What a client asks of the host: orders, in the imperative. Each ends in one `completed` event,
/// except where it says otherwise.
package enum HostCommand: Equatable, Sendable {
  // MARK: Scanning
  /// Listens until cancelled; `advertisement` events name the operation. Never `completed`, unless
  /// it fails.
  case scan(ScanRequest)

  // MARK: Links
  /// Makes a link and its one MTU exchange; ends in `connected` or a failed `completed`. A
  /// connected peer answers at once.
  case connect(ConnectRequest)
  /// Closes the link deliberately. Completed when the link is gone, also when there was none.
  case disconnect(Address)

  // MARK: GATT client; one operation at a time goes over a link, the others queue in order
  case gatt(Address, GattRequest)

  /// Withdraws a scan, a connection attempt, or a GATT operation. One that was sent stays
  /// outstanding and its answer is dropped; its `completed` carries `Failure.Kind.cancelled` and
  /// how far it got. Itself it is never `completed`.
  case cancel(OperationID)

  /// Everything up to this event is committed: indications among it are confirmed. Never
  /// `completed`.
  case acknowledge(EventNumber)

  // MARK: GATT server
  /// Replaces what our server offers. GAP and GATT services are added by the host where the table
  /// lacks them.
  case publish(ServerTable)
  /// Advertises until stopped, again after each link while links are free; replaces what was
  /// advertised.
  case advertise(AdvertisingPlan)
  case stopAdvertising
  /// Stores a value without sending it.
  case update(attribute: ServerAttributeID, value: [UInt8])
  /// Stores the value and sends it to every subscriber, or to one. Completed when queued (notify)
  /// or when all have confirmed (indicate).
  case publishValue(attribute: ServerAttributeID, value: [UInt8], kind: SubscriptionKind, to: Address?)
  /// Answers a `readRequested` or `writeRequested`. Completed when it was taken, also when nobody
  /// waits for it any more.
  case answer(ServerRequestID, ServerAnswer)

  // MARK: Pairing
  /// Answers a `pairingAsked`. Completed when it was taken, also when it is not waited for any
  /// more.
  case answerPairing(PairingQuestionID, PairingAnswer)
  /// Removes the bond, also when there is none, and closes a link that it encrypts.
  case forgetBond(Address)
  /// Makes data that whoever gets it otherwise than over the air proves us by, for one pairing;
  /// ends in `outOfBand`. What was made before and is unused is given again.
  case offerOutOfBand
}
