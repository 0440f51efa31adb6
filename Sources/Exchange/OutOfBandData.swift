package import Vocabulary

/// Data that a device gives away on a tag or label. Its holder can authenticate the device with it
/// (Vol 3, Part H, 2.3.5.4 and 2.3.5.6.4).
package struct OutOfBandData: Equatable, Sendable {
  /// The address of the device, if the data has it.
  package var address: Address?
  /// The TK of legacy pairing: 16 octets, as on the air.
  package var temporaryKey: [UInt8]?
  /// The values for Secure Connections, 16 octets each.
  package var secure: Secure?

  package struct Secure: Equatable, Sendable {
    /// The confirm value, which commits to the device's public key.
    package var confirmation: [UInt8]
    package var random: [UInt8]

    package init(confirmation: [UInt8], random: [UInt8]) {
      self.confirmation = confirmation
      self.random = random
    }
  }

  package init(address: Address? = nil, temporaryKey: [UInt8]? = nil, secure: Secure? = nil) {
    self.address = address
    self.temporaryKey = temporaryKey
    self.secure = secure
  }

  /// What is wrong with the octets.
  package struct Fault: Error, Equatable, CustomStringConvertible {
    package let description: String
    init(_ description: String) { self.description = description }
  }

  /// Reads the advertising data structures of a tag (Core Specification Supplement, Part A, 1.6,
  /// 1.8, 1.16 and 1.17), each with a length, a type and a value. Other types are ignored. At most
  /// 4 KiB.
  package init(structures bytes: [UInt8]) throws(Fault) {
    guard bytes.count <= 4096 else { throw Fault("it has \(bytes.count) octets; the limit is 4096") }
    var confirmation: [UInt8]?
    var random: [UInt8]?
    var seen: [UInt8] = []
    var place = 0
    while place < bytes.count {
      let length = Int(bytes[place])
      // The rest is padding.
      if length == 0 { break }
      guard place + length < bytes.count else {
        throw Fault("a structure at octet \(place) has a length of \(length), and \(bytes.count - place - 1) octets follow")
      }
      let type = bytes[place + 1]
      let value = Array(bytes[(place + 2)..<(place + 1 + length)])
      place += 1 + length
      guard let wanted = Self.lengths[type] else { continue }
      guard value.count == wanted else {
        throw Fault("the value of type 0x\(Hex.text(type)) has \(value.count) octets instead of \(wanted)")
      }
      guard !seen.contains(type) else { throw Fault("type 0x\(Hex.text(type)) appears twice") }
      seen.append(type)
      switch type {
      case 0x10: temporaryKey = value
      case 0x1B:
        guard value[6] <= 1 else { throw Fault("the address has the type \(value[6]); 0 is public, 1 is random") }
        let bits = value[..<6].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        address = Address(bits: bits, kind: value[6] == 0 ? .public : .random)
      case 0x1C: guard value[0] <= 3 else { throw Fault("the LE role is \(value[0]); 0 to 3 are valid") }
      case 0x22: confirmation = value
      default: random = value
      }
    }
    switch (confirmation, random) {
    case (let confirmation?, let random?): secure = Secure(confirmation: confirmation, random: random)
    case (_?, nil): throw Fault("it has a confirmation value (0x22) but no random value (0x23)")
    case (nil, _?): throw Fault("it has a random value (0x23) but no confirmation value (0x22)")
    case (nil, nil): break
    }
    guard secure != nil || temporaryKey != nil else {
      throw Fault("it has nothing to pair with: neither types 0x22 and 0x23 nor type 0x10")
    }
  }

  /// The data as the structures of a tag.
  package var structures: [UInt8] {
    var bytes: [UInt8] = []
    func put(_ type: UInt8, _ value: [UInt8]) { bytes += [UInt8(value.count + 1), type] + value }
    if let address {
      put(0x1B, (0..<6).map { UInt8(truncatingIfNeeded: address.bits >> (8 * $0)) } + [address.kind == .public ? 0 : 1])
    }
    if let temporaryKey { put(0x10, temporaryKey) }
    if let secure {
      put(0x22, secure.confirmation)
      put(0x23, secure.random)
    }
    return bytes
  }

  private static let lengths: [UInt8: Int] = [0x10: 16, 0x1B: 7, 0x1C: 1, 0x22: 16, 0x23: 16]

  /// Whether it can only authenticate legacy pairing.
  package var isLegacyOnly: Bool { secure == nil }

  /// Whether the data can be of this device. A private address does not decide that.
  package func isOf(_ peer: Address) -> Bool {
    guard let address else { return true }
    return address == peer || peer.isResolvablePrivate || address.isResolvablePrivate
  }
}
