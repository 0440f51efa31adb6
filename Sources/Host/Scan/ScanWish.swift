import Exchange
import Vocabulary

/// A client listens. Wishes are merged into one way of scanning.
struct ScanWish: Equatable, Sendable {
  var owner: OwnerID
  var id: OperationID
  var request: ScanRequest
  /// When it began among all scans, or was last to begin anew: devices that were heard since then,
  /// it was told of.
  var serial: UInt64

  func wants(_ address: Address) -> Bool { request.addresses.isEmpty || request.addresses.contains(address.bits) }
}
