package import Vocabulary

/// One operation of the GATT client. The host discovers only what a path needs.
package enum GattRequest: Equatable, Sendable {
  /// Discovers the services with these UUIDs and all they contain, or everything if the list is
  /// empty. Outcome: `done`.
  case discover([UUID])
  /// Reads a value. A bare name that is not in the cache is read by UUID in one round trip.
  /// Outcome: `value`.
  case read(AttributePath)
  /// Writes a value. The host splits a long one into prepared writes. Outcome: `done`, or a failure
  /// with `delivered`.
  case write(AttributePath, [UInt8])
  /// Writes without a response, paced by the controller's credits. Outcome: `done` once it is sent
  /// to the controller.
  case writeWithoutResponse(AttributePath, [UInt8])
  /// Writes the CCC descriptor: notifications if the characteristic has them, else indications.
  /// Outcome: `subscribed`.
  case subscribe(AttributePath)
  case unsubscribe(AttributePath)
  /// Finds the attribute and confirms its handle, so that a later write is sent without a request
  /// before it. Outcome: `done`.
  case locate(AttributePath)
  /// Wraps a read or a write whose value is a secret, which captures blank out. It wraps nothing
  /// else.
  indirect case hidden(GattRequest)
  /// Reads the link's RSSI. Outcome: `rssi`.
  case readRSSI
  /// Encrypts the link with the existing bond, or pairs if there is none. `renews` pairs even if
  /// there is a bond. Outcome: `paired`.
  case pair(PairRequest, renews: Bool)
  /// Requests a parameter of the link. Outcome: `done` when the controllers have decided.
  case adjust(LinkRequest)
}
