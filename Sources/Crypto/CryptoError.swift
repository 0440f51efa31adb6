/// Why libcrypto returned no result.
package enum CryptoError: Error, Equatable, Sendable, CustomStringConvertible {
  /// `libcrypto.so.3` cannot be loaded or lacks a function that every known version has.
  case unavailable

  package var description: String {
    "libcrypto.so.3 cannot be used; install the package libssl3 (Debian 13, Ubuntu 24.04: libssl3t64)"
  }
}
