package import Adapters
package import Exchange
package import Host
package import KeeperProcess
package import Linux
package import Packets
import Runner
package import Vocabulary

/// A host in this process, with its transport. Its outputs wait until the run has committed the
/// reports before them.
package final class LocalHost: HostPort {
  private var node: HostNode
  private let transport: any Transport
  private let console: Console
  private let zone: TimeZoneRules
  private let capture: Capture?
  private var gate = EffectGate()
  private var seed: UInt64 = 0

  /// Packets from the controller; those from `place` on are not handled yet.
  private var arrived: [[UInt8]] = []
  private var place = 0
  private var faults: [H4Stream.Fault] = []
  /// Packets of the host that wait for the next commit.
  private var outgoing: [[UInt8]] = []
  /// The packets among them that contain a secret, and the octet from which on.
  private var outgoingHidden: [(place: Int, from: Int)] = []
  /// Reports; those from `taken` on wait for the run.
  private var reports: [HostReport] = []
  private var taken = 0
  private var redaction = PacketRedaction()
  private var isTransportLost = false
  private var isEnding = false
  package private(set) var isEnded = false
  package private(set) var firstPacketAt: TimeSpan?

  /// The most packets to handle before the run has its turns, far fewer than the events that may
  /// wait for a handler.
  private static let mostAtOnce = 256

  package init(
    transport: any Transport, console: Console, zone: TimeZoneRules = .utc, capture: Capture? = nil, toolbox: Toolbox = Toolbox(),
    privateFor: TimeSpan? = nil, ownAddress: HostConfiguration.OwnAddress = .automatic
  ) {
    self.transport = transport
    self.console = console
    self.zone = zone
    self.capture = capture
    node = HostNode(
      configuration: HostConfiguration(
        ownAddress: ownAddress, maximumCentrals: HostLimits.centrals,
        asksSilentController: transport.canHang, isKernels: transport.isKernels,
        mayBeAnother: transport.mayBeAnother, privateFor: privateFor),
      toolbox: toolbox)
  }

  package func meet(_ introduction: () -> HostIntroduction, at now: Instant) throws(AdapterRefusal) -> HostMeeting? { nil }
  package func takeMeeting() -> HostMeeting? { nil }

  package func begin(seed: UInt64, through gate: EffectGate, at now: Instant) {
    self.seed = seed
    self.gate = gate
    feed(.started(seed: seed), at: now)
    // The reset of the controller depends on no commit, so it starts while the rest is being
    // opened.
    release(at: now)
  }

  // MARK: Sending

  package func send(_ request: HostRequest, at now: Instant) { feed(.request(request), at: now) }
  package func resumed(upTo: OperationID, except: [OperationID], at now: Instant) {}

  package var holdsPackets: Bool { !outgoing.isEmpty }

  /// Sends the host's packets after the commit of the reports before them. Otherwise a kill could
  /// lose the result of a discovery, which would have to be repeated.
  package func release(at now: Instant) {
    guard !outgoing.isEmpty else { return }
    let packets = outgoing
    let hidden = outgoingHidden
    outgoing = []
    outgoingHidden = []
    for (place, packet) in packets.enumerated() {
      gate.perform(.packet(packet)) {
        let hiddenFrom = hidden.first { $0.place == place }?.from
        capture?.record(packet, isSent: true, at: now.wall, hiddenFrom: hiddenFrom)
        show(packet, isSent: true, hiddenFrom: hiddenFrom, at: now)
        if firstPacketAt == nil { firstPacketAt = SystemClock.processTime() }
        transport.send(packet, at: now)
      }
      if gate.isKilled { return }
    }
  }

  private func feed(_ input: HostInput, at now: Instant) {
    guard !gate.isKilled else { return }
    let output = node.feed(input, at: now)
    for (place, from) in output.hidden { outgoingHidden.append((outgoing.count + place, from)) }
    outgoing += output.packets
    reports += output.reports
    if output.reopens { reopen(at: now) }
    if output.isClosed, isEnding { isEnded = true }
  }

  /// Reopens the connection to the controller for the host.
  private func reopen(at now: Instant) {
    outgoing = []
    outgoingHidden = []
    // What the old connection has delivered means nothing to the host that starts again.
    arrived = []
    place = 0
    faults = []
    do throws(SystemFailure) {
      if node.host.needsAnotherAdapter {
        log(.warning, "\(try transport.takeAnother(at: now)) is used instead", at: now)
      } else {
        try transport.reopen(at: now)
      }
      isTransportLost = false
      feed(.started(seed: seed), at: now)
    } catch {
      feed(.transportLost("\(error)"), at: now)
    }
  }

  // MARK: Receiving

  package func receive(at now: Instant) -> HostArrival {
    if arrived.isEmpty {
      arrived = transport.receive(at: now)
      faults += transport.takeFaults()
      if transport.isBack, isTransportLost { feed(.transportBack, at: now) }
      if arrived.isEmpty, faults.isEmpty { return .nothing }
    }
    let end = min(place + Self.mostAtOnce, arrived.count)
    while place < end, place < arrived.count {
      let packet = arrived[place]
      place += 1
      if capture != nil || showsPackets {
        let hiddenFrom = node.host.hiddenFrom(packet)
        capture?.record(packet, isSent: false, at: now.wall, hiddenFrom: hiddenFrom)
        show(packet, isSent: false, hiddenFrom: hiddenFrom, at: now)
      }
      feed(.packet(packet), at: now)
    }
    if place < arrived.count { return .more }
    arrived = []
    place = 0
    if !faults.isEmpty { takeFaults(at: now) }
    return .some
  }

  /// Passes faults in the input from the controller to the host.
  private func takeFaults(at now: Instant) {
    let faults = faults
    self.faults = []
    for fault in faults {
      switch fault {
      case .outOfStep: feed(.outOfStep(fault.text), at: now)
      case .packetsDropped(let count): feed(.packetsDropped(count), at: now)
      case .backInStep: log(.log, fault.text, at: now)
      case .noAnswer, .halfPacket: log(.warning, fault.text, at: now)
      }
    }
  }

  /// Adds packets as if the controller had sent them, for tests and measurements.
  package func inject(_ packets: [[UInt8]]) { arrived += packets }

  package func newest(before moment: Moment) -> EventNumber { EventNumber(0) }

  package func next(atRest: Bool) -> HostReport? {
    guard taken < reports.count else { return nil }
    let report = reports[taken]
    taken += 1
    if taken == reports.count {
      reports.removeAll(keepingCapacity: true)
      taken = 0
    }
    return report
  }

  // MARK: Time

  package var nextDeadline: Moment? { node.nextDeadline }
  package var nextMoment: Moment? { transport.nextMoment }
  // A stream that has ended is always ready.
  package var interest: Poll.Interest? { transport.ending == nil ? transport.interest : nil }
  package func flush() { transport.flush() }
  package func tidy() { capture?.flush() }

  package func wake(at now: Instant) {
    if let deadline = node.nextDeadline, deadline <= now.moment { feed(.deadline, at: now) }
    if !isTransportLost, let ending = transport.ending {
      isTransportLost = true
      feed(.transportLost(ending), at: now)
    }
  }

  // MARK: Closing

  package var keepsLinks: Bool { false }

  package func end(leavingLinks: Bool, at now: Instant) {
    guard !isEnding else { return }
    isEnding = true
    if isTransportLost { isEnded = true } else { feed(.closing, at: now) }
  }

  package func abandon(at now: Instant) {}
  package func close() { transport.close() }

  package var lastPackets: [BtsnoopRecord] { node.host.lastPackets }
  package var census: HostCensus { node.host.census }

  // MARK: Inspection

  private func log(_ level: LogLevel, _ text: String, at now: Instant) { console.log(level, text, at: now.wall, in: zone) }

  private var showsPackets: Bool { console.style.loudness >= .packets }

  /// Writes the protocol log of `--verbose`.
  private func show(_ packet: [UInt8], isSent: Bool, hiddenFrom: Int?, at now: Instant) {
    guard showsPackets else { return }
    let shown = redaction.redacted(packet, isSent: isSent, hiddenFrom: hiddenFrom)
    log(.debug, "\(isSent ? ">" : "<") \(Hex.text(shown))", at: now)
  }
}
