import Exchange
import Vocabulary

/// A client's scan. All scans are combined into one mode.
struct RequestedScan: Equatable, Sendable {
  var owner: OwnerID
  var id: OperationID
  var request: ScanRequest
  /// The number of the scan, or of its last restart. It has got reports of all devices that were
  /// received since.
  var serial: UInt64

  func accepts(_ address: Address) -> Bool { request.addresses.isEmpty || request.addresses.contains(address.bits) }
}
