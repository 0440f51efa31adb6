import CBluez
import Glibc

/// The privileges of this process beyond those of its user.
package enum Privileges {
  /// Whether the process has CAP_NET_ADMIN, which the user channel requires.
  package static var canAdministerNetwork: Bool { cbluez_may_administer() == 1 }

  /// Drops every capability permanently.
  package static func drop() throws(SystemFailure) {
    guard cbluez_drop_capabilities(0) == 0 else { throw SystemFailure("giving up privileges") }
  }

  /// Keeps the memory of this process out of core dumps and from other processes of its user.
  package static func keepOutOfDumps() { _ = cbluez_keep_out_of_dumps() }

  package static var isRoot: Bool { geteuid() == 0 }

  /// The path of this program, for commands that users can copy.
  package static var program: String { link("/proc/self/exe") ?? "tooth" }

  static func link(_ path: String) -> String? {
    var block = [UInt8](repeating: 0, count: 4096)
    let count = block.withUnsafeMutableBufferPointer { space in
      space.baseAddress.map { $0.withMemoryRebound(to: CChar.self, capacity: 4096) { readlink(path, $0, 4096) } } ?? -1
    }
    guard count > 0, count < block.count else { return nil }
    return String(decoding: block[..<count], as: UTF8.self)
  }
}
