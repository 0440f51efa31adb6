package import Vocabulary

/// Advertising or scan response data: a list of AD structures. Reading never fails, because any
/// device may send anything. It stops at an invalid structure and keeps those before it.
package struct AdvertisingData: Equatable, Sendable {
  package struct Manufacturer: Hashable, Sendable {
    /// The assigned number of the company.
    package var company: UInt16
    package var data: [UInt8]

    package init(company: UInt16, data: [UInt8]) {
      self.company = company
      self.data = data
    }
  }

  package struct ServiceData: Hashable, Sendable {
    package var service: UUID
    package var data: [UInt8]

    package init(service: UUID, data: [UInt8]) {
      self.service = service
      self.data = data
    }
  }

  package var structures: [AdvertisingStructure]
  /// The octets after the last valid structure, unless the data ended early.
  package var unread: [UInt8]

  package init(structures: [AdvertisingStructure] = []) {
    self.structures = structures
    unread = []
  }

  package init(tolerating bytes: [UInt8]) {
    self.init()
    var reader = bytes.span.bytes
    while !reader.isAtEnd {
      let before = reader
      do {
        structures.append(try AdvertisingStructure(reading: &reader))
      } catch {
        reader = before
        if error != .invalid("AD length", 0) { unread = reader.readRest() }
        return
      }
    }
  }

  package var bytes: [UInt8] {
    var writer = ByteWriter()
    for structure in structures { structure.write(to: &writer) }
    return writer.bytes
  }
}

// MARK: Reading

extension AdvertisingData {
  private func all(_ type: UInt8) -> [[UInt8]] { structures.filter { $0.type == type }.map(\.data) }

  /// LE discoverable modes and BR/EDR support (Core Specification Supplement, Part A, 1.3).
  package var flags: UInt8? { all(AdvertisingStructure.flags).first?.first }

  /// The complete name, else a shortened one. Invalid UTF-8 is replaced, because a name is only
  /// displayed.
  package var name: String? {
    let found = all(AdvertisingStructure.completeName).first ?? all(AdvertisingStructure.shortenedName).first
    return found.map { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }

  /// Whether the name is shortened.
  package var nameIsShortened: Bool {
    all(AdvertisingStructure.completeName).isEmpty && !all(AdvertisingStructure.shortenedName).isEmpty
  }

  /// In dBm, -127 to 127.
  package var txPower: Int? { all(AdvertisingStructure.txPower).first?.first.map { Int(Int8(bitPattern: $0)) } }

  package var appearance: UInt16? {
    guard let data = all(AdvertisingStructure.appearance).first, data.count >= 2 else { return nil }
    return UInt16(data[0]) | UInt16(data[1]) << 8
  }

  /// Every service in a list, complete or not, in the order received, without duplicates.
  package var services: [UUID] {
    uuids(
      short: [AdvertisingStructure.someServices16, AdvertisingStructure.allServices16],
      middle: [AdvertisingStructure.someServices32, AdvertisingStructure.allServices32],
      long: [AdvertisingStructure.someServices128, AdvertisingStructure.allServices128])
  }

  package var solicited: [UUID] {
    uuids(
      short: [AdvertisingStructure.solicited16], middle: [AdvertisingStructure.solicited32],
      long: [AdvertisingStructure.solicited128])
  }

  private func uuids(short: [UInt8], middle: [UInt8], long: [UInt8]) -> [UUID] {
    var list: [UUID] = []
    for structure in structures {
      let width = short.contains(structure.type) ? 2 : middle.contains(structure.type) ? 4 : long.contains(structure.type) ? 16 : 0
      guard width > 0 else { continue }
      var reader = structure.data.span.bytes
      // Ignore octets that do not fill a UUID; the ones before them are valid.
      while reader.byteCount >= width {
        guard let uuid = Self.readUUID(&reader, width: width) else { break }
        if !list.contains(uuid) { list.append(uuid) }
      }
    }
    return list
  }

  private static func readUUID(_ reader: inout RawSpan, width: Int) -> UUID? {
    switch width {
    case 2: (try? reader.readUInt16()).map { UUID($0) }
    case 4: (try? reader.readUInt32()).map { UUID(short32: $0) }
    default: try? UUID(littleEndian: &reader)
    }
  }

  package var manufacturer: [Manufacturer] {
    all(AdvertisingStructure.manufacturer).compactMap { data in
      guard data.count >= 2 else { return nil }
      return Manufacturer(company: UInt16(data[0]) | UInt16(data[1]) << 8, data: Array(data.dropFirst(2)))
    }
  }

  package var serviceData: [ServiceData] {
    var list: [ServiceData] = []
    for structure in structures {
      let width: Int
      switch structure.type {
      case AdvertisingStructure.serviceData16: width = 2
      case AdvertisingStructure.serviceData32: width = 4
      case AdvertisingStructure.serviceData128: width = 16
      default: continue
      }
      var reader = structure.data.span.bytes
      guard reader.byteCount >= width, let service = Self.readUUID(&reader, width: width) else { continue }
      list.append(ServiceData(service: service, data: reader.readRest()))
    }
    return list
  }
}
