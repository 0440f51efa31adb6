import Glibc

/// The size of the terminal of a descriptor; 80 by 24 if it is unknown.
package func terminalSize(_ descriptor: Int32 = 1) -> (columns: Int, lines: Int) {
  var size = winsize()
  // TIOCGWINSZ, which the Glibc module lacks on some architectures.
  guard ioctl(descriptor, 0x5413, &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
  return (Int(size.ws_col), Int(size.ws_row))
}
