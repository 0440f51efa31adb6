import CBluez

/// Descriptors 0, 1 and 2 of this process.
package enum StandardStreams {
  /// Opens those that are closed, so that no other file gets their numbers. Using one still fails
  /// with EBADF.
  package static func hold() -> Bool { cbluez_hold_standard() == 0 }
}
