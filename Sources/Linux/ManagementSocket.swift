import CBluez
import Glibc
package import Packets
import Vocabulary

/// The kernel's management channel. Without privileges it can only be queried. With CAP_NET_ADMIN
/// when it is opened, it accepts commands, even after the capability was dropped.
package final class ManagementSocket {
  package enum Refusal: Error, Equatable {
    case status(ManagementStatus)
    case system(SystemFailure)
  }

  /// Powering off waits for links to end.
  private static let patience = TimeSpan.seconds(10)

  package let descriptor: Int32
  private var block = [UInt8](repeating: 0, count: 65536)
  /// Events that arrived while waiting for an answer.
  private var events: [ManagementEvent] = []

  package init() throws(SystemFailure) {
    descriptor = cbluez_hci_socket()
    guard descriptor >= 0 else { throw SystemFailure("opening the management channel") }
    guard cbluez_bind_control(descriptor) == 0 else {
      let failure = SystemFailure("opening the management channel")
      close(descriptor)
      throw failure
    }
  }

  deinit { close(descriptor) }

  /// Returns the events since the last call.
  package func takeEvents() -> [ManagementEvent] {
    while let event = next() { events.append(event) }
    defer { events = [] }
    return events
  }

  private func next() -> ManagementEvent? {
    while true {
      let count = recv(descriptor, &block, block.count, Int32(MSG_DONTWAIT))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return nil }
      if let event = try? ManagementEvent(encoded: Array(block[..<count])) { return event }
    }
  }

  /// Sends a command and waits for its answer.
  package func ask(_ command: ManagementCommand) throws(Refusal) -> [UInt8] {
    let bytes = command.encoded
    // The kernel returns 0 for a command that it answers with a refusal.
    guard write(descriptor, bytes, bytes.count) >= 0 else { throw .system(SystemFailure("asking the kernel")) }
    let deadline = SystemClock.now().moment + Self.patience
    while SystemClock.now().moment < deadline {
      while let event = next() {
        switch event {
        case .commandComplete(command.opcode, command.index, let status, let parameters):
          guard status == .success else { throw .status(status) }
          return parameters
        case .commandStatus(command.opcode, command.index, let status):
          // A Command Status replaces the answer to these commands only if they fail.
          throw .status(status)
        default: if events.count < 1024 { events.append(event) }
        }
      }
      _ = Poll.wait(for: [Poll.Interest(descriptor)], until: deadline)
    }
    throw .system(SystemFailure("waiting for the kernel", code: ETIMEDOUT))
  }

  private func ask<Answer: Portable>(_ command: ManagementCommand, for type: Answer.Type) throws(Refusal) -> Answer {
    let bytes = try ask(command)
    do throws(DecodeError) { return try Answer(encoded: bytes) } catch {
      throw .system(SystemFailure("reading what the kernel answered (\(error))", code: EBADMSG))
    }
  }

  package func indexes() throws(Refusal) -> [UInt16] {
    try ask(ManagementCommand(.readIndexList), for: ControllerIndexes.self).indexes
  }

  package func info(of index: UInt16) throws(Refusal) -> ControllerInfo {
    try ask(ManagementCommand(.readControllerInfo, index: index), for: ControllerInfo.self)
  }

  /// Returns the links that the kernel knows of; none if the controller is off.
  package func connections(of index: UInt16) throws(Refusal) -> [ControllerConnections.Peer] {
    do throws(Refusal) {
      return try ask(ManagementCommand(.getConnections, index: index), for: ControllerConnections.self).peers
    } catch {
      if error == .status(.notPowered) { return [] }
      throw error
    }
  }

  package func setPowered(_ index: UInt16, _ isPowered: Bool) throws(Refusal) {
    _ = try ask(.setPowered(index, isPowered))
  }
}
