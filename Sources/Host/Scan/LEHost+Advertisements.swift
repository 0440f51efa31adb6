package import Exchange
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
    // the bits of a legacy scan response repeat those of what it answers (Vol 4, Part E, 7.7.65.13,
    // table 7.3)
    tell(address, data, isResponse: report.isScanResponse, report.isScanResponse ? nil : report.isConnectable, report.rssi)
  }

  private mutating func tell(_ address: Address, _ data: [UInt8], isResponse: Bool, _ connectable: Bool?, _ rssi: Int8) {
    if radio.scan?.listed == nil {
      heardAt = now.moment
      ladder.heard()
    }
    let heard = devices.heard(
      address, data: data, isResponse: isResponse, connectable: connectable, rssi: rssi, newest: hasFilters ? newestScan : nil)
    let name = hasFilters ? heard.advertisement.name.map { Array($0.utf8) } : nil
    // by their places: a scan with its filter is much to copy
    for index in scans.indices where scans[index].wants(address) {
      let (owner, id) = (scans[index].owner, scans[index].id)
      if !scans[index].request.filter.isEmpty {
        let isKnown = heard.sighted >= scans[index].serial && (name == nil || heard.named >= scans[index].serial)
        if isKnown, !scans[index].request.filter.admits(heard.advertisement, name: name) { continue }
      }
      if scans[index].request.duty == .full
        || devices.shouldTell(owner, id, of: address, isNew: heard.isNew, at: now.moment)
      {
        report(owner, .advertisementReceived(id, heard.advertisement))
      }
    }
  }

  // MARK: Who knows of which device

  private var hasFilters: Bool { scans.contains { !$0.request.filter.isEmpty } }

  /// A scan begins, or is asked for once more under its number: then with what it looks for now.
  mutating func scan(_ owner: OwnerID, _ id: OperationID, _ request: ScanRequest) {
    newestScan += 1
    if let index = scans.firstIndex(where: { $0.owner == owner && $0.id == id }) {
      scans[index].request = request
      scans[index].serial = newestScan
    } else {
      scans.append(ScanWish(owner: owner, id: id, request: request, serial: newestScan))
    }
    radio.scanIsRefused = false
    radio.isDirty = true
  }

  /// Each device is told to these scans once more.
  mutating func forgetSightings(of owner: OwnerID) {
    newestScan += 1
    for index in scans.indices where scans[index].owner == owner { scans[index].serial = newestScan }
  }

  /// Whether this scan is under way.
  package func listens(_ owner: OwnerID, _ id: OperationID) -> Bool { scans.contains { $0.owner == owner && $0.id == id } }
}
