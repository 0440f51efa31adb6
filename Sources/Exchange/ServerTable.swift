package import Vocabulary

/// An attribute of our server, numbered by the client that published the table.
package struct ServerAttributeID: Hashable, Comparable, Sendable {
  package var raw: Int

  package init(_ raw: Int) { self.raw = raw }

  package static func < (left: ServerAttributeID, right: ServerAttributeID) -> Bool { left.raw < right.raw }
}

/// The attribute table of our GATT server.
package struct ServerTable: Equatable, Sendable {
  package struct Service: Equatable, Sendable {
    package var uuid: UUID
    package var characteristics: [Characteristic]
    /// The indices of included services in `services`.
    package var includes: [Int]
    /// Whether the service is primary. Clients find a secondary service only through an include.
    package var isPrimary: Bool

    package init(uuid: UUID, characteristics: [Characteristic], includes: [Int] = [], isPrimary: Bool = true) {
      self.uuid = uuid
      self.isPrimary = isPrimary
      self.characteristics = characteristics
      self.includes = includes
    }
  }

  package struct Characteristic: Equatable, Sendable {
    package var id: ServerAttributeID
    package var uuid: UUID
    package var properties: Properties
    /// The security that a link needs to read the value or to subscribe to it.
    package var protection: Protection
    /// The security that a link needs to write it.
    package var writeProtection: Protection
    package var value: [UInt8]
    /// Whether the owner answers reads (`readRequested`). Otherwise the stored value is returned.
    package var asksBeforeRead: Bool
    /// Whether the owner answers writes (`writeRequested`). Otherwise they are stored.
    package var asksBeforeWrite: Bool
    package var descriptors: [Descriptor]

    package init(
      id: ServerAttributeID, uuid: UUID, properties: Properties, protection: Protection = .open, writeProtection: Protection? = nil,
      value: [UInt8] = [], asksBeforeRead: Bool = false, asksBeforeWrite: Bool = false, descriptors: [Descriptor] = []
    ) {
      self.writeProtection = writeProtection ?? protection
      self.id = id
      self.uuid = uuid
      self.properties = properties
      self.protection = protection
      self.value = value
      self.asksBeforeRead = asksBeforeRead
      self.asksBeforeWrite = asksBeforeWrite
      self.descriptors = descriptors
    }
  }

  /// A descriptor other than the CCC, which `notify` and `indicate` imply.
  package struct Descriptor: Equatable, Sendable {
    package var id: ServerAttributeID
    package var uuid: UUID
    package var properties: Properties
    package var protection: Protection
    package var writeProtection: Protection
    package var value: [UInt8]
    /// As in `Characteristic`.
    package var asksBeforeRead: Bool
    package var asksBeforeWrite: Bool

    package init(
      id: ServerAttributeID, uuid: UUID, properties: Properties, protection: Protection = .open, writeProtection: Protection? = nil,
      value: [UInt8] = [], asksBeforeRead: Bool = false, asksBeforeWrite: Bool = false
    ) {
      self.writeProtection = writeProtection ?? protection
      self.id = id
      self.uuid = uuid
      self.properties = properties
      self.protection = protection
      self.value = value
      self.asksBeforeRead = asksBeforeRead
      self.asksBeforeWrite = asksBeforeWrite
    }
  }

  /// Whether a value is protected from unencrypted links.
  package var isProtected: Bool {
    services.contains { service in
      service.characteristics.contains { characteristic in
        let levels = [characteristic.protection, characteristic.writeProtection]
        return levels.contains { $0 != .open }
          || characteristic.descriptors.contains { $0.protection != .open || $0.writeProtection != .open }
      }
    }
  }

  /// Characteristic properties, with the bits of Vol 3, Part G, 3.3.1.1.
  package struct Properties: OptionSet, Hashable, Sendable {
    package var rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Replaces the standard library's initialiser, which looks up its types on every call.
    package init(arrayLiteral elements: Properties...) { self.init(rawValue: elements.reduce(0) { $0 | $1.rawValue }) }

    package static let read = Properties(rawValue: 0x02)
    package static let writeWithoutResponse = Properties(rawValue: 0x04)
    package static let write = Properties(rawValue: 0x08)
    package static let notify = Properties(rawValue: 0x10)
    package static let indicate = Properties(rawValue: 0x20)
    /// A descriptor 0x2900 has more properties, such as reliable writes (Vol 3, Part G, 3.3.3.1).
    package static let extendedProperties = Properties(rawValue: 0x80)

    /// Any kind of write: with or without response, signed (0x40), or reliable.
    package static let anyWrite: Properties = [.write, .writeWithoutResponse, Properties(rawValue: 0x40), .extendedProperties]
    /// Any kind of value that the server sends unasked.
    package static let anyValue: Properties = [.notify, .indicate]

    /// The words of a `peripheral` declaration, such as `read, notify`.
    package var words: String {
      let all: [(Properties, String)] = [
        (.read, "read"), (.writeWithoutResponse, "write without response"), (.write, "write"), (.notify, "notify"),
        (.indicate, "indicate"),
      ]
      let own = all.filter { contains($0.0) }.map { $0.1 }
      return own.isEmpty ? "do nothing" : own.joined(separator: ", ")
    }
  }

  package enum Protection: UInt8, Sendable {
    case open, encryption, authentication
  }

  /// The value of GAP's Device Name.
  package var name: String
  package var services: [Service]
  /// Whether write requests also wait for the owner (`writeRequested`) if the value is only stored,
  /// so that the central gets its response after the owner's commit. Write commands are stored at
  /// once.
  package var confirmsWrites: Bool
  /// How centrals may pair with us; `nil` for the host's configuration.
  package var pairing: PairRequest?
  /// Out-of-band data of a central; never in a checkpoint.
  package var outOfBand: OutOfBandData?

  package init(
    name: String, services: [Service], confirmsWrites: Bool = false, pairing: PairRequest? = nil, outOfBand: OutOfBandData? = nil
  ) {
    self.outOfBand = outOfBand
    self.pairing = pairing
    self.name = name
    self.services = services
    self.confirmsWrites = confirmsWrites
  }
}
