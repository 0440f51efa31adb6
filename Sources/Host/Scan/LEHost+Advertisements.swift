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
    let (advertisement, isNew, sighted, named) = (heard.advertisement, heard.isNew, heard.sighted, heard.named)
    // As a span, because a scan and its filter are expensive to copy.
    let requested = arbiter.scans
    let scans = requested.span
    for index in scans.indices where scans[index].accepts(address) {
      if !scans[index].request.filter.isEmpty {
        let serial = arbiter.serial(ofScanAt: index)
        let isKnown = sighted >= serial && (name == nil || named >= serial)
        if isKnown || !scans[index].request.reportsOthers, !scans[index].request.filter.admits(advertisement, name: name) {
          continue
        }
      }
      // Scan responses follow every advertisement and usually bring no news.
      if isResponse, !isNew, !scans[index].request.reportsOthers { continue }
      let (owner, id) = (scans[index].owner, scans[index].id)
      if scans[index].request.duty.reportsEachPacket
        || devices.shouldReport(owner, id, of: address, isNew: isNew, at: now.moment)
      {
        report(owner, .advertisementReceived(id, advertisement))
      }
    }
  }

  // MARK: Scans

  /// Whether this scan is running.
  package func listens(_ owner: OwnerID, _ id: OperationID) -> Bool { arbiter.isScanning(owner, id) }
}
