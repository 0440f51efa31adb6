package import Vocabulary

/// An attribute of our own server, numbered by whoever published the table.
package struct ServerAttributeID: Hashable, Comparable, Sendable {
  package var raw: Int

  package init(_ raw: Int) { self.raw = raw }

  package static func < (left: ServerAttributeID, right: ServerAttributeID) -> Bool { left.raw < right.raw }
}

/// What our GATT server offers.
package struct ServerTable: Equatable, Sendable {
  package struct Service: Equatable, Sendable {
    package var uuid: UUID
    package var characteristics: [Characteristic]
    /// Indices of included services in `services`.
    package var includes: [Int]
    /// A secondary service is only found through the services that include it.
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
    package var abilities: Abilities
    /// What a link must be to read the value, and to subscribe to it.
    package var protection: Protection
    /// What a link must be to write it.
    package var writeProtection: Protection
    package var value: [UInt8]
    /// A read is asked of the owner (`readRequested`); otherwise the stored value answers.
    package var asksBeforeRead: Bool
    /// A write is told to the owner (`writeRequested`), who answers; otherwise it is stored.
    package var asksBeforeWrite: Bool
    package var descriptors: [Descriptor]

    package init(
      id: ServerAttributeID, uuid: UUID, abilities: Abilities, protection: Protection = .open, writeProtection: Protection? = nil,
      value: [UInt8] = [], asksBeforeRead: Bool = false, asksBeforeWrite: Bool = false, descriptors: [Descriptor] = []
    ) {
      self.writeProtection = writeProtection ?? protection
      self.id = id
      self.uuid = uuid
      self.abilities = abilities
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
    package var abilities: Abilities
    package var protection: Protection
    package var writeProtection: Protection
    package var value: [UInt8]
    /// As of a characteristic.
    package var asksBeforeRead: Bool
    package var asksBeforeWrite: Bool

    package init(
      id: ServerAttributeID, uuid: UUID, abilities: Abilities, protection: Protection = .open, writeProtection: Protection? = nil,
      value: [UInt8] = [], asksBeforeRead: Bool = false, asksBeforeWrite: Bool = false
    ) {
      self.writeProtection = writeProtection ?? protection
      self.id = id
      self.uuid = uuid
      self.abilities = abilities
      self.protection = protection
      self.value = value
      self.asksBeforeRead = asksBeforeRead
      self.asksBeforeWrite = asksBeforeWrite
    }
  }

  /// Whether some value is kept from links in the clear.
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
  package struct Abilities: OptionSet, Hashable, Sendable {
    package var rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The standard library's own looks up its types each time it is called.
    package init(arrayLiteral elements: Abilities...) { self.init(rawValue: elements.reduce(0) { $0 | $1.rawValue }) }

    package static let read = Abilities(rawValue: 0x02)
    package static let writeWithoutResponse = Abilities(rawValue: 0x04)
    package static let write = Abilities(rawValue: 0x08)
    package static let notify = Abilities(rawValue: 0x10)
    package static let indicate = Abilities(rawValue: 0x20)
    /// More is said in a descriptor 0x2900, such as that it can be written reliably (Vol 3, Part G,
    /// 3.3.3.1).
    package static let extendedProperties = Abilities(rawValue: 0x80)

    /// Some way to write: with or without a response, signed (0x40), or reliably.
    package static let anyWrite: Abilities = [.write, .writeWithoutResponse, Abilities(rawValue: 0x40), .extendedProperties]
    /// Some way to send values unasked.
    package static let anyValue: Abilities = [.notify, .indicate]

    /// As a `peripheral` declares them: `read, notify`.
    package var words: String {
      let all: [(Abilities, String)] = [
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

  /// GAP's Device Name.
  package var name: String
  package var services: [Service]
  /// A write request is told to the owner (`writeRequested`) even where the value is only stored:
  /// its central hears that it was when the owner says so. Write commands are stored at once.
  package var confirmsWrites: Bool
  /// How centrals may pair with us; without it, as the host is configured.
  package var pairing: PairRequest?
  /// What a central gave away out of band: in no checkpoint.
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
