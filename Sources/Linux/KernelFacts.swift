import Glibc

/// Facts about this machine from the kernel and /proc that need no privileges.
package enum KernelFacts {
  /// The kernel's release, such as `6.1.0-18-amd64`.
  package static var release: String { Files.line("/proc/sys/kernel/osrelease") ?? "?" }

  /// Whether Bluetooth sockets (AF_BLUETOOTH, 31) can be created. The kernel loads its module for
  /// that, if there is one.
  package static var hasBluetooth: Bool {
    let descriptor = socket(31, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), 1)
    guard descriptor >= 0 else { return ![EAFNOSUPPORT, EPROTONOSUPPORT].contains(errno) }
    close(descriptor)
    return true
  }

  /// The Bluetooth switches of rfkill: the name, and whether software or a hardware switch blocks
  /// it.
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
