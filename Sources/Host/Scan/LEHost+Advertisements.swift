package import Exchange
import Packets
import Vocabulary

/// Reports of advertisements.
extension LEHost {
  mutating func advertisementHeard(_ report: AdvertisingReport) {
    let connectable: Bool? = report.kind == .scanResponse ? nil : report.kind.isConnectable
    deliver(
      report.address, isIdentity: report.isIdentity, report.data, isResponse: report.kind == .scanResponse, connectable, report.rssi
    )
  }

  mutating func advertisementHeard(_ report: ExtendedAdvertisingReport) {
    // A recipe cannot name an anonymous advertiser.
    guard let data = devices.gather(report), let address = report.address else { return }
    // The bits of a legacy scan response repeat those of its advertisement (Vol 4, Part E,
    // 7.7.65.13, table 7.3).
    let connectable = report.isScanResponse ? nil : report.isConnectable
    deliver(address, isIdentity: report.isIdentity, data, isResponse: report.isScanResponse, connectable, report.rssi)
  }

  mutating func deliver(
    _ heard: Address, isIdentity: Bool = false, _ data: [UInt8], isResponse: Bool, _ connectable: Bool?, _ rssi: Int8
  ) {
    let sighting = Privacy.Sighting(address: heard, data: data, isResponse: isResponse, connectable: connectable, rssi: rssi)
    guard let address = name(of: heard, isIdentity: isIdentity, for: sighting) else { return }
    if arbiter.radio.scan?.listed == nil {
      heardAt = now.moment
      ladder.heard()
    }
    let hasFilters = arbiter.hasFilters
    let heard = devices.heard(
      address, data: data, isResponse: isResponse, connectable: connectable, rssi: rssi,
      newest: hasFilters ? arbiter.newestScan : nil)
    let name = hasFilters ? heard.advertisement.name.map { Array($0.utf8) } : nil
    // By index, because a scan and its filter are expensive to copy.
    for index in arbiter.scans.indices where arbiter.scans[index].accepts(address) {
      let (owner, id) = (arbiter.scans[index].owner, arbiter.scans[index].id)
      if !arbiter.scans[index].request.filter.isEmpty {
        let serial = arbiter.serial(ofScanAt: index)
        let isKnown = heard.sighted >= serial && (name == nil || heard.named >= serial)
        if isKnown || !arbiter.scans[index].request.reportsOthers,
          !arbiter.scans[index].request.filter.admits(heard.advertisement, name: name)
        {
          continue
        }
      }
      // Scan responses follow every advertisement and usually bring no news.
      if isResponse, !heard.isNew, !arbiter.scans[index].request.reportsOthers { continue }
      if arbiter.scans[index].request.duty.reportsEachPacket
        || devices.shouldReport(owner, id, of: address, isNew: heard.isNew, at: now.moment)
      {
        report(owner, .advertisementReceived(id, heard.advertisement))
      }
    }
  }

  // MARK: Scans

  /// Whether this scan is running.
  package func listens(_ owner: OwnerID, _ id: OperationID) -> Bool { arbiter.isScanning(owner, id) }
}
