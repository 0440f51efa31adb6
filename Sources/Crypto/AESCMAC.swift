import CCrypto

/// AES-CMAC with a 128-bit key (RFC 4493; Vol 3, Part H, 2.2.5). Loads libcrypto at the first use.
package func aesCMAC(key: [UInt8], message: [UInt8]) throws(CryptoError) -> [UInt8] {
  guard key.count == 16 else { throw .unavailable }
  var mac = [UInt8](repeating: 0, count: 16)
  guard ccrypto_aes_cmac(key, message, message.count, &mac) == 0 else { throw .unavailable }
  return mac
}

/// The Database Hash of a GATT server (Vol 3, Part G, 7.3.1): AES-CMAC with a zero key, least
/// significant octet first, as ATT carries it.
package func databaseHash(of message: [UInt8]) throws(CryptoError) -> [UInt8] {
  try aesCMAC(key: [UInt8](repeating: 0, count: 16), message: message).reversed()
}
