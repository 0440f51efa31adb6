import Glibc
package import Packets
package import Vocabulary

/// H4 packets on a stream socket or a serial port, on either side. It never blocks; octets that the
/// other side does not accept are kept here.
///
/// The host's side survives transmission errors (`H4Framer`). The reader of `takeFaults` must reset
/// the controller.
package final class H4Stream {
  package enum Side: Sendable { case host, controller }

  package enum Ending: Equatable, Sendable {
    case closed
    case broken(SystemFailure)
    /// Octets that do not start a packet. Only on the controller's side; the host's side continues.
    case outOfStep(UInt8)
  }

  package typealias Fault = H4Fault
  package static let patience = H4Framer.patience

  package let descriptor: Int32
  private let side: Side
  private let isSocket: Bool
  private var framer: H4Framer
  private var outgoing = OutgoingBytes()
  private var block = [UInt8](repeating: 0, count: 16384)
  private var faults: [Fault] = []
  /// Whether all input was read, and nothing was sent since that could already be answered. Then
  /// the next call does not read.
  private var isDrained = false
  package private(set) var ending: Ending?

  /// Adopts a connected socket.
  package init(descriptor: Int32, side: Side = .controller) {
    self.descriptor = descriptor
    self.side = side
    isSocket = true
    framer = H4Framer(isFromController: side == .host)
  }

  /// Opens the host's side.
  package init(connectingTo address: H4Address, patience: TimeSpan = .seconds(5)) throws(SystemFailure) {
    side = .host
    if case .serial(let device, let baud) = address {
      descriptor = try SerialPort.open(device, baud: baud)
      isSocket = false
      framer = H4Framer(isFromController: true, isOutOfStep: true)
    } else {
      descriptor = try Sockets.connected(to: address, patience: patience)
      isSocket = true
      framer = H4Framer(isFromController: true)
    }
  }

  deinit { if isSocket { close(descriptor) } else { SerialPort.close(descriptor) } }

  /// Whether the loop should report when the socket accepts more.
  package var hasPendingOutput: Bool { outgoing.count > 0 && ending == nil }

  /// The number of octets that the other side has not accepted yet.
  package var backlog: Int { outgoing.count }

  /// When to call `receive` without input, because an incomplete packet expires.
  package var nextMoment: Moment? {
    guard side == .host, ending == nil else { return nil }
    return framer.answerDue ?? framer.halfPacketDue
  }

  package func send(_ packet: [UInt8]) {
    guard ending == nil else { return }
    isDrained = false
    outgoing.append(packet)
    flush()
  }

  /// Writes pending octets to the other side.
  package func flush() {
    outgoing.flush { start, count in
      isSocket ? Glibc.send(descriptor, start, count, Int32(MSG_NOSIGNAL)) : write(descriptor, start, count)
    }
  }

  package func takeFaults() -> [Fault] {
    defer { faults = [] }
    return faults
  }

  /// Returns all complete packets that have arrived, type octet first. They stop at a fault; the
  /// rest follows with the next call. If no more will arrive, `ending` contains the reason.
  package func receive(at now: Moment? = nil) -> [[UInt8]] {
    guard ending == nil else { return [] }
    var packets: [[UInt8]] = []
    // Packets left after a fault.
    if !cut(into: &packets) { return packets }
    // Bounded, so that a flood cannot keep the loop from its timers.
    for _ in 0..<(isDrained ? 0 : 16) {
      let count = isSocket ? recv(descriptor, &block, block.count, 0) : read(descriptor, &block, block.count)
      if count > 0 {
        framer.push(block[..<count], at: now)
        if !cut(into: &packets) { return packets }
        if count < block.count {
          isDrained = isSocket && side == .host
          return withoutRest(packets, at: now)
        }
        continue
      }
      if count == 0 {
        ending = .closed
      } else if errno == EINTR {
        continue
      } else if errno != EAGAIN {
        // EIO: the other end of the line is gone.
        let isGone = errno == ECONNRESET || !isSocket && [EIO, ENXIO, ENODEV].contains(errno)
        ending = isGone ? .closed : .broken(SystemFailure("reading from the controller"))
      }
      break
    }
    isDrained = false
    return withoutRest(packets, at: now)
  }

  /// Gives up an incomplete packet whose time is over.
  private func withoutRest(_ packets: [[UInt8]], at now: Moment?) -> [[UInt8]] {
    if let now, let moment = nextMoment, moment <= now { faults.append(framer.giveUp()) }
    return packets
  }

  /// Splits the input into packets. Returns false if a fault stops it for now.
  private func cut(into packets: inout [[UInt8]]) -> Bool {
    while let item = framer.next() {
      switch item {
      case .packet(let packet): packets.append(packet)
      case .fault(.outOfStep(let bytes)):
        if side == .controller { ending = .outOfStep(bytes.first ?? 0) } else { faults.append(.outOfStep(bytes)) }
        return false
      case .fault(let fault): faults.append(fault)
      }
    }
    return true
  }
}

/// A socket that accepts H4 connections.
package final class H4Listener {
  package let descriptor: Int32
  private let file: SocketFile?

  package init(at address: H4Address) throws(SystemFailure) {
    descriptor = try Sockets.listening(at: address)
    if case .unix(let path) = address { file = SocketFile(path) } else { file = nil }
  }

  deinit {
    close(descriptor)
    remove()
  }

  /// Removes the socket's file.
  package func remove() { file?.remove() }

  package func accept() -> H4Stream? { Sockets.accepted(by: descriptor).map { H4Stream(descriptor: $0) } }

  /// The TCP port, if the kernel chose it.
  package var port: UInt16? { Sockets.port(of: descriptor) }
}
