import Glibc
package import Linux
import Packets
package import Session
package import Simulator
package import Vocabulary

/// `tooth air`: a simulated air for hosts in other processes.
package final class AirServer {
  private let air: SimulatedAir
  private let listener: H4Listener
  /// The model of the controllers for hosts.
  private let model: ControllerModel
  private let log: Int32
  private let start: Instant
  private let console: Console
  private let zone: TimeZoneRules
  private var hosts: [(stream: H4Stream, controller: ControllerID)] = []
  /// Controllers without a host. They keep their links until the next host resets them.
  private var free: [ControllerID] = []
  private var count = 0
  private var waiting: [UInt8] = []
  private var blocked: SystemFailure?

  package init(
    air: SimulatedAir, listener: H4Listener, model: ControllerModel, log: String?, start: Instant, console: Console,
    zone: TimeZoneRules
  ) throws(SystemFailure) {
    self.air = air
    self.listener = listener
    self.model = model
    self.start = start
    self.console = console
    self.zone = zone
    if let log {
      self.log = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
      guard self.log >= 0 else { throw SystemFailure("writing \(log)") }
    } else {
      self.log = -1
    }
    air.isLogging = log != nil
  }

  deinit { if log >= 0 { close(log) } }

  /// The most octets that a host may leave unread: minutes of a busy air.
  private static let patience = 4 << 20

  /// Serves until a signal arrives, and returns it.
  package func run(signals: Signals) -> Signals.Kind {
    while true {
      for host in hosts { host.stream.flush() }
      var interests = [Poll.Interest(signals.descriptor), Poll.Interest(listener.descriptor)]
      interests += hosts.map { Poll.Interest($0.stream.descriptor, writes: $0.stream.hasPendingOutput) }
      let ready = Poll.wait(for: interests, until: air.nextMoment)
      let now = SystemClock.now()
      if let kind = signals.next() {
        writeLog()
        return kind
      }
      air.run(to: now)
      for index in hosts.indices where ready[index + 2].reads {
        for packet in hosts[index].stream.receive() { air.send(packet, from: hosts[index].controller, at: now) }
      }
      // Departing hosts make room for new ones.
      dismiss(at: now)
      if ready[1].reads { while let stream = listener.accept() { welcome(stream, at: now) } }
      for host in hosts { for packet in air.take(for: host.controller) { host.stream.send(packet) } }
      for (peripheral, level, text) in air.takeMessages() { console.log(level, "\(peripheral): \(text)", at: now.wall, in: zone) }
      writeLog()
    }
  }

  private func welcome(_ stream: H4Stream, at now: Instant) {
    let controller: ControllerID
    // The lowest one, so that successive hosts have the same address and thus the same bonds.
    if let lowest = free.min() {
      controller = lowest
      free.removeAll { $0 == lowest }
    } else {
      count += 1
      controller = air.addController(name: "host \(count)", model: model, at: now)
    }
    hosts.append((stream, controller))
    console.log(.debug, "a host connected (\(air.address(of: controller).map { "\($0)" } ?? "?"))", at: now.wall, in: zone)
  }

  private func dismiss(at now: Instant) {
    for index in hosts.indices.reversed() {
      let stream = hosts[index].stream
      guard stream.ending != nil || stream.backlog > Self.patience else { continue }
      if stream.ending == nil {
        console.log(.warning, "a host has stopped reading; disconnecting it", at: now.wall, in: zone)
      }
      if case .outOfStep(let octet)? = stream.ending {
        console.log(
          .warning, "a host sent 0x\(Hex.text(octet)), which does not begin a packet; disconnecting it", at: now.wall, in: zone)
      }
      let controller = hosts.remove(at: index).controller
      air.hostGone(controller, at: now)
      free.append(controller)
      console.log(.debug, "a host disconnected; its links stay until the next reset", at: now.wall, in: zone)
    }
  }

  /// Writes all records since the last call. Readers see them after a few milliseconds at most.
  private func writeLog() {
    guard log >= 0 else { return }
    for var record in air.takeLog() {
      // Relative to the start of the air, not of the machine.
      record.time = Moment(nanoseconds: (record.time - start.moment).nanoseconds)
      if let sent = record.sent { record.sent = Moment(nanoseconds: (sent - start.moment).nanoseconds) }
      waiting.append(contentsOf: Array(record.line.utf8))
      waiting.append(0x0A)
    }
    guard !waiting.isEmpty, blocked == nil else { return }
    do throws(SystemFailure) {
      try writeAll(log, waiting, named: "the log")
    } catch {
      blocked = error
      console.complain("\(error)")
    }
    waiting.removeAll(keepingCapacity: true)
  }
}
