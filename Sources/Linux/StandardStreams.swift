import CBluez

/// Descriptors 0, 1 and 2 of this process.
package enum StandardStreams {
  /// Makes sure that none of them is free. One that was closed stays as good as closed: to use it
  /// fails with EBADF.
  package static func hold() -> Bool { cbluez_hold_standard() == 0 }
}
