import CBluez
import Glibc

/// What this process may do beyond its user.
package enum Privileges {
  /// CAP_NET_ADMIN, which the kernel asks for at the user channel.
  package static var canAdministerNetwork: Bool { cbluez_may_administer() == 1 }

  /// Gives up every capability, for good.
  package static func drop() throws(SystemFailure) {
    guard cbluez_drop_capabilities(0) == 0 else { throw SystemFailure("giving up privileges") }
  }

  /// From here on no core dump has the memory of this process, and no other process of its user may
  /// look at it.
  package static func keepOutOfDumps() { _ = cbluez_keep_out_of_dumps() }

  package static var isRoot: Bool { geteuid() == 0 }

  /// The file of this program, for commands to be copied.
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
