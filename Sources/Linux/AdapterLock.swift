import Glibc

/// The right of one tooth to take an adapter and to give it back. Its helper holds it as long as
/// the adapter is not in its original state, so that no other tooth sees a state in between.
///
/// It is an abstract Unix socket, such as `@tooth-hci0`, which the kernel removes with its process.
/// It keeps no other program away. A process that takes the name without taking the adapter delays
/// others by `AdapterClaim.handover` at most.
package final class AdapterLock: Sendable {
  package let index: UInt16
  private let descriptor: Int32

  /// Fails if another process has it.
  package init?(_ index: UInt16) {
    self.index = index
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    guard Sockets.claim(descriptor, abstract: "tooth-hci\(index)") else {
      close(descriptor)
      return nil
    }
  }

  deinit { close(descriptor) }
}
