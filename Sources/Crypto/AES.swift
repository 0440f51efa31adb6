import CCrypto

/// AES of one block of 16 octets (FIPS 197) with a key of 16, 24 or 32 octets, most significant
/// octet first. Loads libcrypto at the first use.
package func aes(key: [UInt8], block: [UInt8]) throws(CryptoError) -> [UInt8] {
  guard block.count == 16, [16, 24, 32].contains(key.count) else { throw .unavailable }
  var result = [UInt8](repeating: 0, count: 16)
  guard ccrypto_aes(key, key.count, block, &result) == 0 else { throw .unavailable }
  return result
}
