import Crypto
import Exchange
@testable import Host
import KeeperProcess
import Packets
import Testing
import Vocabulary

private func octets(_ digits: String) -> [UInt8] { Hex.bytes(digits) ?? [] }

/// A whole pairing with a code as recorded by another stack (NimBLE, `ble_sm_sc_test`): the central
/// has a keyboard, the peripheral displays 516645. Bytes are in over-the-air order.
@Suite struct PasskeySampleTests {
  private static let code: UInt32 = 516_645
  private static let ownPrivate = octets("b16b4f81bce3609e0020f1733efbcc6e8cb6d251d9368a6dca8cd7be9603dfd6")
  private static let own = PublicKey(
    x: octets("e50f020a3790945a0621f7bcd5beb9248a35fdf85ee270d55ae8e7dd1390ebd4"),
    y: octets("41c8511a254401534274079c18e63b8ace7a371f185c027c6716f5302b31a9c7"))
  private static let peer = PublicKey(
    x: octets("1bd20379b49b0ad71b28732ad7e6a0d42d958d29af6aabeea00d134de7167691"),
    y: octets("2a262c5055d12b83f65fdb995f85f6781c14edd3705ee52c051e5cecf8654349"))
  private static let addresses = (Address(bits: 0x0108_0701_0101, kind: .public), Address(bits: 0xE094_67A0_61CA, kind: .public))

  private struct Round {
    var number: Int
    var confirms: (String, String)
    var nonces: (String, String)
  }

  private static let rounds = [
    Round(
      number: 0, confirms: ("552caa4159424dfe4774cd2b11ab21e6", "6a3c45f5b2e20430ded63c6d8500002c"),
      nonces: ("7806046076e9c45afb3444ae45a084de", "91c8fd1bb2850876d3f1c4a0fa928c94")),
    Round(
      number: 1, confirms: ("b12f6835a1a584b14f1ab1b5f0b2be61", "07d84374e842f3f1873d9e92ea33e854"),
      nonces: ("4cb7cc6d909f1e2d9d1e52a7e00c7bf7", "5c3282c876173b1866dabfc3134905fb")),
    Round(
      number: 2, confirms: ("27614d0464a958f1e0f9e5780b54890a", "e48fdbc835ed4e7dbc927f5802aabf6b"),
      nonces: ("fe8508e0359013a9d3cfb66d36afbd59", "47408e97e3fe8f52295e6b44df0d60f4")),
    Round(
      number: 19, confirms: ("ae248fdfb057c49ce6ae9bc24d3d1ccb", "cc5ca3bed783ee6080ff5f1a07bf4c33"),
      nonces: ("93c36206cbe5b0010218a2504c73a227", "112ad306289cdf73a5a4e51e07cfee71")),
  ]

  private func pairing(round: Int) -> Pairing {
    var pairing = Pairing(
      request: PairRequest(enters: true),
      initiatorFeatures: PairingFeatures(capability: .keyboardOnly, requirements: [], initiatorKeys: [], responderKeys: []),
      endsAt: .zero)
    pairing.method = .passkey(initiatorShows: false, responderShows: true)
    pairing.isSecure = true
    pairing.code = Self.code
    pairing.round = round
    return pairing
  }

  /// f4 over one bit of the code, the least significant first.
  @Test func eachRoundCommitsToItsBit() throws {
    for round in Self.rounds {
      let bit = pairing(round: round.number).committedBit
      #expect(bit == 0x80 | UInt8(Self.code >> UInt32(round.number) & 1))
      let ours = try SecurityToolbox.f4(u: Self.own.x, v: Self.peer.x, x: octets(round.nonces.0), z: bit)
      let theirs = try SecurityToolbox.f4(u: Self.peer.x, v: Self.own.x, x: octets(round.nonces.1), z: bit)
      #expect(ours == octets(round.confirms.0), "round \(round.number)")
      #expect(theirs == octets(round.confirms.1), "round \(round.number)")
    }
  }

  /// f5, and f6 with the code in place of r.
  @Test func theKeyAndTheChecksAreThoseOfTheSample() throws {
    var toolbox = Toolbox(entropy: .seeded(SplitMix(seed: 1)))
    var secret: [UInt8] = []
    for key in [Self.ownPrivate, Self.ownPrivate.reversed()] {
      guard toolbox.result(of: .security(.publicKey(key))) == .publicKey(Self.own) else { continue }
      if case .octets(let value) = toolbox.result(of: .security(.secret(key, with: Self.peer))) { secret = value }
    }
    #expect(secret.count == 32)
    let known = SecurityComputation.KeyAndChecks(
      secret: secret, initiatorNonce: octets("93c36206cbe5b0010218a2504c73a227"),
      responderNonce: octets("112ad306289cdf73a5a4e51e07cfee71"), initiator: Self.addresses.0, responder: Self.addresses.1,
      r: pairing(round: 19).codeOctets, responderR: pairing(round: 19).codeOctets, initiatorFeatures: [0x02, 0x00, 0x0D],
      responderFeatures: [0x04, 0x00, 0x0D])
    let result = toolbox.result(of: .security(.keyAndChecks(known)))
    guard case .keyAndChecks(let key, let initiator, let responder) = result else {
      Issue.record("\(result)")
      return
    }
    #expect(key == octets("f1411a5b60c143c680345e7fd80c75dc"))
    #expect(initiator == octets("73a0405878205f2cf41923a874bdc23e"))
    #expect(responder == octets("5a30bcceecdff0323c18a3d33f208710"))
  }
}
