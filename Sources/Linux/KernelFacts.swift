import Glibc

/// What the kernel and /proc tell of this machine, without any rights.
package enum KernelFacts {
  /// `6.1.0-18-amd64`.
  package static var release: String { Files.line("/proc/sys/kernel/osrelease") ?? "?" }

  /// Whether sockets of Bluetooth (AF_BLUETOOTH, 31) can be made here; the kernel loads the module for it, if it has one.
  package static var hasBluetooth: Bool {
    let descriptor = socket(31, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), 1)
    guard descriptor >= 0 else { return ![EAFNOSUPPORT, EPROTONOSUPPORT].contains(errno) }
    close(descriptor)
    return true
  }

  /// CAP_NET_ADMIN (12) in the effective set of this process.
  package static var mayAdministerNetwork: Bool {
    guard let bytes = try? readFile("/proc/self/status", limit: 1 << 16) else { return false }
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") where line.hasPrefix("CapEff:") {
      let digits = line.dropFirst(7).drop { $0 == "\t" || $0 == " " }
      return (UInt64(digits, radix: 16) ?? 0) >> 12 & 1 == 1
    }
    return false
  }

  /// The number of a process of this name.
  package static func process(named name: String) -> Int32? {
    Files.names(in: "/proc").compactMap { Int32($0) }.sorted().first { Files.line("/proc/\($0)/comm") == name }
  }

  /// The switches for Bluetooth of rfkill: what each is called, and whether software or a real switch blocks it.
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
