import Glibc

/// A process with open HCI sockets of the kernel.
package struct SocketHolder: Equatable, Sendable, CustomStringConvertible {
  package var process: Int32
  package var name: String

  package init(process: Int32, name: String) {
    self.process = process
    self.name = name
  }

  package var isTooth: Bool { name == "tooth" }

  /// The name and process id, such as `bluetoothd (process 412)`.
  package var description: String { "\(name) (process \(process))" }

  /// Returns every visible process with an HCI socket; others need the permissions of their user.
  /// The kernel does not report which controller a socket is bound to.
  package static func all() -> [SocketHolder] {
    let inodes = Self.inodes()
    guard !inodes.isEmpty else { return [] }
    var found: [SocketHolder] = []
    for entry in Files.names(in: "/proc") {
      guard let process = Int32(entry), process != getpid() else { continue }
      let isHolder = Files.names(in: "/proc/\(process)/fd").contains { descriptor in
        guard let target = Privileges.link("/proc/\(process)/fd/\(descriptor)"), target.hasPrefix("socket:[") else { return false }
        return inodes.contains(String(target.dropFirst(8).dropLast()))
      }
      if isHolder { found.append(SocketHolder(process: process, name: name(of: process))) }
    }
    return found.sorted { $0.process < $1.process }
  }

  /// The processes that may hold a user channel: not the daemon, which works through the kernel,
  /// not a monitor, and not our own helpers.
  package static func ofUserChannels() -> [SocketHolder] {
    let holders = all().filter { !["bluetoothd", "btmon", "tooth-guard"].contains($0.name) }
    // The service manager stores the descriptors of a keeper.
    let others = holders.filter { $0.process != 1 }
    return others.isEmpty ? holders : others
  }

  /// The Bluetooth daemon, if it runs.
  package static var daemon: SocketHolder? {
    for entry in Files.names(in: "/proc") {
      if let process = Int32(entry), name(of: process) == "bluetoothd" { return SocketHolder(process: process, name: "bluetoothd") }
    }
    return nil
  }

  private static func name(of process: Int32) -> String {
    Files.line("/proc/\(process)/comm") ?? "?"
  }

  /// The inodes: the last column but one of /proc/net/hci.
  private static func inodes() -> [String] {
    guard let bytes = try? readFile("/proc/net/hci", limit: 1 << 20) else { return [] }
    let lines = bytes.split(separator: 0x0A)
    guard let head = lines.first,
      let column = head.split(separator: 0x20).firstIndex(where: { $0.elementsEqual("Inode".utf8) })
    else { return [] }
    return lines.dropFirst().compactMap { line in
      let words = line.split(separator: 0x20)
      return words.count > column ? String(decoding: words[column], as: UTF8.self) : nil
    }
  }
}
