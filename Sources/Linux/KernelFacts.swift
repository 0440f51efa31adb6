import Glibc

/// What the kernel and /proc tell of this machine, without any rights.
package enum KernelFacts {
  /// `6.1.0-18-amd64`.
  package static var release: String { Files.line("/proc/sys/kernel/osrelease") ?? "?" }

  /// Whether sockets of Bluetooth (AF_BLUETOOTH, 31) can be made here; the kernel loads the module
  /// for it, if it has one.
  package static var hasBluetooth: Bool {
    let descriptor = socket(31, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), 1)
    guard descriptor >= 0 else { return ![EAFNOSUPPORT, EPROTONOSUPPORT].contains(errno) }
    close(descriptor)
    return true
  }

  /// The switches for Bluetooth of rfkill: what each is called, and whether software or a real
  /// switch blocks it.
  package static var switches: [(name: String, isSoftBlocked: Bool, isHardBlocked: Bool)] {
    let place = "/sys/class/rfkill"
    return Files.names(in: place).sorted().compactMap { entry in
      guard Files.line("\(place)/\(entry)/type") == "bluetooth" else { return nil }
      return (
        Files.line("\(place)/\(entry)/name") ?? entry, Files.line("\(place)/\(entry)/soft") == "1",
        Files.line("\(place)/\(entry)/hard") == "1"
      )
    }
  }
}
