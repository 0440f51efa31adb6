import CCrypto

package enum CryptoLibrary {
  /// The version of libcrypto, such as `3.0.15`; `nil` if it cannot be loaded.
  package static var version: String? {
    guard let text = ccrypto_version().map({ String(cString: $0) }) else { return nil }
    let words = text.split(separator: " ")
    return words.count > 1 ? String(words[1]) : text
  }
}
