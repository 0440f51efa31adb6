import CCrypto

/// Checks and decrypts an AES-CCM message (RFC 3610) with a key of 16 octets, a nonce of 7 to 13
/// and a tag of 4 to 16; `nil` if the tag does not match. Loads libcrypto at the first use.
package func openAESCCM(key: [UInt8], nonce: [UInt8], tag: [UInt8], message: [UInt8]) throws(CryptoError) -> [UInt8]? {
  guard key.count == 16, (7...13).contains(nonce.count), (4...16).contains(tag.count), tag.count % 2 == 0, message.count < 1 << 16
  else { throw .unavailable }
  // One octet more, so that even an empty message has an address.
  var result = [UInt8](repeating: 0, count: message.count + 1)
  switch ccrypto_aes_ccm_open(key, nonce, nonce.count, tag, tag.count, message + [0], message.count, &result) {
  case 0: return Array(result.dropLast())
  case 1: return nil
  default: throw .unavailable
  }
}
