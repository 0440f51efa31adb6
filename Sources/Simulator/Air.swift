package import Packets
package import Vocabulary

/// Virtual controllers and the air between them, under a virtual clock.
///
/// `host` takes packets of hosts, `advance` moves the time, and `takeOutput` returns packets to
/// hosts. `nextMoment` is when the next event is due. It is a value: the same seed and the same
/// calls give the same bytes. It does not use `Host`, so that it can disagree with it.
///
/// Simplifications: a connection event takes no time, so a response crosses at the next event at
/// the earliest. An advertising event is one event, not one on each of three channels. Connection
/// events of different links never collide.
package struct Air: Sendable {
  package internal(set) var now: Moment
  /// Whether to keep records for `takeLog`.
  package var isLogging = true
  /// How often hosts violated the protocol: more packets than credits, or packets longer than the
  /// buffer.
  package internal(set) var violations = 0
  /// The probability that a PDU is lost, for all controllers; `setLoss` sets it for one.
  package var loss: Double = 0

  var random: SplitMix
  var controllers: [VirtualController] = []
  /// Indices of dead links are reused.
  var links: [AirLink] = []
  var linkCount = 0
  /// The number of controllers that listen to advertising.
  var listeners = 0
  var agenda = Agenda()
  private var output: [AirOutput] = []
  private var log: [AirRecord] = []
  private let seed: UInt64

  package init(seed: UInt64, at start: Moment = .zero) {
    self.seed = seed
    random = SplitMix(seed: seed)
    now = start
  }

  /// Adds a controller. A random `address` is the identity of one without a public address; its
  /// host must set it.
  package mutating func addController(
    address: Address, name: String, model: ControllerModel = .legacy, at time: Moment = .zero
  ) -> ControllerID {
    advance(to: time)
    let id = ControllerID(index: controllers.count)
    // A random stream for each controller, so that one does not influence another.
    var stream = SplitMix(seed: seed ^ UInt64(id.index + 1) &* 0xD1B5_4A32_D192_ED03)
    _ = stream.next()
    controllers.append(VirtualController(id: id, name: name, model: model, identity: address, random: stream))
    return id
  }

  package func name(of id: ControllerID) -> String {
    controllers.indices.contains(id.index) ? controllers[id.index].name : ""
  }

  package func address(of id: ControllerID) -> Address? {
    controllers.indices.contains(id.index) ? controllers[id.index].identity : nil
  }

  /// The number of links that at least one side still considers alive.
  package var liveLinks: Int { links.count { !$0.isDead } }

  /// When the next event is due; `nil` if nothing is scheduled.
  package var nextMoment: Moment? { agenda.first?.time }

  /// Performs everything that is due up to `time`. The clock never goes back.
  package mutating func advance(to time: Moment) {
    while let entry = agenda.first, entry.time <= time {
      agenda.removeFirst()
      guard isCurrent(entry) else { continue }
      now = max(now, entry.time)
      switch entry.owner {
      case .advertising(let controller, let set): advertise(controller, set)
      case .link(let index): linkDue(index)
      case .scan(let controller): endScan(controller)
      case .heldEvents(let controller): releaseHeldEvents(controller)
      }
    }
    now = max(now, time)
    dropStaleEntries()
  }

  private func isCurrent(_ entry: Agenda.Entry) -> Bool {
    switch entry.owner {
    case .advertising(let controller, let set):
      guard set < controllers[controller].sets.count else { return false }
      return controllers[controller].sets[set].generation == entry.generation
    case .link(let index): return links[index].generation == entry.generation
    case .scan(let controller): return controllers[controller].scanGeneration == entry.generation
    case .heldEvents(let controller): return !controllers[controller].faults.heldEvents.isEmpty
    }
  }

  /// Removes stale entries so that `nextMoment` is correct.
  mutating func dropStaleEntries() {
    while let entry = agenda.first, !isCurrent(entry) { agenda.removeFirst() }
  }

  /// Takes a packet from this controller's host.
  package mutating func host(_ id: ControllerID, sends packet: HCIPacket, at time: Moment) {
    guard controllers.indices.contains(id.index) else { return }
    advance(to: time)
    controllers[id.index].hasHost = true
    switch packet {
    case .command(let command): perform(command, id.index)
    case .acl(let packet): accept(packet, id.index)
    case .event: violation(id.index, "a host sent an event")
    case .sco, .iso: violation(id.index, "this controller has no SCO and no ISO")
    }
    dropStaleEntries()
  }

  /// Takes an H4 packet, its type octet first.
  package mutating func host(_ id: ControllerID, sends bytes: [UInt8], at time: Moment) {
    do {
      host(id, sends: try HCIPacket(encoded: bytes, name: "HCI packet"), at: time)
    } catch {
      guard controllers.indices.contains(id.index) else { return }
      advance(to: time)
      controllers[id.index].hasHost = true
      if bytes.count >= 4, bytes[0] == H4Type.command.rawValue {
        let handle = bytes.count >= 6 ? ConnectionHandle(UInt16(bytes[4]) | UInt16(bytes[5]) << 8) : nil
        refuse(HCIOpcode(UInt16(bytes[1]) | UInt16(bytes[2]) << 8), handle, id.index, .invalidParameters)
      } else {
        violation(id.index, "\(error)")
      }
      dropStaleEntries()
    }
  }

  /// Detaches a host without notice. Links, advertising and scanning continue until the next Reset;
  /// packets for it are lost.
  package mutating func hostGone(_ id: ControllerID, at time: Moment) {
    guard controllers.indices.contains(id.index) else { return }
    advance(to: time)
    controllers[id.index].hasHost = false
    record(AirRecord(time: now, kind: .hostGone, from: controllers[id.index].identity))
  }

  /// Returns the packets to hosts, in order.
  package mutating func takeOutput() -> [AirOutput] {
    defer { output = [] }
    return output
  }

  package mutating func takeLog() -> [AirRecord] {
    defer { log = [] }
    return log
  }

  mutating func emit(_ packet: HCIPacket, _ controller: Int) {
    guard controllers[controller].hasHost else { return }
    output.append(AirOutput(controller: controllers[controller].id, packet: packet, time: now))
  }

  /// Sends an event unless the host has masked it (Vol 4, Part E, 7.3.1, 7.3.69 and 7.8.1).
  mutating func emit(_ event: HCIEvent, _ controller: Int) {
    let bit: UInt64
    switch event {
    case .disconnectionComplete: bit = 4
    case .encryptionChange: bit = 7
    case .readRemoteVersionComplete: bit = 11
    case .hardwareError: bit = 15
    case .dataBufferOverflow: bit = 25
    case .encryptionKeyRefreshComplete: bit = 47
    case .authenticatedPayloadTimeoutExpired:
      if controllers[controller].eventMaskPage2 >> 23 & 1 == 1 { emit(.event(event), controller) }
      return
    case .commandComplete, .commandStatus, .numberOfCompletedPackets, .unknown:
      emit(.event(event), controller)
      return
    default:
      bit = 61
      guard controllers[controller].leEventMask >> UInt64(max(1, event.subevent ?? 1) - 1) & 1 == 1 else { return }
    }
    if controllers[controller].eventMask >> bit & 1 == 1 { emit(.event(event), controller) }
  }

  mutating func record(_ record: AirRecord) {
    if isLogging { log.append(record) }
  }

  mutating func violation(_ controller: Int, _ text: String) {
    violations += 1
    record(AirRecord(time: now, kind: .violation, from: controllers[controller].identity, note: text))
  }
}
