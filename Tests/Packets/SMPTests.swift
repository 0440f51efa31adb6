import Packets
import Testing
import Vocabulary

private let sixteen: [UInt8] = Array(0..<16)
private let sixteenText = "00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f"
private let features = PairingFeatures(
  capability: .keyboardDisplay, hasOutOfBand: true, requirements: [.bonding, .authentication, .secureConnections], keySize: 16,
  initiatorKeys: [.encryption, .identity], responderKeys: [.encryption, .identity, .signing])

/// Typed from Vol 3, Part H, 3.5 and 3.6.
private let pdus: [(SMPPDU, String, Int?)] = [
  (.pairingRequest(features), "01 04 01 0d 10 03 07", nil),
  (.pairingResponse(features), "02 04 01 0d 10 03 07", nil),
  (.pairingConfirm(sixteen), "03 " + sixteenText, nil),
  (.pairingRandom(sixteen), "04 " + sixteenText, nil),
  (.pairingFailed(.dhKeyCheckFailed), "05 0b", nil),
  (.encryptionInformation(sixteen), "06 " + sixteenText, nil),
  (.centralIdentification(diversifier: 0x1234, random: 0x1122_3344_5566_7788), "07 34 12 88 77 66 55 44 33 22 11", nil),
  (.identityInformation(sixteen), "08 " + sixteenText, nil),
  (.identityAddressInformation(Address(bits: 0xC47C_8D6A_120F, kind: .random)), "09 01 0f 12 6a 8d 7c c4", nil),
  (.signingInformation(sixteen), "0a " + sixteenText, nil),
  (.securityRequest([.bonding, .secureConnections]), "0b 09", nil),
  (
    .publicKey(x: sixteen + sixteen, y: sixteen + sixteen),
    "0c " + [String](repeating: sixteenText, count: 4).joined(separator: " "), nil
  ),
  (.dhKeyCheck(sixteen), "0d " + sixteenText, nil),
  (.keypressNotification(4), "0e 04", nil),
  (.unknown(code: 0x0F, [1, 2]), "0f 01 02", 1),
]

@Suite struct SMPTests {
  @Test(arguments: pdus.indices) func everyPDUKeepsTheLaws(index: Int) {
    let (pdu, bytes, fixed) = pdus[index]
    #expect(Hex.text(pdu.encoded) == bytes)
    #expect(pdu.code == pdu.encoded.first)
    keepsTheLaws(pdu, fixed: fixed, name: "SMP PDU")
  }

  @Test(arguments: [
    "01 05 00 01 10 00 00", "01 00 02 01 10 00 00", "02 ff 00 01 10 00 00", "09 02 00 00 00 00 00 00",
  ])
  func aFieldOutOfItsRangeIsRefused(text: String) throws {
    let bytes = try #require(Hex.bytes(text))
    #expect(throws: DecodeError.self) { try SMPPDU(encoded: bytes) }
  }

  /// Reserved bits are preserved and ignored.
  @Test func reservedBitsAreKept() throws {
    let bytes: [UInt8] = [0x01, 3, 0, 0xC1, 16, 0xF0, 0xF0]
    #expect(try SMPPDU(encoded: bytes).encoded == bytes)
  }

  @Test func everyReasonHasAText() {
    #expect((1...16).allSatisfy { !SMPReason($0).description.hasPrefix("reason") })
    #expect(SMPReason(0x77).description == "reason 0x77")
  }
}
