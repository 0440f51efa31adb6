import Exchange
import Vocabulary

/// A client listens. Wishes are merged into one way of scanning.
struct ScanWish: Equatable, Sendable {
  var owner: OwnerID
  var id: OperationID
  var request: ScanRequest

  func wants(_ address: Address) -> Bool { request.addresses.isEmpty || request.addresses.contains(address.bits) }
}
