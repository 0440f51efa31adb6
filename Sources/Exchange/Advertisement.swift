package import Vocabulary

/// One received advertisement, with its scan response if there was one (Core Specification
/// Supplement, Part A).
package struct Advertisement: Equatable, Sendable {
  package struct Manufacturer: Equatable, Sendable {
    package var company: UInt16
    package var data: [UInt8]

    package init(company: UInt16, data: [UInt8]) {
      self.company = company
      self.data = data
    }
  }

  package struct ServiceData: Equatable, Sendable {
    package var service: UUID
    package var data: [UInt8]

    package init(service: UUID, data: [UInt8]) {
      self.service = service
      self.data = data
    }
  }

  package var address: Address
  /// In dBm, -127 to 20; `nil` if the controller did not know it.
  package var rssi: Int?
  package var name: String?
  package var services: [UUID]
  /// The services that the device looks for in others (service solicitation).
  package var solicited: [UUID]
  package var manufacturer: [Manufacturer]
  package var serviceData: [ServiceData]
  package var txPower: Int?
  package var appearance: UInt16?
  package var connectable: Bool

  package init(
    address: Address, rssi: Int? = nil, name: String? = nil, services: [UUID] = [], solicited: [UUID] = [],
    manufacturer: [Manufacturer] = [], serviceData: [ServiceData] = [], txPower: Int? = nil, appearance: UInt16? = nil,
    connectable: Bool = true
  ) {
    self.address = address
    self.rssi = rssi
    self.name = name
    self.services = services
    self.solicited = solicited
    self.manufacturer = manufacturer
    self.serviceData = serviceData
    self.txPower = txPower
    self.appearance = appearance
    self.connectable = connectable
  }
}
