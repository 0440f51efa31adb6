import Glibc

/// Facts about the socket of a server without a connection, which could start a socket-activated
/// server.
package enum SocketFacts {
  /// The paths with a listening process, as far as this network namespace shows them.
  package static func listening() -> Set<String> {
    guard let table = content(of: "/proc/net/unix") else { return [] }
    return listening(in: table)
  }

  /// - Parameter table: The lines of `/proc/net/unix`: number, references, protocol, flags, type,
  ///   state, inode, path.
  package static func listening(in table: [UInt8]) -> Set<String> {
    var paths: Set<String> = []
    for line in table.split(separator: UInt8(ascii: "\n")) {
      let columns = line.split(separator: UInt8(ascii: " "), maxSplits: 7)
      // SO_ACCEPTCON, and not an abstract name.
      guard columns.count == 8, columns[3].elementsEqual("00010000".utf8), columns[7].first == UInt8(ascii: "/") else { continue }
      paths.insert(String(decoding: columns[7], as: UTF8.self))
    }
    return paths
  }

  private static func content(of path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return try? readAll(descriptor, named: path, limit: 64 << 20)
  }

  /// Whether a visible process holds the lock of this file (`flock`).
  package static func isLocked(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0, let table = content(of: "/proc/locks") else { return false }
    let device = UInt64(status.st_dev)
    return isLocked(
      major: UInt32(truncatingIfNeeded: device >> 8 & 0xFFF | device >> 32 & ~0xFFF),
      minor: UInt32(truncatingIfNeeded: device & 0xFF | device >> 12 & ~0xFF), inode: UInt64(status.st_ino), in: table)
  }

  /// - Parameter table: Lines such as `1: FLOCK  ADVISORY  WRITE 4711 08:01:1234 0 EOF`.
  package static func isLocked(major: UInt32, minor: UInt32, inode: UInt64, in table: [UInt8]) -> Bool {
    func hex(_ number: UInt32) -> String { (number < 16 ? "0" : "") + String(number, radix: 16) }
    let place = Array("\(hex(major)):\(hex(minor)):\(inode)".utf8)
    return table.split(separator: UInt8(ascii: "\n")).contains { line in
      let words = line.split(separator: UInt8(ascii: " "))
      return words.count > 5 && words[1].elementsEqual("FLOCK".utf8) && words[5].elementsEqual(place)
    }
  }
}
