import Glibc
import Packets
package import Vocabulary

/// H4 packets over a stream socket or a serial port, either side of it. Never blocks; what the
/// other side does not take waits here.
///
/// The host's side survives what a line does to octets: out of step it throws everything away up to
/// the answer to the next HCI Reset (Vol 4, Part A, 4), which whoever reads `takeFaults` has to
/// send; half a packet whose rest does not come is dropped.
package final class H4Stream {
  package enum Side: Sendable { case host, controller }

  package enum Ending: Equatable, Sendable {
    case closed
    case broken(SystemFailure)
    /// Octets that begin no packet. Only at the controller's side: the host's goes on.
    case outOfStep(UInt8)
  }

  /// What was wrong with the octets of a controller.
  package enum Fault: Equatable, Sendable {
    /// No packet begins like this.
    case outOfStep([UInt8])
    /// So many octets came, and the answer to HCI Reset was not among them within `patience`: as
    /// from a port at another speed.
    case noAnswer(count: Int)
    /// The answer to HCI Reset was found behind so many octets.
    case backInStep(dropped: Int)
    /// So many octets of a packet came, out of so many (nothing when not even its length had come),
    /// and no more.
    case halfPacket(count: Int, of: Int?)
    /// The kernel had no room for so many packets.
    case packetsDropped(Int)
  }

  /// A packet whose next octet does not come within this is given up. At 9600 baud an octet takes a
  /// millisecond.
  package static let patience = TimeSpan.seconds(1)

  package let descriptor: Int32
  private let side: Side
  private let isSocket: Bool
  private var reader: H4Reader
  private var outgoing: [UInt8] = []
  private var sent = 0
  private var block = [UInt8](repeating: 0, count: 16384)
  private var faults: [Fault] = []
  /// Everything that had come was read, and nothing has been sent since that could be answered
  /// already: the next call does not read.
  private var isDrained = false
  /// Octets are thrown away up to the answer to HCI Reset.
  private var isOutOfStep = false
  /// What `reader.discarded` was when that began.
  private var discardedBefore = 0
  /// When the first octet came that has been thrown away since; nothing when none has, or when that
  /// was told.
  private var strayedAt: Moment?
  private var lastOctet: Moment?
  package private(set) var ending: Ending?

  /// A socket that is connected.
  package init(descriptor: Int32, side: Side = .controller) {
    self.descriptor = descriptor
    self.side = side
    isSocket = true
    reader = H4Reader(isFromController: side == .host)
  }

  /// The host's side.
  package init(connectingTo address: H4Address, patience: TimeSpan = .seconds(5)) throws(SystemFailure) {
    side = .host
    reader = H4Reader(isFromController: true)
    if case .serial(let device, let baud) = address {
      descriptor = try SerialPort.open(device, baud: baud)
      isSocket = false
      // Somebody may have been talking for long: nothing counts before the answer to Reset.
      isOutOfStep = true
    } else {
      descriptor = try Sockets.connected(to: address, patience: patience)
      isSocket = true
    }
  }

  deinit { if isSocket { close(descriptor) } else { SerialPort.close(descriptor) } }

  /// Whether the loop should tell when the socket takes more.
  package var wantsToWrite: Bool { sent < outgoing.count && ending == nil }

  /// Octets that the other side has not taken yet.
  package var backlog: Int { outgoing.count - sent }

  /// When `receive` should be called though nothing has come: half a packet is given up then.
  package var nextMoment: Moment? {
    guard side == .host, ending == nil else { return nil }
    if isOutOfStep { return strayedAt.map { $0 + Self.patience } }
    guard reader.pending > 0, let lastOctet else { return nil }
    return lastOctet + Self.patience
  }

  package func send(_ packet: [UInt8]) {
    guard ending == nil else { return }
    isDrained = false
    outgoing.append(contentsOf: packet)
    flush()
  }

  /// Gives the other side what waits.
  package func flush() {
    while sent < outgoing.count {
      let count = outgoing.withUnsafeBytes { bytes in
        let start = bytes.baseAddress.map { $0 + sent }
        return isSocket
          ? Glibc.send(descriptor, start, bytes.count - sent, Int32(MSG_NOSIGNAL)) : write(descriptor, start, bytes.count - sent)
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

  package func takeFaults() -> [Fault] {
    defer { faults = [] }
    return faults
  }

  /// All whole packets that have arrived, type octet first; behind a fault they end, and come with
  /// the next call. When none come any more, `ending` says why.
  package func receive(at now: Moment? = nil) -> [[UInt8]] {
    guard ending == nil else { return [] }
    var packets: [[UInt8]] = []
    // What was left behind a fault.
    if !cut(into: &packets) { return packets }
    // Bounded, so that a flood cannot keep the loop from its timers.
    for _ in 0..<(isDrained ? 0 : 16) {
      let count = isSocket ? recv(descriptor, &block, block.count, 0) : read(descriptor, &block, block.count)
      if count > 0 {
        if isOutOfStep, reader.discarded == discardedBefore { strayedAt = now }
        lastOctet = now
        reader.push(block[..<count])
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

  /// Half a packet is given up when its time is over.
  private func withoutRest(_ packets: [[UInt8]], at now: Moment?) -> [[UInt8]] {
    if let now, let moment = nextMoment, moment <= now { faults.append(isOutOfStep ? despair() : giveUp()) }
    return packets
  }

  /// Cuts packets out of what has come. False when a fault ends that for now.
  private func cut(into packets: inout [[UInt8]]) -> Bool {
    if isOutOfStep {
      guard reader.resync() else { return true }
      isOutOfStep = false
      strayedAt = nil
      let dropped = reader.discarded - discardedBefore
      if dropped > 0 { faults.append(.backInStep(dropped: dropped)) }
    }
    do throws(H4Error) {
      while let frame = try reader.nextFrame() { packets.append(frame) }
      return true
    } catch {
      switch error {
      case .unknownType(let octet) where side == .controller: ending = .outOfStep(octet)
      case .unknownType(let octet): fallOutOfStep([octet])
      case .implausible(let bytes), .malformed(let bytes, _): fallOutOfStep(bytes)
      }
      return false
    }
  }

  private func fallOutOfStep(_ bytes: [UInt8]) {
    isOutOfStep = true
    discardedBefore = reader.discarded
    strayedAt = lastOctet
    faults.append(.outOfStep(bytes))
  }

  private func despair() -> Fault {
    strayedAt = nil
    return .noAnswer(count: reader.discarded - discardedBefore + reader.pending)
  }

  private func giveUp() -> Fault {
    let (count, whole) = reader.dropPending()
    return .halfPacket(count: count, of: whole)
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
