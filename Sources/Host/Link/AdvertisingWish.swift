import Exchange
import Packets
import Vocabulary

/// A client wants to be seen. It stays until stopped or replaced.
struct AdvertisingWish: Equatable, Sendable {
  var owner: OwnerID
  var id: OperationID
  var plan: AdvertisingPlan
  var payload: AdvertisingPayload
  /// Which wish this is: what is on the air is compared with it.
  var version: Int
  var isCompleted = false
}
