import CBluez
import Glibc

/// The user channel of a controller of the kernel: one H4 packet per datagram, its type octet
/// first. It never blocks; packets that the socket does not accept are kept here.
///
/// A duplicate of the descriptor keeps the controller up and its links alive. The last close sends
/// nothing to the controller.
package final class HCISocket {
  package enum Ending: Equatable, Sendable {
    /// Unplugged, or removed by the kernel.
    case gone
    case broken(SystemFailure)
  }

  /// The kernel needs 768 octets for each small packet, so this has room for about ten thousand.
  private static let queueLength: Int32 = 8 << 20
  /// Longer than any HCI packet with its type octet that the kernel delivers (Vol 4, Part E, 5.4
  /// allows 4 + 65,535; the kernel's limit is 1,028).
  private static let packetLength = 4096

  package let descriptor: Int32
  private var waiting: [[UInt8]] = []
  private var dropped: Int64 = 0
  private var block = [UInt8](repeating: 0, count: packetLength)
  package private(set) var ending: Ending?

  /// Adopts a bound descriptor.
  package init(adopting descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Returns a descriptor bound to the user channel of a controller that is off. Needs
  /// CAP_NET_ADMIN.
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

  /// The number of packets that the kernel dropped since the last call. If it is not 0, the state
  /// of links cannot be trusted.
  package func takeDropped() -> Int {
    let count = cbluez_drops(descriptor)
    defer { dropped = max(dropped, count) }
    return Int(clamping: max(0, count - dropped))
  }

  /// Whether the loop should report when the socket accepts more.
  package var hasPendingOutput: Bool { !waiting.isEmpty && ending == nil }

  package func send(_ packet: [UInt8]) {
    guard ending == nil else { return }
    waiting.append(packet)
    flush()
  }

  /// Writes pending packets to the socket.
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

  /// Returns the packets that have arrived. If no more will arrive, `ending` contains the reason.
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
    // Sockets of an unregistered controller return EPIPE, and are unbound afterwards.
    let isGone = [EPIPE, ENODEV, EBADFD, ENETDOWN, ENOTCONN, ESHUTDOWN].contains(code)
    ending = isGone ? .gone : .broken(SystemFailure("the HCI socket", code: code))
  }
}
