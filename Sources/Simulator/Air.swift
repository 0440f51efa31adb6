package import Packets
package import Vocabulary

/// Virtual controllers and the air between them, under a virtual clock.
///
/// Packets of hosts go in with `host`, time passes with `advance`, and packets to hosts come out of
/// `takeOutput`; `nextMoment` is when the next thing happens by itself. A value: the same seed and
/// the same calls give the same bytes. The air knows nothing of `Host`, so that it can disagree
/// with it.
///
/// Simplifications: a connection event takes no time, so an answer crosses at the next event at the
/// earliest; of the three advertising channels only the event is modelled; connection events of
/// different links never collide.
package struct Air: Sendable {
  package internal(set) var now: Moment
  /// Whether records are kept for `takeLog`.
  package var isLogging = true
  /// How often hosts did what no host may: more packets than credits, packets longer than the
  /// buffer.
  package internal(set) var violations = 0
  /// How likely a PDU is lost, for everybody; `setLoss` is for one controller.
  package var loss: Double = 0

  var random: SplitMix
  var controllers: [VirtualController] = []
  /// The places of dead links are reused.
  var links: [AirLink] = []
  var linkCount = 0
  /// How many controllers listen to advertising.
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

  /// A new controller. A random `address` is the identity of one without a public address: its host
  /// has to set it.
  package mutating func addController(
    address: Address, name: String, model: ControllerModel = .legacy, at time: Moment = .zero
  ) -> ControllerID {
    advance(to: time)
    let id = ControllerID(index: controllers.count)
    // A stream of its own: what one controller draws does not move what another draws.
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

  /// Links that at least one of its ends still believes in.
  package var liveLinks: Int { links.count { !$0.isDead } }

  /// When the next thing happens; nothing when the air only has to be kept as it is.
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
    }
  }

  /// Keeps `nextMoment` honest.
  mutating func dropStaleEntries() {
    while let entry = agenda.first, !isCurrent(entry) { agenda.removeFirst() }
  }

  /// A packet of this controller's host.
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

  /// One H4 packet, its type octet first.
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

  /// The host is gone without a word. Links, advertising and scanning go on until the next Reset;
  /// packets for it are lost.
  package mutating func hostGone(_ id: ControllerID, at time: Moment) {
    guard controllers.indices.contains(id.index) else { return }
    advance(to: time)
    controllers[id.index].hasHost = false
    record(AirRecord(time: now, kind: .hostGone, from: controllers[id.index].identity))
  }

  /// Packets to hosts, in order.
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

  /// An event, if the host did not mask it (Vol 4, Part E, 7.3.1, 7.3.69 and 7.8.1).
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
