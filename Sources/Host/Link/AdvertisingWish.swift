import Exchange
import Packets
import Vocabulary

/// A client wants to be seen. It stays until stopped or replaced.
struct AdvertisingWish: Equatable, Sendable {
  var owner: OwnerID
  var id: OperationID
  var plan: AdvertisingPlan
  var payload: AdvertisingPayload  // unsaved: follows from the plan
  /// Which wish this is: what is on the air is compared with it.
  var version: Int
  var isCompleted = false
}

extension AdvertisingPlan {
  /// How it is laid out in an advertisement and its scan response.
  var payload: AdvertisingPayload {
    AdvertisingPayload(
      services: services, solicited: solicited, manufacturer: manufacturer.map { .init(company: $0.company, data: $0.data) },
      serviceData: serviceData.map { .init(service: $0.service, data: $0.data) }, appearance: appearance, txPower: txPower,
      name: name)
  }
}
