package import Vocabulary

/// How a device is to be paired with, or may pair with us.
package struct PairRequest: Equatable, Sendable {
  /// A code can be shown, a code can be typed, a question can be answered with yes.
  package var displays: Bool
  package var enters: Bool
  package var confirms: Bool
  /// Only Secure Connections, and nobody in between.
  package var isStrict: Bool
  /// The shortest key that is taken, 7 to 16 octets.
  package var smallestKey: UInt8
  /// The code that we show each time, 0 to 999999.
  package var fixedPasskey: UInt32?
  /// The keys are kept for the next link.
  package var bonds: Bool
  /// For tests of legacy pairing: Secure Connections is not offered.
  package var offersSecureConnections: Bool
  /// An attribute that asks for it is reason enough to pair.
  package var isAutomatic: Bool
  /// A peer that has forgotten the bond is paired with anew.
  package var replacesLost: Bool

  package init(
    displays: Bool = false, enters: Bool = false, confirms: Bool = false, isStrict: Bool = false, smallestKey: UInt8 = 16,
    fixedPasskey: UInt32? = nil, bonds: Bool = true, offersSecureConnections: Bool = true,
    isAutomatic: Bool = false, replacesLost: Bool = false
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
  }

  package var hasInput: Bool { enters || confirms }
}

/// What a pairing asks of a person, or of a handler.
package enum PairingQuestion: Hashable, Sendable {
  /// The code that the peer shows.
  case passkey
  /// Whether the peer shows the same code.
  case comparison(UInt32)
  /// Whether to pair with a device that cannot prove who it is.
  case unproven
  /// No question: the code is to be typed at the peer.
  case display(UInt32)

  package var needsAnswer: Bool { if case .display = self { false } else { true } }

  /// The six digits that are shown or compared.
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
  }
}
