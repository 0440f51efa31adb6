import Glibc
import Packets
package import Vocabulary

/// H4 packets over a stream socket, either side of it. Never blocks; what the socket does not take waits here.
package final class H4Stream {
  package enum Ending: Equatable, Sendable {
    case closed
    case broken(SystemFailure)
    /// Octets that begin no packet.
    case outOfStep(UInt8)
  }

  package let descriptor: Int32
  private var reader = H4Reader()
  private var outgoing: [UInt8] = []
  private var sent = 0
  private var block = [UInt8](repeating: 0, count: 16384)
  package private(set) var ending: Ending?

  package init(descriptor: Int32) { self.descriptor = descriptor }

  package init(connectingTo address: H4Address, patience: TimeSpan = .seconds(5)) throws(SystemFailure) {
    descriptor = try Sockets.connected(to: address, patience: patience)
  }

  deinit { close(descriptor) }

  /// Whether the loop should tell when the socket takes more.
  package var wantsToWrite: Bool { sent < outgoing.count && ending == nil }

  /// Octets that the other side has not taken yet.
  package var backlog: Int { outgoing.count - sent }

  package func send(_ packet: [UInt8]) {
    guard ending == nil else { return }
    outgoing.append(contentsOf: packet)
    flush()
  }

  /// Gives the socket what waits.
  package func flush() {
    while sent < outgoing.count {
      let count = outgoing.withUnsafeBytes { bytes in
        Glibc.send(descriptor, bytes.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count < 0 {
        if errno == EINTR { continue }
        if errno == EAGAIN { break }
        // What the other side sent before it went can still be read: the end is told by `receive`.
        outgoing = []
        sent = 0
        return
      }
      sent += count
    }
    if sent == outgoing.count {
      outgoing.removeAll(keepingCapacity: true)
      sent = 0
    } else if sent > 65536 {
      outgoing.removeFirst(sent)
      sent = 0
    }
  }

  /// All whole packets that have arrived, type octet first. When none come any more, `ending` says why.
  package func receive() -> [[UInt8]] {
    guard ending == nil else { return [] }
    var packets: [[UInt8]] = []
    // Bounded, so that a flood cannot keep the loop from its timers.
    for _ in 0..<16 {
      let count = recv(descriptor, &block, block.count, 0)
      if count > 0 {
        reader.push(block[..<count])
        do {
          while let frame = try reader.nextFrame() { packets.append(frame) }
        } catch {
          if case .unknownType(let type) = error { ending = .outOfStep(type) }
          return packets
        }
        if count < block.count { return packets }
        continue
      }
      if count == 0 {
        ending = .closed
      } else if errno == EINTR {
        continue
      } else if errno != EAGAIN {
        ending = errno == ECONNRESET ? .closed : .broken(SystemFailure("reading from the controller"))
      }
      return packets
    }
    return packets
  }
}

/// A socket that takes H4 connections.
package final class H4Listener {
  package let descriptor: Int32
  private let path: String?

  package init(at address: H4Address) throws(SystemFailure) {
    descriptor = try Sockets.listening(at: address)
    if case .unix(let path) = address { self.path = path } else { path = nil }
  }

  deinit {
    close(descriptor)
    remove()
  }

  /// Takes the socket's file away.
  package func remove() { if let path { unlink(path) } }

  package func accept() -> H4Stream? { Sockets.accepted(by: descriptor).map { H4Stream(descriptor: $0) } }

  /// The port, where one was chosen by the kernel.
  package var port: UInt16? { Sockets.port(of: descriptor) }
}
