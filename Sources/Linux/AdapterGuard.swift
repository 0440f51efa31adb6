import CBluez
import Glibc
package import Vocabulary

/// A helper process that takes adapters for us and gives them back in their original state, even if
/// this process is killed.
///
/// It keeps CAP_NET_ADMIN, so that this process can drop all privileges and an unplugged adapter
/// can still be taken again. It is a copy of this process with no descriptor but the socket to us.
/// Each message is one datagram.
package final class AdapterGuard {
  /// The socket to the helper. It is readable when an awaited adapter was taken.
  package let descriptor: Int32

  private enum Order: UInt8 { case take = 1, await = 2, release = 3, adopt = 4 }

  /// Longer than a claim takes with all its attempts.
  private static let patience = TimeSpan.seconds(60)

  /// Starts the helper. After that, this process may drop its privileges.
  package init() throws(SystemFailure) {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw SystemFailure("starting the helper that takes adapters")
    }
    let side = cbluez_fork_helper(ends[1], "tooth-guard")
    if side == 0 {
      // In the helper the socket has the number 3.
      var server = AdapterGuardServer(socket: 3)
      server.run()
      _exit(0)
    }
    close(ends[1])
    guard side > 0 else {
      close(ends[0])
      throw SystemFailure("starting the helper that takes adapters")
    }
    descriptor = ends[0]
  }

  /// Adopts the helper of an earlier process by a kept end of its socket; `nil` if it has ended.
  ///
  /// The helper gives the adapter back when the last holder closes this end. So it stays as long as
  /// the end is kept with the adapter's own socket.
  package init?(adopting descriptor: Int32) {
    var octet: UInt8 = 0
    let count = recv(descriptor, &octet, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
    guard count > 0 || count < 0 && errno == EAGAIN else {
      close(descriptor)
      return nil
    }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Passes a claim of an earlier process to a helper. A helper that already has one ignores it.
  /// Pending messages of the helper are dropped.
  package func adopt(_ claim: AdapterClaim) throws(AdapterFault) {
    var writer = ByteWriter()
    writer.put(Order.adopt.rawValue)
    claim.write(to: &writer)
    try order(writer.bytes)
    let deadline = SystemClock.now().moment + .seconds(5)
    while true {
      guard Poll.wait(for: [Poll.Interest(descriptor)], until: deadline)[0].reads else {
        throw .system(SystemFailure("asking the helper that takes adapters", code: ETIMEDOUT))
      }
      var block = [UInt8](repeating: 0, count: 8192)
      var passed: Int32 = -1
      let count = cbluez_receive_descriptor(descriptor, &block, block.count, &passed)
      if passed >= 0 { close(passed) }
      guard count > 0 else { throw AdapterFault(.system, "the helper that takes adapters has ended") }
      if block[0] == AdapterGuardServer.adopted { return }
    }
  }

  /// Takes an adapter and waits until it is taken; `any` excludes these others.
  package func take(_ name: AdapterName, except others: [AdapterName] = [], cutting: Bool) throws(AdapterFault) -> AdapterClaim {
    try order(.take, name, except: others, cutting: cutting)
    let ready = Poll.wait(for: [Poll.Interest(descriptor)], until: SystemClock.now().moment + Self.patience)
    guard ready[0].reads else { throw .system(SystemFailure("taking \(name)", code: ETIMEDOUT)) }
    return try receive()
  }

  /// Requests an adapter that is missing or unusable now. The descriptor is readable when it was
  /// taken.
  package func await(_ name: AdapterName, except others: [AdapterName] = []) throws(AdapterFault) {
    try order(.await, name, except: others, cutting: false)
  }

  private func order(_ order: Order, _ name: AdapterName, except others: [AdapterName], cutting: Bool) throws(AdapterFault) {
    let others = others.suffix(AdapterGuardServer.exceptions)
    try self.order(
      [order.rawValue, cutting ? 1 : 0] + name.encoded + [UInt8(truncatingIfNeeded: others.count)] + others.flatMap(\.encoded))
  }

  /// Returns the helper's answer.
  package func receive() throws(AdapterFault) -> AdapterClaim {
    var block = [UInt8](repeating: 0, count: 8192)
    var passed: Int32 = -1
    let count = cbluez_receive_descriptor(descriptor, &block, block.count, &passed)
    guard count > 0 else { throw AdapterFault(.system, "the helper that takes adapters has ended") }
    let answer: Result<AdapterClaim, AdapterFault>
    do throws(DecodeError) {
      answer = try Self.answer(block.span.bytes.extracting(first: Int(count)), passed)
    } catch {
      answer = .failure(AdapterFault(.system, "the helper that takes adapters gave an invalid answer: \(error)"))
    }
    if case .failure = answer, passed >= 0 { close(passed) }
    return try answer.get()
  }

  private static func answer(_ bytes: RawSpan, _ passed: Int32) throws(DecodeError) -> Result<AdapterClaim, AdapterFault> {
    var reader = bytes
    guard try reader.readBool() else { return .failure(try AdapterFault(reading: &reader)) }
    let index = try reader.readUInt16()
    let wasPowered = try reader.readBool()
    let address = try reader.next(Address?.self)
    guard passed >= 0 else { return .failure(AdapterFault(.system, "the helper that takes adapters sent no socket")) }
    return .success(AdapterClaim(index: index, address: address, wasPowered: wasPowered, descriptor: passed))
  }

  /// Gives everything back through the helper. All descriptors of it must be closed here. Waits
  /// until that is done.
  package func release(within patience: TimeSpan = .seconds(4)) {
    guard (try? order([Order.release.rawValue])) != nil else { return }
    _ = Poll.wait(for: [Poll.Interest(descriptor)], until: SystemClock.now().moment + patience)
  }

  private func order(_ bytes: [UInt8]) throws(AdapterFault) {
    guard cbluez_send_descriptor(descriptor, bytes, bytes.count, -1) == bytes.count else {
      throw AdapterFault(.system, "the helper that takes adapters has ended")
    }
  }
}
