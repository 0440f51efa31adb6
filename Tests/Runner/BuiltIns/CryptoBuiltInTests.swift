import Exchange
import Recipe
import Testing
import Vocabulary

@testable import Runner

private func bytes(_ hex: String) -> Value { .bytes(Hex.bytes(hex) ?? []) }

private func call(_ name: String, _ arguments: Value...) throws(Failure) -> Value {
  guard let builtIn = BuiltIn.named(name) else { throw .value("no such built-in") }
  return try builtIn.apply(arguments, Surroundings())
}

/// The functions with keys, compared with the values of the documents that define them.
struct CryptoBuiltInTests {
  /// FIPS 180-2, appendix B; the empty message as NIST gives it.
  @Test(
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
    ])
  func sha256IsThatOfFIPS180(message: String, digest: String) throws {
    #expect(try call("sha256", .text(message)) == bytes(digest))
    #expect(try call("sha256", .bytes(Array(message.utf8))) == bytes(digest))
  }

  /// RFC 4231, 4.2 to 4.4, 4.7 and 4.8: keys shorter than a block, as long as a block, and longer.
  @Test(
    arguments: [
      (
        String(repeating: "0b", count: 20), "4869205468657265",
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
      ),
      (
        "4a656665", "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
      ),
      (
        String(repeating: "aa", count: 20), String(repeating: "dd", count: 50),
        "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
      ),
      (
        String(repeating: "aa", count: 131),
        "54657374205573696e67204c6172676572205468616e20426c6f636b2d53697a65204b6579202d2048617368204b6579204669727374",
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
      ),
    ])
  func hmacIsThatOfRFC4231(key: String, message: String, code: String) throws {
    #expect(try call("hmac_sha256", bytes(key), bytes(message)) == bytes(code))
  }

  /// FIPS 197, appendix C.1 to C.3.
  @Test(
    arguments: [
      ("000102030405060708090a0b0c0d0e0f", "69c4e0d86a7b0430d8cdb78070b4c55a"),
      ("000102030405060708090a0b0c0d0e0f1011121314151617", "dda97ca4864cdfe06eaf70a0ec0d7191"),
      ("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "8ea2b7ca516745bfeafc49904b496089"),
    ])
  func aesIsThatOfFIPS197(key: String, cipher: String) throws {
    #expect(try call("aes", bytes(key), bytes("00112233445566778899aabbccddeeff")) == bytes(cipher))
  }

  /// RFC 4493, section 4.
  @Test(
    arguments: [
      ("", "bb1d6929e95937287fa37d129b756746"),
      ("6bc1bee22e409f96e93d7e117393172a", "070a16b46b4d4144f79bdd9dd04a287c"),
      (
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411", "dfa66747de9ae63030ca32611497c827"
      ),
      (
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710",
        "51f0bebf7e3b9d92fc49741779363cfe"
      ),
    ])
  func cmacIsThatOfRFC4493(message: String, mac: String) throws {
    #expect(try call("aes_cmac", bytes("2b7e151628aed2a6abf7158809cf4f3c"), bytes(message)) == bytes(mac))
  }

  @Test(
    arguments: [
      ("aes", 15, 16, "the key of `aes` has 16, 24 or 32 bytes, not 15"),
      ("aes", 16, 17, "`aes` encrypts one block of 16 bytes, not 17"),
      ("aes", 16, 0, "`aes` encrypts one block of 16 bytes, not 0"),
      ("aes_cmac", 32, 5, "the key of `aes_cmac` has 16 bytes, not 32"),
    ])
  func wrongSizesAreRefused(name: String, key: Int, message: Int, text: String) {
    let (key, message) = (Value.bytes(Array(repeating: 0, count: key)), Value.bytes(Array(repeating: 0, count: message)))
    do throws(Failure) {
      _ = try call(name, key, message)
      Issue.record("it was computed")
    } catch {
      #expect(error.kind == .value)
      #expect(error.message == text)
    }
  }

  @Test func cryptographicResultsAreNotSecret() throws {
    let key = Value.hidden(.bytes(Array(repeating: 0, count: 16)))
    for name in ["hmac_sha256", "aes_cmac", "aes"] {
      let result = try call(name, key, .bytes(Array(repeating: 1, count: 16)))
      #expect(!result.holdsSecret, "\(name)")
    }
    #expect(!(try call("sha256", key)).holdsSecret)
  }

  @Test func aSecretOfTheWrongSizeIsNotShown() {
    do throws(Failure) {
      _ = try call("aes", .hidden(.text("hunter2")), .text("x"))
      Issue.record("it was computed")
    } catch {
      #expect(error.kind == .value)
      #expect(!error.message.contains("7"))
    }
  }
}
