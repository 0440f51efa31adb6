package import Vocabulary

/// How to pair with a device, or how it may pair with us.
package struct PairRequest: Equatable, Sendable {
  /// Whether we can show a code, type a code (`enters`) and answer yes or no (`confirms`).
  package var displays: Bool
  package var enters: Bool
  package var confirms: Bool
  /// Whether to accept only authenticated Secure Connections.
  package var isStrict: Bool
  /// The shortest key to accept, 7 to 16 octets.
  package var smallestKey: UInt8
  /// A passkey that we show every time, 0 to 999999.
  package var fixedPasskey: UInt32?
  /// Whether to keep the keys for the next link.
  package var bonds: Bool
  /// Whether to offer Secure Connections. False only in tests of legacy pairing.
  package var offersSecureConnections: Bool
  /// Whether to pair when an attribute requires it.
  package var isAutomatic: Bool
  /// Whether to pair again with a peer that has lost the bond.
  package var replacesLost: Bool
  /// Whether the user gave a code or data of the device, so that it must be authenticated.
  package var needsProof: Bool

  package init(
    displays: Bool = false, enters: Bool = false, confirms: Bool = false, isStrict: Bool = false, smallestKey: UInt8 = 16,
    fixedPasskey: UInt32? = nil, bonds: Bool = true, offersSecureConnections: Bool = true,
    isAutomatic: Bool = false, replacesLost: Bool = false, needsProof: Bool = false
  ) {
    self.displays = displays
    self.enters = enters
    self.confirms = confirms
    self.isStrict = isStrict
    self.smallestKey = smallestKey
    self.fixedPasskey = fixedPasskey
    self.bonds = bonds
    self.offersSecureConnections = offersSecureConnections
    self.isAutomatic = isAutomatic
    self.replacesLost = replacesLost
    self.needsProof = needsProof
  }

  package var hasInput: Bool { enters || confirms }
}

/// What a pairing asks of a user or a handler.
package enum PairingQuestion: Hashable, Sendable {
  /// For the code that the peer shows.
  case passkey
  /// Whether the peer shows this code too.
  case comparison(UInt32)
  /// Whether to pair with a device that cannot be authenticated.
  case unproven
  /// Not a question: shows the code that must be typed at the peer.
  case display(UInt32)

  package var needsAnswer: Bool { if case .display = self { false } else { true } }

  /// The six digits to show or compare.
  package var digits: String? {
    switch self {
    case .comparison(let code), .display(let code):
      let digits = String(code)
      return String(repeating: "0", count: max(0, 6 - digits.utf8.count)) + digits
    case .passkey, .unproven: return nil
    }
  }
}

package enum PairingAnswer: Hashable, Sendable {
  case passkey(UInt32)
  case yes
  case no
}

extension PairRequest: Durable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    displays = try reader.readBool()
    enters = try reader.readBool()
    confirms = try reader.readBool()
    isStrict = try reader.readBool()
    smallestKey = try reader.readUInt8()
    guard 7...16 ~= smallestKey else { throw .invalid("key size", UInt64(smallestKey)) }
    fixedPasskey = try reader.readBool() ? try reader.readUInt32() : nil
    if let fixedPasskey, fixedPasskey > 999_999 { throw .invalid("passkey", UInt64(fixedPasskey)) }
    bonds = try reader.readBool()
    offersSecureConnections = try reader.readBool()
    isAutomatic = try reader.readBool()
    replacesLost = try reader.readBool()
    needsProof = try reader.readBool()
  }

  package func write(to writer: inout ByteWriter) {
    for flag in [displays, enters, confirms, isStrict] { writer.put(flag) }
    writer.put(smallestKey)
    writer.put(fixedPasskey != nil)
    if let fixedPasskey { writer.put(fixedPasskey) }
    writer.put(bonds)
    writer.put(offersSecureConnections)
    writer.put(isAutomatic)
    writer.put(replacesLost)
    writer.put(needsProof)
  }
}
