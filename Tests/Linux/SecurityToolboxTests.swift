import Crypto
import Testing
import Vocabulary

/// Converts hexadecimal digits as printed in the specification, most significant first, to
/// over-the-air order.
private func air(_ text: String) -> [UInt8] { (Hex.bytes(text) ?? []).reversed() }

private let privateA = "3f49f6d4a3c55f3874c9b3e3d2103f504aff607beb40b7995899b8a6cd3c1abd"
private let privateB = "55188b3d32f6bb9a900afcfbeed4e72a59cb9ac2f19d7cfb6b4fdd49f47fc5fd"
private let xA = "20b003d2f297be2c5e2c83a7e9f9a5b9eff49111acf4fddbcc0301480e359de6"
private let yA = "dc809c49652aeb6d63329abf5a52155c766345c28fed3024741c8ed01589d28b"
private let xB = "1ea1f0f01faf1d9609592284f19e4c0047b58afd8615a69f559077b22faaa190"
private let yB = "4c55f33e429dad377356703a9ab85160472d1130e28e36765f89aff915b1214a"
private let shared = "ec0234a357c8ad05341010a60a397d9b99796b13b4f866f1868d34f373bfa698"
private let nonceX = "d5cb8454d177733effffb2ec712baeab"
private let nonceY = "a6e8e7cc25a75f6e216583f7ff3dc4cf"
private let first = Address(bits: 0x5612_3737_BFCE, kind: .public)
private let second = Address(bits: 0xA713_702D_CFC1, kind: .public)

private func bytes(_ text: String) -> [UInt8] { Hex.bytes(text) ?? [] }

/// The sample data of the Core Specification: Vol 2, Part G, 7.1.2; Vol 3, Part H, 2.2.3, 2.2.4 and
/// Appendix D.
@Suite struct SecurityToolboxTests {
  @Test func publicKeysAreThoseOfTheSampleData() throws {
    #expect(try P256.publicKey(of: bytes(privateA)) == P256.Point(x: bytes(xA), y: bytes(yA)))
    #expect(try P256.publicKey(of: bytes(privateB)) == P256.Point(x: bytes(xB), y: bytes(yB)))
  }

  @Test func bothEndsHaveTheSharedSecretOfTheSampleData() throws {
    #expect(try P256.secret(bytes(privateA), with: P256.Point(x: bytes(xB), y: bytes(yB))) == bytes(shared))
    #expect(try P256.secret(bytes(privateB), with: P256.Point(x: bytes(xA), y: bytes(yA))) == bytes(shared))
  }

  @Test func aPointThatIsNotOnTheCurveHasNoSecret() throws {
    let zeros = [UInt8](repeating: 0, count: 32)
    var bent = bytes(yB)
    bent[31] ^= 1
    for point in [
      P256.Point(x: bytes(xB), y: zeros), P256.Point(x: bytes(xB), y: bent), P256.Point(x: zeros, y: zeros),
      P256.Point(x: [UInt8](repeating: 0xFF, count: 32), y: bytes(yB)), P256.Point(x: [1], y: []),
    ] {
      #expect(try P256.secret(bytes(privateA), with: point) == nil)
    }
  }

  @Test func aNumberOutOfRangeIsNotAPrivateKey() throws {
    let order = bytes("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
    #expect(try P256.publicKey(of: [UInt8](repeating: 0, count: 32)) == nil)
    #expect(try P256.publicKey(of: order) == nil)
    #expect(try P256.publicKey(of: order.dropLast() + [0x50]) != nil)
    #expect(try P256.publicKey(of: [1, 2]) == nil)
  }

  @Test func f4GivesTheSampleData() throws {
    let value = try SecurityToolbox.f4(u: air(xA), v: air(privateB), x: air(nonceX), z: 0)
    #expect(value == air("f2c916f107a9bd1cf1eda1bea974872d"))
  }

  @Test func f5GivesTheSampleData() throws {
    let keys = try SecurityToolbox.f5(secret: air(shared), nonces: (air(nonceX), air(nonceY)), addresses: (first, second))
    #expect(keys.macKey == air("2965f176a1084a02fd3f6a20ce636e20"))
    #expect(keys.longTermKey == air("6986791169d7cd23980522b594750a38"))
  }

  @Test func f6GivesTheSampleData() throws {
    let check = try SecurityToolbox.f6(
      macKey: air("2965f176a1084a02fd3f6a20ce636e20"), nonces: (air(nonceX), air(nonceY)),
      r: air("12a3343bb453bb5408da42d20c2d0fc8"),
      features: [0x02, 0x01, 0x01], addresses: (first, second))
    #expect(check == air("e3c473989cd0e8c5d26c0b09da958f61"))
  }

  @Test func g2GivesTheSampleData() throws {
    let number = try SecurityToolbox.g2(u: air(xA), v: air(privateB), x: air(nonceX), y: air(nonceY))
    #expect(number == 0x2F9E_D5BA % 1_000_000)
  }

  @Test func c1GivesTheSampleData() throws {
    let value = try SecurityToolbox.c1(
      key: [UInt8](repeating: 0, count: 16), random: air("5783d52156ad6f0e6388274ec6702ee0"), request: air("07071000000101"),
      response: air("05000800000302"), initiator: Address(bits: 0xA1A2_A3A4_A5A6, kind: .random),
      responder: Address(bits: 0xB1B2_B3B4_B5B6, kind: .public))
    #expect(value == air("1e1e3fef878988ead2a74dc5bef13b86"))
  }

  @Test func s1GivesTheSampleData() throws {
    let key = try SecurityToolbox.s1(
      key: [UInt8](repeating: 0, count: 16), responderRandom: air("000f0e0d0c0b0a091122334455667788"),
      initiatorRandom: air("010203040506070899aabbccddeeff00"))
    #expect(key == air("9a1fe1f0e8b0f49b5b4216ae796da062"))
  }

  @Test func ahGivesTheSampleDataAndResolves() throws {
    let key = air("ec0234a357c8ad05341010a60a397d9b")
    #expect(try SecurityToolbox.ah(identityKey: key, random: 0x70_8194) == 0x0DFBAA)
    #expect(try SecurityToolbox.resolves(Address(bits: 0x7081_940D_FBAA, kind: .random), identityKey: key))
    #expect(try !SecurityToolbox.resolves(Address(bits: 0x7081_940D_FBAB, kind: .random), identityKey: key))
    #expect(try !SecurityToolbox.resolves(Address(bits: 0x7081_940D_FBAA, kind: .public), identityKey: key))
  }
}
