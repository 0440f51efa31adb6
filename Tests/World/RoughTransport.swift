import Adapters
import Glibc
import Linux
import Simulator
import Testing
import Vocabulary
import World

/// A controller on an unreliable serial line. The bytes of both directions go through a socket;
/// those from the controller can be changed, delayed, lost and inserted. It runs under the clock of
/// the test.
final class RoughTransport: Transport {
  let air: SimulatedAir
  let controller: ControllerID
  private var host: H4Stream?
  private var far: H4Stream?
  /// What a packet of the controller is turned into: bytes and their times.
  var onPacket: (_ packet: [UInt8], _ now: Moment) -> [(octets: [UInt8], after: TimeSpan)] = { packet, _ in [(packet, .zero)] }
  /// Packets of the host that do not reach the controller.
  var loses: (_ packet: [UInt8]) -> Bool = { _ in false }
  /// Unsolicited packets of the controller, with their times.
  var planned: [(due: Moment, does: (RoughTransport, Instant) -> Void)] = []
  /// Other controllers that exist, if none was named.
  var others: [String]?
  /// Until when the line cannot be opened.
  var closedUntil: Moment?
  private var held: [(due: Moment, octets: [UInt8])] = []
  private(set) var sent: [[UInt8]] = []
  private(set) var openings = 0
  private var refusal: String?

  init(air: SimulatedAir, controller: ControllerID) throws {
    self.air = air
    self.controller = controller
    connect()
    try #require(host != nil)
  }

  private func connect() {
    var ends: [Int32] = [0, 0]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      return
    }
    host = H4Stream(descriptor: ends[0], side: .host)
    far = H4Stream(descriptor: ends[1])
    openings += 1
  }

  /// Closes the other end.
  func hangUp() {
    far = nil
    held = []
  }

  /// Bytes for the host, unchanged.
  func say(_ octets: [UInt8]) { far?.send(octets) }

  /// The controller restarts by itself, silently.
  func restartController(at now: Instant) { air.hostGone(controller, at: now) }

  func send(_ packet: [UInt8], at now: Instant) {
    sent.append(packet)
    host?.send(packet)
  }

  func receive(at now: Instant) -> [[UInt8]] {
    while let index = planned.firstIndex(where: { $0.due <= now.moment }) { planned.remove(at: index).does(self, now) }
    for packet in far?.receive() ?? [] where !loses(packet) { air.send(packet, from: controller, at: now) }
    air.run(to: now)
    for packet in air.take(for: controller) {
      for part in onPacket(packet, now.moment) { held.append((now.moment + part.after, part.octets)) }
    }
    let due = held.filter { $0.due <= now.moment }
    held.removeAll { $0.due <= now.moment }
    for part in due { say(part.octets) }
    return host?.receive(at: now.moment) ?? []
  }

  func takeFaults() -> [H4Stream.Fault] { host?.takeFaults() ?? [] }
  func flush() { host?.flush() }

  var nextMoment: Moment? {
    ([air.nextMoment, host?.nextMoment] + held.map { $0.due } + planned.map { $0.due }).compactMap { $0 }.min()
  }

  var interest: Poll.Interest? { nil }

  var ending: String? {
    if let refusal { return refusal }
    return host?.ending.map { $0 == .closed ? "the line closed the connection" : "\($0)" }
  }

  var mayBeAnother: Bool { others != nil }

  /// Another controller is the same with nothing in flight.
  func takeAnother(at now: Instant) throws(SystemFailure) -> String {
    guard let name = others?.first else { throw SystemFailure("taking another adapter", code: ENODEV) }
    others?.removeFirst()
    onPacket = { packet, _ in [(packet, .zero)] }
    loses = { _ in false }
    planned = []
    try reopen(at: now)
    return name
  }

  func reopen(at now: Instant) throws(SystemFailure) {
    host = nil
    hangUp()
    if let closedUntil, now.moment < closedUntil {
      refusal = "connecting to the line: Connection refused"
      throw SystemFailure("connecting to the line", code: ECONNREFUSED)
    }
    refusal = nil
    connect()
  }
}
