import Exchange
import Packets
import Vocabulary

/// The advertising data of devices, merged from advertisement and scan response, and their last
/// RSSI. It is bounded and drops the oldest (rule 24), because rotating private addresses never
/// end.
struct DeviceCache: Equatable, Sendable {
  struct Device: Equatable, Sendable {
    var heard: [UInt8] = []
    var response: [UInt8] = []
    var advertisement: Advertisement
    /// When each gentle scan last got a report of the device.
    var reported: [Reported] = []
    /// The number of the newest scan when the device was last received, and when it last had a
    /// name. Older scans know of it, whatever they look for.
    var sighted: UInt64 = 0
    var named: UInt64 = 0
  }

  struct Reported: Equatable, Sendable {
    var owner: OwnerID
    var operation: OperationID
    var at: Moment
  }

  fileprivate struct Gathering: Equatable, Sendable {
    var address: Address?
    var setIdentifier: UInt8
    var isResponse: Bool
    var data: [UInt8]
  }

  private var devices: [Address: Device] = [:]
  /// The order in which devices were first received; a ring once it is full.
  private var order: [Address] = []
  private var oldest = 0
  private var gatherings: [Gathering] = []
  private let limit: Int

  init(limit: Int = HostLimits.devices) { self.limit = max(1, limit) }

  var count: Int { devices.count }

  func lastRSSI(_ address: Address) -> Int? { devices[address]?.advertisement.rssi }

  func name(of address: Address) -> String? { devices[address]?.advertisement.name }

  /// The data of a device after a report, and which scans already knew of it and of its name.
  struct Heard {
    var advertisement: Advertisement
    var isNew = true
    var sighted: UInt64 = 0
    var named: UInt64 = 0
  }

  /// Adds a report.
  /// - Parameter newest: The newest scan that gets reports of devices it does not match; `nil` if
  ///   there is none.
  mutating func heard(
    _ address: Address, data: [UInt8], isResponse: Bool, connectable: Bool?, rssi: Int8, newest: UInt64? = nil
  ) -> Heard {
    // 127: the controller does not know (Vol 4, Part E, 7.7.65.2).
    let rssi = rssi == 127 ? nil : Int(rssi)
    if devices.index(forKey: address) == nil { admit(address) }
    guard let index = devices.index(forKey: address) else {
      return Heard(advertisement: Advertisement(address: address, rssi: rssi))
    }
    // In place, because a device is expensive to copy.
    return devices.values[index].hear(data, isResponse: isResponse, connectable: connectable, rssi: rssi, newest: newest)
  }

  private mutating func admit(_ address: Address) {
    if order.count < limit {
      order.append(address)
    } else {
      devices[order[oldest]] = nil
      order[oldest] = address
      oldest = oldest + 1 == limit ? 0 : oldest + 1
    }
    devices[address] = Device(advertisement: Advertisement(address: address))
  }

  /// Whether to report to a gentle scan: news at once, other data at intervals.
  mutating func shouldReport(_ owner: OwnerID, _ operation: OperationID, of address: Address, isNew: Bool, at now: Moment) -> Bool {
    guard let index = devices.index(forKey: address) else { return true }
    if let place = devices.values[index].reported.firstIndex(where: { $0.owner == owner && $0.operation == operation }) {
      guard isNew || now - devices.values[index].reported[place].at >= HostLimits.coalescing else { return false }
      devices.values[index].reported[place].at = now
    } else {
      // A few scans at a time; the oldest entry makes room.
      if devices.values[index].reported.count >= 8 { devices.values[index].reported.removeFirst() }
      devices.values[index].reported.append(Reported(owner: owner, operation: operation, at: now))
    }
    return true
  }

  /// Adds a fragment of an extended advertisement. Returns the data once it is complete (Vol 4,
  /// Part E, 7.7.65.13).
  mutating func gather(_ report: ExtendedAdvertisingReport) -> [UInt8]? {
    let place = gatherings.firstIndex {
      $0.address == report.address && $0.setIdentifier == report.setIdentifier && $0.isResponse == report.isScanResponse
    }
    if report.isIncomplete {
      if let place {
        guard gatherings[place].data.count + report.data.count <= HostLimits.advertisementOctets else {
          gatherings.remove(at: place)
          return nil
        }
        gatherings[place].data.append(contentsOf: report.data)
      } else {
        if gatherings.count >= HostLimits.gatherings { gatherings.removeFirst() }
        gatherings.append(
          Gathering(
            address: report.address, setIdentifier: report.setIdentifier, isResponse: report.isScanResponse, data: report.data))
      }
      return nil
    }
    guard let place else { return report.data }
    let whole = gatherings.remove(at: place).data + report.data
    return whole.count <= HostLimits.advertisementOctets ? whole : nil
  }
}

extension DeviceCache.Device {
  /// See `DeviceCache.heard`.
  fileprivate mutating func hear(
    _ data: [UInt8], isResponse: Bool, connectable: Bool?, rssi: Int?, newest: UInt64?
  ) -> DeviceCache.Heard {
    var isNew = false
    if isResponse {
      if response != data {
        response = data
        isNew = true
      }
    } else if heard != data {
      heard = data
      isNew = true
    }
    if isNew { merge() }
    if let connectable, advertisement.connectable != connectable {
      advertisement.connectable = connectable
      isNew = true
    }
    advertisement.rssi = rssi
    let before = DeviceCache.Heard(advertisement: advertisement, isNew: isNew, sighted: sighted, named: named)
    if let newest {
      sighted = newest
      if advertisement.name != nil { named = newest }
    }
    return before
  }

  private mutating func merge() {
    let data = AdvertisingData(
      structures: AdvertisingData(tolerating: heard).structures + AdvertisingData(tolerating: response).structures)
    advertisement.name = data.name
    advertisement.services = data.services
    advertisement.solicited = data.solicited
    advertisement.manufacturer = data.manufacturer.map { .init(company: $0.company, data: $0.data) }
    advertisement.serviceData = data.serviceData.map { .init(service: $0.service, data: $0.data) }
    advertisement.txPower = data.txPower
    advertisement.appearance = data.appearance
  }
}

extension DeviceCache.Reported: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(owner: try reader.next(), operation: try reader.next(), at: try reader.next())
  }

  func write(to writer: inout ByteWriter) { writer.put(all: owner, operation, at) }
}

extension DeviceCache.Device: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(
      heard: try reader.next(), response: try reader.next(), advertisement: try reader.next(), reported: try reader.next(),
      sighted: try reader.nextCounter("number of a scan"), named: try reader.nextCounter("number of a scan"))
  }

  func write(to writer: inout ByteWriter) { writer.put(all: heard, response, advertisement, reported, sighted, named) }
}

extension DeviceCache.Gathering: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(
      address: try reader.next(), setIdentifier: try reader.next(), isResponse: try reader.next(), data: try reader.next())
  }

  func write(to writer: inout ByteWriter) { writer.put(all: address, setIdentifier, isResponse, data) }
}

extension DeviceCache: Portable {
  /// Devices are stored in the order in which they were first received, because a dictionary has no
  /// order.
  init(reading reader: inout RawSpan) throws(DecodeError) {
    limit = try reader.next(1...1 << 32, "number of devices")
    order = try reader.next()
    oldest = try reader.next(0...max(0, order.count - 1), "oldest device")
    let known = try reader.next([Device].self)
    guard order.count <= limit, known.count == order.count else { throw .invalid("devices", UInt64(known.count)) }
    for (address, device) in zip(order, known) where devices.updateValue(device, forKey: address) != nil {
      throw .invalid("device that is defined twice", address.bits)
    }
    gatherings = try reader.next()
  }

  func write(to writer: inout ByteWriter) {
    writer.put(all: limit, order, oldest, order.compactMap { devices[$0] }, gatherings)
  }
}
