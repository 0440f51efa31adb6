import CCrypto

/// SHA-256 (FIPS 180-4): 32 octets. Loads libcrypto at the first use.
package func sha256(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
  var digest = [UInt8](repeating: 0, count: 32)
  guard ccrypto_sha256(message, message.count, &digest) == 0 else { throw .unavailable }
  return digest
}
