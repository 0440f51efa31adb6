import Exchange
import Packets
import Vocabulary

/// A client's request to advertise. It stays until it is stopped or replaced.
struct RequestedAdvertising: Equatable, Sendable {
  var owner: OwnerID
  var id: OperationID
  var plan: AdvertisingPlan
  var payload: AdvertisingPayload  // unsaved: follows from the plan
  /// The number of the request, which is compared with what is on the air.
  var version: Int
  var isCompleted = false
}

extension AdvertisingPlan {
  /// The plan as the data of an advertisement and its scan response.
  var payload: AdvertisingPayload {
    AdvertisingPayload(
      services: services, solicited: solicited, manufacturer: manufacturer.map { .init(company: $0.company, data: $0.data) },
      serviceData: serviceData.map { .init(service: $0.service, data: $0.data) }, appearance: appearance, txPower: txPower,
      name: name)
  }
}
