package import Vocabulary

/// One operation of the GATT client. The host discovers what a path needs and no more.
package enum GattRequest: Equatable, Sendable {
  /// Named services with all that is in them; an empty list means everything. Outcome: `done`.
  case discover([UUID])
  /// Outcome: `value`. A bare name that is not known yet is asked for by UUID in one round trip.
  case read(AttributePath)
  /// Long values are split into prepared writes by the host. Outcome: `done`, or a failure with
  /// `delivered`.
  case write(AttributePath, [UInt8])
  /// Paced by the controller's credits. Outcome: `done` when it was handed over.
  case writeWithoutResponse(AttributePath, [UInt8])
  /// Writes the CCC: notify if the characteristic can, else indicate. Outcome: `subscribed`.
  case subscribe(AttributePath)
  case unsubscribe(AttributePath)
  /// Finds the attribute and proves its handle, so that a write behind it goes out without another
  /// request before it. Outcome: `done`.
  case locate(AttributePath)
  /// A read or a write whose value is a secret: no capture shows it. Nothing else stands in it.
  indirect case hidden(GattRequest)
  /// The link's RSSI. Outcome: `rssi`.
  case readRSSI
  /// Encrypts the link: with the bond that there is, else by pairing, which makes one. `renews`
  /// pairs although there is a bond. Outcome: `paired`.
  case pair(PairRequest, renews: Bool)
  /// Asks for a parameter of the link. Outcome: `done` when the controllers have decided.
  case adjust(LinkRequest)
}
