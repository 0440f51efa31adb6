import Exchange
import Glibc
import Host
import KeeperProcess
import Packets
import Runner
import Session
import Simulator
import Testing
import Vocabulary

@testable import World

/// Bonded devices that change their private addresses, with controllers with and without a
/// resolving list. The tests check the connection requests and scans in the log of the air.
@Suite struct ResolvingWorldTests {
  private static func lamp(_ name: String) -> String {
    """
    peripheral \(name) named "\(name)"
      advertise 0xFFF0 every 100ms
      service 0xFFF0
        characteristic 0xFFF1 can read needs encryption starts as "secret light"
      end
    end

    """
  }

  private static let lamps = ["lamp", "lantern"]
  private static func identity(_ name: String) -> Address { Address.simulated(name) }

  private static func list(_ size: Int = 8, _ fault: ControllerModel.ResolvingListFault? = nil) -> ControllerModel {
    ControllerModel(isExtended: true, resolvingListSize: size, resolvingListFault: fault)
  }

  /// A keeper that is bonded with both lamps and has no pending request. The lamps change their
  /// private addresses every 3 s if `isHidden`.
  private final class Bonded {
    let world: KeptWorld
    private let playground = Playground()

    init(
      _ model: ControllerModel = .privacy, kills: [Int] = [], privateFor: TimeSpan? = nil, isHidden: Bool = true
    ) throws {
      let toolbox = Toolbox(
        entropy: .seeded(SplitMix(seed: 3)), bonds: .folder(BondFolder(state: playground.path)))
      world = try KeptWorld(
        devices: lamps.map { lamp($0) }.joined(), form: .packets, kills: kills, model: model,
        host: HostConfiguration(maximumCentrals: 8, privateFor: privateFor), toolbox: toolbox)
      for name in lamps {
        world.ask(.connect(ConnectRequest(peer: identity(name), pending: true)))
        world.run(.seconds(4))
        let paired = world.ask(.gatt(identity(name), .pair(PairRequest(), renews: false)))
        world.run(.seconds(4))
        #expect(
          outcome(paired).map { if case .success(.paired) = $0 { true } else { false } } ?? false, "\(name): \(world.reports)")
        world.ask(.disconnect(identity(name)))
        world.run(.seconds(2))
      }
      for name in lamps where isHidden { hide(name) }
      world.run(.seconds(4))
      forget()
    }

    func hide(_ name: String) {
      world.air.order(name, at: world.now) { node, now in node.hide(for: .seconds(3), seed: 1, at: now) }
    }

    func forget() { _ = world.air.takeLog() }

    func outcome(_ id: OperationID) -> Result<Outcome, Failure>? {
      for report in world.reports { if case .completed(id, let result) = report.event { return result } }
      return nil
    }

    /// The links that were reported for a connection request.
    func links(_ id: OperationID) -> [LinkInfo] {
      world.reports.compactMap { if case .connected(id, _, let info) = $0.event { info } else { nil } }
    }

    func wait(for name: String = "lamp") -> OperationID {
      world.ask(.connect(ConnectRequest(peer: identity(name), pending: true)))
    }

    /// Moves a lamp out of range.
    func vanish(_ name: String = "lamp") throws {
      let lamp = try #require(world.air.controller(of: name))
      let moment = world.now.moment
      world.air.make { $0.vanish(lamp, at: moment) }
    }

    func appear(_ name: String = "lamp") throws {
      let lamp = try #require(world.air.controller(of: name))
      let moment = world.now.moment
      world.air.make { $0.appear(lamp, at: moment) }
    }

    var notes: [String] {
      world.reports.compactMap { if case .noted(let level, let text) = $0.event, level != .debug { text } else { nil } }
    }

    /// The number of commands with this opcode that the controller received.
    func count(_ opcode: HCIOpcode) -> Int {
      world.line.packets.count {
        $0.count > 3 && $0[0] == 1 && UInt16($0[1]) | UInt16($0[2]) << 8 == opcode.raw
      }
    }
  }

  private static func called(_ log: [AirRecord]) -> [Address] { log.compactMap { $0.kind == .connectRequest ? $0.to : nil } }
  private static func isScanned(_ log: [AirRecord]) -> Bool {
    log.contains { $0.kind == .advertisement || $0.kind == .scanRequest }
  }

  /// Expects that a pending request leads to an encrypted link in time. Returns the air's log.
  private static func expectLink(_ bonded: Bonded, _ name: String = "lamp", within span: TimeSpan) throws -> [AirRecord] {
    let id = bonded.wait(for: name)
    bonded.world.run(span)
    #expect(bonded.links(id).map(\.encrypted) == [true], "\(bonded.world.reports.suffix(6))")
    let log = bonded.world.air.takeLog()
    #expect(log.allSatisfy { $0.kind != .violation }, "\(log.filter { $0.kind == .violation }.map(\.line))")
    #expect(called(log).allSatisfy { $0.isResolvablePrivate } && !called(log).isEmpty)
    // The bond is used, so there are no SMP packets.
    #expect(log.allSatisfy { $0.channel != 6 })
    return log
  }

  private static func letGo(_ bonded: Bonded, _ name: String = "lamp") {
    bonded.world.ask(.disconnect(identity(name)))
    bonded.world.run(.seconds(7))
    bonded.forget()
  }

  @Test func aBondedDeviceIsConnectedWithoutAScan() throws {
    let bonded = try Bonded()
    var addresses = Set<Address>()
    for _ in 1...6 {
      let log = try Self.expectLink(bonded, within: .seconds(4))
      #expect(!Self.isScanned(log))
      addresses.formUnion(Self.called(log))
      Self.letGo(bonded)
    }
    #expect(addresses.count > 3, "it did not rotate")
    // The lamp is out of range for a while and has another address when it returns.
    try bonded.vanish()
    let id = bonded.wait()
    bonded.world.run(.seconds(50))
    try bonded.appear()
    bonded.world.run(.seconds(5))
    #expect(bonded.links(id).count == 1)
    #expect(!Self.isScanned(bonded.world.air.takeLog()))
  }

  /// Until the list has resolved an address, it is probed for 2 s per minute and not more.
  @Test func theListIsProbedOnlyUntilItHasResolvedAnAddress() throws {
    let bonded = try Bonded()
    try bonded.vanish()
    let id = bonded.wait()
    let scans = bonded.count(.leSetExtendedScanEnable)
    bonded.world.run(.minutes(10))
    #expect((18...20).contains(bonded.count(.leSetExtendedScanEnable) - scans))
    try bonded.appear()
    bonded.world.run(.seconds(5))
    #expect(bonded.links(id).count == 1)
    Self.letGo(bonded)
    // The list has now resolved an address.
    try bonded.vanish()
    _ = bonded.wait()
    let later = bonded.count(.leSetExtendedScanEnable)
    bonded.world.run(.minutes(10))
    #expect(bonded.count(.leSetExtendedScanEnable) == later)
    #expect(bonded.notes == [])
  }

  @Test func aListThatResolvesNothingIsGivenUp() throws {
    let bonded = try Bonded(Self.list(8, .resolvesNothing))
    let log = try Self.expectLink(bonded, within: .seconds(75))
    #expect(Self.isScanned(log))
    #expect(bonded.notes.count { $0.contains("resolves no private addresses") } == 1, "\(bonded.notes)")
    // Later requests scan at once.
    for name in Self.lamps.reversed() {
      Self.letGo(bonded, "lamp")
      _ = try Self.expectLink(bonded, name, within: .seconds(12))
    }
    #expect(bonded.notes.count == 1)
  }

  /// Some controllers resolve no address and fail every attempt through the filter accept list.
  /// Direct attempts need neither list.
  @Test(arguments: [false, true]) func aDirectAttemptNeedsNoList(isPending: Bool) throws {
    let bonded = try Bonded(Self.list(8, .failsLists), isHidden: false)
    let id = bonded.world.ask(.connect(ConnectRequest(peer: Self.identity("lamp"), pending: isPending)))
    bonded.world.run(.seconds(6))
    #expect(bonded.links(id).map(\.encrypted) == [true], "\(bonded.world.reports.suffix(6))")
    #expect(bonded.count(.leSetAddressResolutionEnable) > 0)
  }

  @Test(arguments: [list(8, .refuses), ControllerModel(isExtended: true, resolvingListSize: 8, missing: [.leSetPrivacyMode])])
  func aRefusedListIsReplacedByScans(_ model: ControllerModel) throws {
    let bonded = try Bonded(model)
    let log = try Self.expectLink(bonded, within: .seconds(12))
    #expect(Self.isScanned(log))
    #expect(bonded.notes == [])
  }

  /// The list has room for one lamp, and scans find the other.
  @Test func devicesBeyondTheListAreFoundToo() throws {
    let bonded = try Bonded(Self.list(1))
    let ids = Self.lamps.map { bonded.wait(for: $0) }
    bonded.world.run(.seconds(15))
    for id in ids { #expect(bonded.links(id).map(\.encrypted) == [true], "\(bonded.world.reports.suffix(6))") }
    #expect(Self.called(bonded.world.air.takeLog()).count >= 2)
    #expect(bonded.count(.leSetAddressResolutionEnable) > 0)
  }

  @Test(arguments: [false, true]) func aPendingRequestSurvivesAReset(_ isAway: Bool) throws {
    let bonded = try Bonded()
    if isAway { try bonded.vanish() }
    let id = bonded.wait()
    if isAway { bonded.world.run(.seconds(5)) }
    // After Hardware Error the host resets and initialises the controller.
    bonded.world.line.say([0x04, 0x10, 0x01, 0x01])
    bonded.world.run(.seconds(2))
    if isAway { try bonded.appear() }
    bonded.world.run(.seconds(8))
    let links = bonded.links(id)
    #expect(links.allSatisfy(\.encrypted) && !links.isEmpty, "\(bonded.world.reports.suffix(6))")
    #expect(bonded.world.resets == 2)
    if isAway { #expect(!Self.isScanned(bonded.world.air.takeLog())) }
  }

  /// The keeper is killed while it fills the list, and later.
  @Test func theSuccessorOfAKilledKeeperKnowsTheList() throws {
    func run(_ kills: [Int], _ judge: (Bonded, Int) -> Void) throws {
      let bonded = try Bonded(kills: kills)
      let first = bonded.world.steps
      try bonded.vanish()
      let id = bonded.wait()
      bonded.world.run(.seconds(5))
      try bonded.appear()
      bonded.world.run(.seconds(6))
      // A command that may have been sent is not repeated; instead the controller is reset later.
      if bonded.world.killedAt.first == .giving { return }
      #expect(bonded.links(id).map(\.encrypted) == [true], "killed at \(kills): \(bonded.world.reports.suffix(6))")
      let log = bonded.world.air.takeLog()
      #expect(!Self.isScanned(log), "killed at \(kills)")
      #expect(bonded.world.resets == 1, "killed at \(kills)")
      judge(bonded, first)
    }
    var steps = 0..<0
    try run([]) { steps = $1..<$0.world.steps }
    #expect(steps.count > 20)
    let stride = getenv("FULL") == nil ? max(1, steps.count / 12) : 1
    for step in Swift.stride(from: steps.lowerBound + 1, to: steps.upperBound, by: stride) {
      try run([step]) { bonded, _ in #expect(bonded.world.deaths == 1) }
    }
  }

  @Test func aForgottenBondIsNotResolved() throws {
    let bonded = try Bonded()
    try bonded.vanish()
    let (id, other) = (bonded.wait(), bonded.wait(for: "lantern"))
    bonded.world.run(.seconds(5))
    #expect(bonded.links(other).count == 1)
    let before = bonded.world.reports.count
    let clearings = bonded.count(.leClearResolvingList)
    let forgotten = bonded.world.ask(.forgetBond(Self.identity("lamp")))
    bonded.world.run(.seconds(2))
    #expect(bonded.outcome(forgotten).map { if case .success = $0 { true } else { false } } ?? false)
    #expect(bonded.count(.leClearResolvingList) == clearings + 1)
    try bonded.appear()
    bonded.world.run(.seconds(20))
    // The lamp is no longer bonded, so its address is not resolved.
    #expect(bonded.links(id) == [])
    // The link to the lantern was not lost.
    #expect(
      !bonded.world.reports.dropFirst(before).contains {
        if case .disconnected(Self.identity("lantern"), _) = $0.event { true } else { false }
      })
    let calls = Self.called(bonded.world.air.takeLog())
    #expect(calls.count == 1, "\(calls)")
  }

  /// Both ends use private addresses, which the other end resolves with its bond.
  @Test func bothEndsUsePrivateAddresses() throws {
    let bonded = try Bonded(privateFor: .seconds(5))
    var callers = Set<Address>()
    for _ in 1...4 {
      let log = try Self.expectLink(bonded, within: .seconds(5))
      #expect(!Self.isScanned(log))
      callers.formUnion(log.compactMap { $0.kind == .connectRequest ? $0.from : nil })
      Self.letGo(bonded)
    }
    #expect(callers.count > 1 && callers.allSatisfy { $0.isResolvablePrivate }, "\(callers)")
    // The addresses change while the request is pending.
    try bonded.vanish()
    let id = bonded.wait()
    bonded.world.run(.seconds(40))
    try bonded.appear()
    bonded.world.run(.seconds(5))
    #expect(bonded.links(id).map(\.encrypted) == [true])
    #expect(!Self.isScanned(bonded.world.air.takeLog()))
  }

  /// A run with its own host is killed while it waits. The next process resets the controller and
  /// fills the list again.
  @Test func aKilledRunWaitsAgainWithoutAScan() throws {
    for turn in 0..<(getenv("FULL") == nil ? 4 : 40) {
      let fixture = try Fixture(
        recipe: """
          use pairing automatic
          scan for "lamp" as lamp
          connect to lamp
          on connect of lamp
            read 0xFFF1 as value
            print value.text()
          end
          reconnect forever

          """, devices: Self.lamp("lamp"), adapter: .privacy)
      try fixture.start()
      _ = fixture.world.run(for: .seconds(20))
      #expect(fixture.output == "secret light\n", "\(fixture.errors)")
      let lamp = try #require(fixture.world.air.controller(of: "lamp"))
      fixture.world.air.order("lamp", at: fixture.world.now) { node, now in node.hide(for: .seconds(3), seed: 1, at: now) }
      let moment = fixture.world.now.moment
      fixture.world.air.make { $0.vanish(lamp, at: moment) }
      // The link is lost shortly before or after the kill.
      _ = fixture.world.run(for: .seconds(5) + .milliseconds(37) * Int64(turn))
      fixture.world.drop()
      _ = fixture.world.air.takeLog()
      try fixture.start()
      _ = fixture.world.run(for: .seconds(10))
      let later = fixture.world.now.moment
      fixture.world.air.make { $0.appear(lamp, at: later) }
      _ = fixture.world.run(for: .seconds(10))
      let log = fixture.world.air.takeLog()
      #expect(fixture.output == "secret light\nsecret light\n", "\(fixture.output) \(fixture.errors)")
      #expect(!Self.isScanned(log), "\(fixture.errors)")
      #expect(Self.called(log).allSatisfy { $0.isResolvablePrivate })
    }
  }
}
