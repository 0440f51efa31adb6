/// HMAC with SHA-256 (RFC 2104, RFC 4231): 32 octets.
package func hmacSHA256(key: [UInt8], message: [UInt8]) throws(CryptoError) -> [UInt8] {
  let size = 64
  var block = key.count > size ? try sha256(key) : key
  block += [UInt8](repeating: 0, count: size - block.count)
  let inner = try sha256(block.map { $0 ^ 0x36 } + message)
  return try sha256(block.map { $0 ^ 0x5C } + inner)
}
