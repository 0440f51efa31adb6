import Crypto
import Testing
import Vocabulary

/// RFC 4493, section 4.
private let key = Hex.bytes("2b7e151628aed2a6abf7158809cf4f3c") ?? []
private let message =
  Hex.bytes(
    """
    6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51
    30c81c46a35ce411e5fbc1191a0a52ef f69f2445df4f9b17ad2b417be66c3710
    """) ?? []

@Test(arguments: [
  (0, "bb1d6929e95937287fa37d129b756746"), (16, "070a16b46b4d4144f79bdd9dd04a287c"), (40, "dfa66747de9ae63030ca32611497c827"),
  (64, "51f0bebf7e3b9d92fc49741779363cfe"),
])
func aesCMACGivesTheVectorsOfRFC4493(length: Int, mac: String) throws {
  #expect(try aesCMAC(key: key, message: Array(message.prefix(length))) == Hex.bytes(mac))
}

@Test func aKeyOfAnotherLengthIsRefused() {
  #expect(throws: CryptoError.unavailable) { try aesCMAC(key: [1, 2, 3], message: []) }
}

/// FIPS 180-4: the one-block and the empty message.
@Test(arguments: [
  ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
  ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
])
func sha256GivesThePublishedDigests(text: String, digest: String) throws {
  #expect(try sha256(Array(text.utf8)) == Hex.bytes(digest))
}
