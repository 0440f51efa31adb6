import CCrypto

package enum CryptoLibrary {
  /// `3.0.15`; nothing when it cannot be loaded.
  package static var version: String? {
    guard let text = ccrypto_version().map({ String(cString: $0) }) else { return nil }
    let words = text.split(separator: " ")
    return words.count > 1 ? String(words[1]) : text
  }
}
