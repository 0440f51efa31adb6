import Packets
import Simulator
import Testing
import Vocabulary

/// An air with two passive hosts. Received packets are kept with their times.
struct World {
  struct Arrival: Equatable, CustomStringConvertible {
    var time: Moment
    var packet: HCIPacket
    var description: String { "\(time.nanoseconds / 1000) us: \(packet)" }
  }

  static let phone = Address(bits: 0x0000_5E00_5301, kind: .public)
  static let strap = Address(bits: 0xC47C_8D6A_120F, kind: .random)
  static let advertising: [UInt8] = [2, 1, 6, 3, 3, 0x0D, 0x18]
  static let response: [UInt8] = [6, 9, 0x53, 0x74, 0x72, 0x61, 0x70]
  static let connection = ConnectionParameters(intervalMinimum: 24, intervalMaximum: 24, supervisionTimeout: 500)

  var air: Air
  let central: ControllerID
  let peripheral: ControllerID
  var arrivals: [[Arrival]] = [[], []]

  init(seed: UInt64 = 1, central: ControllerModel = .legacy, peripheral: ControllerModel = .legacy) {
    air = Air(seed: seed)
    self.central = air.addController(address: Self.phone, name: "phone", model: central)
    self.peripheral = air.addController(address: Self.strap, name: "strap", model: peripheral)
  }

  /// With both hosts initialised.
  static func ready(
    seed: UInt64 = 1, central: ControllerModel = .legacy, peripheral: ControllerModel = .legacy
  ) -> World {
    var world = World(seed: seed, central: central, peripheral: peripheral)
    for id in [world.central, world.peripheral] { world.initialise(id) }
    world.arrivals = [[], []]
    return world
  }

  mutating func initialise(_ id: ControllerID) {
    send(id, .reset)
    send(id, .setEventMask(0x2000_9FFF_FFFF_FFFF))
    send(id, .leSetEventMask(0x000F_FD7F))
    if id == peripheral { send(id, .leSetRandomAddress(Self.strap.bits)) }
  }

  mutating func send(_ id: ControllerID, _ command: HCICommand) { give(id, .command(command)) }

  mutating func give(_ id: ControllerID, _ packet: HCIPacket) {
    air.host(id, sends: packet, at: air.now)
    collect()
  }

  mutating func collect() {
    for output in air.takeOutput() {
      arrivals[output.controller.index].append(Arrival(time: output.time, packet: output.packet))
    }
  }

  mutating func advance(by span: TimeSpan) {
    air.advance(to: air.now + span)
    collect()
  }

  /// Advances until this host has received something, for at most a minute.
  mutating func wait(_ id: ControllerID, _ wanted: (HCIEvent) -> Bool) -> Moment? {
    let deadline = air.now + .minutes(1)
    let seen = arrivals[id.index].count
    while true {
      for arrival in arrivals[id.index].dropFirst(seen) {
        if case .event(let event, _) = arrival.packet, wanted(event) { return arrival.time }
      }
      guard let next = air.nextMoment, next <= deadline else { return nil }
      air.advance(to: next)
      collect()
    }
  }

  func events(_ id: ControllerID) -> [HCIEvent] {
    arrivals[id.index].compactMap { if case .event(let event, _) = $0.packet { event } else { nil } }
  }

  func acl(_ id: ControllerID) -> [ACLPacket] {
    arrivals[id.index].compactMap { if case .acl(let packet) = $0.packet { packet } else { nil } }
  }

  func lastStatus(_ id: ControllerID) -> HCIStatus? {
    for event in events(id).reversed() {
      switch event {
      case .commandComplete(let value): return value.status
      case .commandStatus(let value): return value.status
      default: continue
      }
    }
    return nil
  }

  /// When a host was told that the link ended, and why.
  func end(_ id: ControllerID) -> (time: Moment, reason: HCIStatus)? {
    for arrival in arrivals[id.index].reversed() {
      if case .event(.disconnectionComplete(let value), _) = arrival.packet { return (arrival.time, value.reason) }
    }
    return nil
  }

  func connected(_ id: ControllerID) -> (time: Moment, value: ConnectionComplete)? {
    for arrival in arrivals[id.index].reversed() {
      if case .event(.leConnectionComplete(let value), _) = arrival.packet { return (arrival.time, value) }
      if case .event(.leEnhancedConnectionComplete(let value), _) = arrival.packet { return (arrival.time, value.connection) }
    }
    return nil
  }

  mutating func advertise(interval: UInt16 = 160, type: AdvertisingType = .connectableUndirected, peer: Address = World.phone) {
    send(
      peripheral,
      .leSetAdvertisingParameters(
        AdvertisingParameters(intervalMinimum: interval, intervalMaximum: interval, type: type, ownAddressType: .random, peer: peer)
      ))
    send(peripheral, .leSetAdvertisingData(Self.advertising))
    send(peripheral, .leSetScanResponseData(Self.response))
    send(peripheral, .leSetAdvertisingEnable(true))
  }

  mutating func initiate(
    list: Bool = false, interval: UInt16 = 0x60, window: UInt16 = 0x60, connection: ConnectionParameters = World.connection
  ) {
    send(
      central,
      .leCreateConnection(
        CreateConnection(
          scanInterval: interval, scanWindow: window, useFilterAcceptList: list,
          peer: list ? Address(bits: 0, kind: .public) : Self.strap, connection: connection)))
  }

  /// A link between both, at the moment of Connection Complete.
  static func linked(
    seed: UInt64 = 1, central: ControllerModel = .legacy, peripheral: ControllerModel = .legacy,
    connection: ConnectionParameters = World.connection
  ) -> World {
    var world = ready(seed: seed, central: central, peripheral: peripheral)
    world.advertise()
    world.initiate(connection: connection)
    _ = world.wait(world.central) { if case .leConnectionComplete = $0 { true } else { false } }
    return world
  }

  var centralHandle: ConnectionHandle { connected(central)?.value.handle ?? ConnectionHandle(0xEEE) }
  var peripheralHandle: ConnectionHandle { connected(peripheral)?.value.handle ?? ConnectionHandle(0xEEE) }

  /// The moment of connection event 0.
  var anchor: Moment { (connected(central)?.time ?? .zero) + Air.transmitWindowDelay }

  func event(_ index: Int64) -> Moment { anchor + .microseconds(30_000) * index }

  /// An ATT PDU in one packet.
  static func frame(_ pdu: [UInt8]) -> [UInt8] { [UInt8(pdu.count & 0xFF), UInt8(pdu.count >> 8), 4, 0] + pdu }

  mutating func att(_ id: ControllerID, _ pdu: [UInt8]) {
    let handle = id == central ? centralHandle : peripheralHandle
    give(id, .acl(ACLPacket(handle: handle, boundary: .firstNonFlushable, data: Self.frame(pdu))))
  }

  mutating func disconnect(_ id: ControllerID, reason: HCIStatus = .remoteUserTerminated) {
    send(id, .disconnect(id == central ? centralHandle : peripheralHandle, reason: reason))
  }
}
