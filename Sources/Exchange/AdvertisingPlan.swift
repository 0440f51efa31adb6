package import Vocabulary

/// What to advertise, and how often.
package struct AdvertisingPlan: Equatable, Sendable {
  package var services: [UUID]
  package var name: String?
  package var manufacturer: [Advertisement.Manufacturer]
  package var serviceData: [Advertisement.ServiceData]
  package var solicited: [UUID]
  package var appearance: UInt16?
  package var txPower: Int?
  /// The advertising interval, 20 ms to 10.24 s.
  package var interval: TimeSpan
  package var connectable: Bool
  /// Every scanner receives LE 1M. The other PHYs use extended PDUs and are answered on that PHY:
  /// LE Coded advertises there from the start, LE 2M points to it from LE 1M.
  package var phy: LinkRequest.PHY

  package init(
    services: [UUID], name: String? = nil, manufacturer: [Advertisement.Manufacturer] = [],
    serviceData: [Advertisement.ServiceData] = [], solicited: [UUID] = [], appearance: UInt16? = nil, txPower: Int? = nil,
    interval: TimeSpan = .milliseconds(100), connectable: Bool = true,
    phy: LinkRequest.PHY = .le1M
  ) {
    self.services = services
    self.name = name
    self.manufacturer = manufacturer
    self.serviceData = serviceData
    self.solicited = solicited
    self.appearance = appearance
    self.txPower = txPower
    self.interval = interval
    self.connectable = connectable
    self.phy = phy
  }
}
