import CBluez
import Glibc

/// The user channel of one of the kernel's controllers: one H4 packet a datagram, its type octet
/// first. Never blocks; what the socket does not take waits here.
///
/// Whoever holds a duplicate of the descriptor keeps the controller up and its links alive. The
/// last close sends nothing to the controller.
package final class HCISocket {
  package enum Ending: Equatable, Sendable {
    /// Unplugged, or taken away by the kernel.
    case gone
    case broken(SystemFailure)
  }

  /// The kernel keeps 768 octets for each small packet: about ten thousand of them.
  private static let queueLength: Int32 = 8 << 20
  /// Longer than any packet of HCI with its type octet (Vol 4, Part E, 5.4: 4 + 65,535; the
  /// kernel's own limit is 1,028).
  private static let packetLength = 4096

  package let descriptor: Int32
  private var waiting: [[UInt8]] = []
  private var dropped: Int64 = 0
  private var block = [UInt8](repeating: 0, count: packetLength)
  package private(set) var ending: Ending?

  /// Takes over a descriptor that is bound already.
  package init(adopting descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// A descriptor bound to the user channel of a controller that is off. Needs CAP_NET_ADMIN.
  package static func bound(to index: UInt16) throws(SystemFailure) -> Int32 {
    let descriptor = cbluez_hci_socket()
    guard descriptor >= 0 else { throw SystemFailure("opening an HCI socket") }
    guard cbluez_bind_user(descriptor, index) == 0 else {
      let failure = SystemFailure("taking hci\(index)")
      close(descriptor)
      throw failure
    }
    _ = cbluez_receive_queue(descriptor, queueLength)
    return descriptor
  }

  /// How many packets the kernel had to drop since this was asked last: nothing that is known of
  /// links can be trusted then.
  package func takeDropped() -> Int {
    let count = cbluez_drops(descriptor)
    defer { dropped = max(dropped, count) }
    return Int(clamping: max(0, count - dropped))
  }

  /// Whether the loop should tell when the socket takes more.
  package var wantsToWrite: Bool { !waiting.isEmpty && ending == nil }

  package func send(_ packet: [UInt8]) {
    guard ending == nil else { return }
    waiting.append(packet)
    flush()
  }

  /// Gives the socket what waits.
  package func flush() {
    var sent = 0
    while sent < waiting.count, ending == nil {
      let count = waiting[sent].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR { continue }
        if errno == EAGAIN { break }
        end(errno)
        break
      }
      sent += 1
    }
    if ending == nil { waiting.removeFirst(sent) } else { waiting = [] }
  }

  /// The packets that have arrived. When none come any more, `ending` says why.
  package func receive() -> [[UInt8]] {
    guard ending == nil else { return [] }
    var packets: [[UInt8]] = []
    // Bounded, so that a flood cannot keep the loop from its timers.
    while packets.count < 256 {
      let count = recv(descriptor, &block, block.count, Int32(MSG_DONTWAIT))
      if count > 0 {
        packets.append(Array(block[..<count]))
      } else if count == 0 {
        end(EPIPE)
        return packets
      } else if errno == EAGAIN {
        return packets
      } else if errno != EINTR {
        end(errno)
        return packets
      }
    }
    return packets
  }

  private func end(_ code: Int32) {
    // An unregistered controller leaves EPIPE on its sockets, and afterwards they are bound to
    // nothing.
    let isGone = [EPIPE, ENODEV, EBADFD, ENETDOWN, ENOTCONN, ESHUTDOWN].contains(code)
    ending = isGone ? .gone : .broken(SystemFailure("the HCI socket", code: code))
  }
}
