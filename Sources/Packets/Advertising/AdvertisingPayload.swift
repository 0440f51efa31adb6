package import Vocabulary

/// Legacy advertising and scan response data, 31 octets each (Vol 6, Part B, 2.3.1), filled in the
/// order of importance.
///
/// What does not fit into the advertisement goes to the scan response. A name that fits neither is
/// shortened. `leftOut` lists what fits nowhere.
package struct AdvertisingPayload: Equatable, Sendable {
  package static let limit = 31

  package private(set) var advertising = AdvertisingData()
  package private(set) var scanResponse = AdvertisingData()
  /// What did not fit, such as `service 0x180D` or `name`.
  package private(set) var leftOut: [String] = []

  /// Flags are the LE ones: general discoverable, BR/EDR not supported. `nil` omits them
  /// (non-connectable beacons).
  package init(
    flags: UInt8? = 0x06, services: [UUID] = [], solicited: [UUID] = [], manufacturer: [AdvertisingData.Manufacturer] = [],
    serviceData: [AdvertisingData.ServiceData] = [], appearance: UInt16? = nil, txPower: Int? = nil, name: String? = nil
  ) {
    if let flags { place(AdvertisingStructure(AdvertisingStructure.flags, [flags]), "flags") }
    placeList(
      services, short: AdvertisingStructure.allServices16, middle: AdvertisingStructure.allServices32,
      long: AdvertisingStructure.allServices128, "service")
    for entry in manufacturer {
      let company = [UInt8(truncatingIfNeeded: entry.company), UInt8(truncatingIfNeeded: entry.company >> 8)]
      place(AdvertisingStructure(AdvertisingStructure.manufacturer, company + entry.data), "manufacturer data")
    }
    for entry in serviceData {
      let type =
        switch Self.width(entry.service) {
        case 2: AdvertisingStructure.serviceData16
        case 4: AdvertisingStructure.serviceData32
        default: AdvertisingStructure.serviceData128
        }
      place(AdvertisingStructure(type, Self.bytes(entry.service) + entry.data), "service data \(entry.service)")
    }
    placeList(
      solicited, short: AdvertisingStructure.solicited16, middle: AdvertisingStructure.solicited32,
      long: AdvertisingStructure.solicited128, "solicited service")
    if let appearance {
      let value = [UInt8(truncatingIfNeeded: appearance), UInt8(truncatingIfNeeded: appearance >> 8)]
      place(AdvertisingStructure(AdvertisingStructure.appearance, value), "appearance")
    }
    if let txPower {
      place(AdvertisingStructure(AdvertisingStructure.txPower, [UInt8(bitPattern: Int8(clamping: txPower))]), "tx power")
    }
    if let name { place(name: name) }
  }

  private static func room(in data: AdvertisingData) -> Int { limit - data.structures.reduce(0) { $0 + $1.size } }

  private mutating func place(_ structure: AdvertisingStructure, _ what: String) {
    if Self.room(in: advertising) >= structure.size {
      advertising.structures.append(structure)
    } else if Self.room(in: scanResponse) >= structure.size {
      scanResponse.structures.append(structure)
    } else {
      leftOut.append(what)
    }
  }

  /// Adds one structure for each width of UUID. If it does not fit as a whole, adds its UUIDs one
  /// by one.
  private mutating func placeList(_ uuids: [UUID], short: UInt8, middle: UInt8, long: UInt8, _ what: String) {
    for (width, type) in [(2, short), (4, middle), (16, long)] {
      let group = uuids.filter { Self.width($0) == width }
      if group.isEmpty { continue }
      let whole = AdvertisingStructure(type, group.flatMap { Self.bytes($0) })
      if max(Self.room(in: advertising), Self.room(in: scanResponse)) >= whole.size {
        place(whole, what)
      } else {
        for uuid in group { place(AdvertisingStructure(type, Self.bytes(uuid)), "\(what) \(uuid)") }
      }
    }
  }

  private mutating func place(name: String) {
    let whole = AdvertisingStructure(AdvertisingStructure.completeName, Array(name.utf8))
    let room = max(Self.room(in: advertising), Self.room(in: scanResponse))
    if whole.size <= room {
      place(whole, "name")
      return
    }
    // Cut between characters to keep the UTF-8 valid.
    var short: [UInt8] = []
    for character in name {
      guard short.count + character.utf8.count + 2 <= room else { break }
      short.append(contentsOf: character.utf8)
    }
    if short.isEmpty {
      leftOut.append("name")
    } else {
      place(AdvertisingStructure(AdvertisingStructure.shortenedName, short), "name")
    }
  }

  private static func width(_ uuid: UUID) -> Int {
    if uuid.short != nil { return 2 }
    return uuid.low == UUID.baseLow && uuid.high & 0xFFFF_FFFF == UUID.baseHigh ? 4 : 16
  }

  private static func bytes(_ uuid: UUID) -> [UInt8] {
    var writer = ByteWriter()
    switch width(uuid) {
    case 4: writer.put(UInt32(truncatingIfNeeded: uuid.high >> 32))
    default: uuid.writeLittleEndian(to: &writer)
    }
    return writer.bytes
  }
}
