import Exchange
import Packets
import Vocabulary

/// What is heard while scanning.
extension LEHost {
  mutating func advertisementHeard(_ report: AdvertisingReport) {
    let connectable: Bool? = report.kind == .scanResponse ? nil : report.kind.isConnectable
    tell(report.address, report.data, isResponse: report.kind == .scanResponse, connectable, report.rssi)
  }

  mutating func advertisementHeard(_ report: ExtendedAdvertisingReport) {
    // an anonymous advertiser has nothing a recipe could name
    guard let data = devices.gather(report), let address = report.address else { return }
    // the bits of a legacy scan response repeat those of what it answers (Vol 4, Part E, 7.7.65.13, table 7.3)
    tell(address, data, isResponse: report.isScanResponse, report.isScanResponse ? nil : report.isConnectable, report.rssi)
  }

  private mutating func tell(_ address: Address, _ data: [UInt8], isResponse: Bool, _ connectable: Bool?, _ rssi: Int8) {
    if radio.scan?.listed == nil {
      heardAt = now.moment
      ladder.heard()
    }
    let (advertisement, isNew) = devices.heard(address, data: data, isResponse: isResponse, connectable: connectable, rssi: rssi)
    for scan in scans where scan.wants(address) {
      if scan.request.duty == .full || devices.shouldTell(scan.id, of: address, isNew: isNew, at: now.moment) {
        report(scan.owner, .advertisementReceived(scan.id, advertisement))
      }
    }
  }
}
