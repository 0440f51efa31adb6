import Exchange
import Packets
import Testing
import Vocabulary

@testable import Host

/// How the host uses the controller's resolving list to find bonded devices with private addresses
/// (Vol 4, Part E, 7.8.38 to 7.8.45 and 7.8.77).
@Suite struct ResolvingTests {
  private static let (strap, meter) = (LinkBench.strap, LinkBench.meter)
  private static let (strapKey, meterKey) = ([UInt8](repeating: 1, count: 16), [UInt8](repeating: 2, count: 16))
  private static let ownKey = [UInt8](repeating: 7, count: 16)
  private static let hidden = Address(bits: 0x4123_4567_89AB, kind: .random)
  private static let other = Address(bits: 0x4999_4567_89AB, kind: .random)

  private static func bond(_ identity: Address, _ key: [UInt8]?, hasOurs: Bool = false) -> Bond {
    Bond(
      identity: identity, keys: .secureConnections([UInt8](repeating: 3, count: 16)), isAuthenticated: false, keySize: 16,
      identityKey: key, hasOurs: hasOurs, lastAddress: identity, madeAt: .simulationStart)
  }

  static func bench(_ change: (inout ScriptedController) -> Void = { _ in }) -> LinkBench {
    var controller = ScriptedController()
    controller.hasResolvingList = true
    change(&controller)
    var bench = LinkBench(controller, start: false)
    bench.bonds = .bonds(
      LocalIdentity(address: LinkBench.valve, key: ownKey), [bond(strap, strapKey), bond(meter, meterKey, hasOurs: true)],
      unusable: [], remarks: [], memories: [])
    bench.makers = [hidden: strap, other: meter]
    bench.input(.started(seed: 7))
    return bench
  }

  private static func wait(_ bench: inout LinkBench, for peer: Address = strap) -> OperationID {
    bench.request(.connect(ConnectRequest(peer: peer, pending: true)))
  }

  private static let scans: [HCIOpcode] = [.leSetScanParameters, .leSetScanEnable]
  private static let listing: [HCIOpcode] = [
    .leAddToResolvingList, .leRemoveFromResolvingList, .leClearResolvingList, .leSetPrivacyMode, .leSetAddressResolutionEnable,
  ]

  /// The peers on the list after these commands, and whether address resolution is enabled.
  private static func list(_ commands: [HCICommand]) -> (peers: [Address], isEnabled: Bool) {
    var (peers, isEnabled): ([Address], Bool) = ([], false)
    for command in commands {
      switch command {
      case .reset: (peers, isEnabled) = ([], false)
      case .leAddToResolvingList(let entry): peers.append(entry.peer)
      case .leRemoveFromResolvingList(let peer): peers.removeAll { $0 == peer }
      case .leClearResolvingList: peers = []
      case .leSetAddressResolutionEnable(let enable): isEnabled = enable
      default: break
      }
    }
    return (peers.sorted(), isEnabled)
  }

  /// Expects that nothing was on the air during each change of the list.
  private static func expectQuiet(_ bench: LinkBench) {
    var (scans, initiates, advertises) = (false, false, false)
    for command in bench.commands {
      switch command {
      case .reset: (scans, initiates, advertises) = (false, false, false)
      case .leSetScanEnable(let enable, _): scans = enable
      case .leCreateConnection: initiates = true
      case .leCreateConnectionCancel: initiates = false
      case .leSetAdvertisingEnable(let enable): advertises = enable
      case _ where listing.contains(command.opcode): #expect(!scans && !initiates && !advertises, "\(command.opcode)")
      default: break
      }
    }
  }

  /// Reports an advertisement to the host.
  private static func advertise(_ bench: inout LinkBench, _ address: Address, isIdentity: Bool = false) {
    bench.event(
      .leAdvertisingReport([
        AdvertisingReport(kind: .connectableUndirected, address: address, isIdentity: isIdentity, data: [2, 1, 6], rssi: -60)
      ]))
  }

  private static func cancelled(_ bench: inout LinkBench) {
    bench.event(.leConnectionComplete(ConnectionComplete(failed: .unknownConnection)))
  }

  @Test func aBondedDeviceIsWaitedForWithoutAScan() {
    var bench = Self.bench()
    bench.forget()
    let id = Self.wait(&bench)
    // The first attempt began before the bonds were loaded, and is cancelled for the list.
    Self.cancelled(&bench)
    let list = bench.commands.filter { Self.listing.contains($0.opcode) }
    #expect(
      list == [
        .leAddToResolvingList(ResolvingListEntry(peer: Self.strap, peerKey: Self.strapKey)),
        .leSetPrivacyMode(Self.strap, .device), .leSetAddressResolutionEnable(true),
      ])
    #expect(!bench.opcodes.contains { Self.scans.contains($0) })
    guard case .leCreateConnection(let attempt)? = bench.commands.last else {
      Issue.record("\(bench.opcodes)")
      return
    }
    #expect(attempt.useFilterAcceptList)
    #expect(bench.commands.contains(.leAddToFilterAcceptList(Self.strap)))
    // The link is known by the identity address. Pairing uses the private address.
    let connection = ConnectionComplete(
      status: .success, handle: ConnectionHandle(0x40), role: .central, peer: Self.strap, isIdentity: true, interval: 24,
      latency: 0,
      supervisionTimeout: 500)
    bench.event(
      .leEnhancedConnectionComplete(EnhancedConnectionComplete(connection: connection, peerPrivateAddress: Self.hidden.bits)))
    #expect(bench.host.links.first?.peer == Self.strap)
    #expect(bench.host.links.first?.address == Self.hidden)
    #expect(bench.host.links.first?.security.bond?.identity == Self.strap)
    #expect(bench.host.bonds.bond(with: Self.strap)?.lastAddress == Self.hidden)
    #expect(bench.host.arbiter.requestedConnections.map(\.id) == [id])
    Self.expectQuiet(bench)
  }

  /// A peer that has the local IRK may direct advertising to a private address of the host.
  @Test func theLocalIRKIsListedForAPeerThatHasIt() {
    var bench = Self.bench()
    _ = Self.wait(&bench, for: Self.meter)
    Self.cancelled(&bench)
    #expect(
      bench.commands.contains(
        .leAddToResolvingList(ResolvingListEntry(peer: Self.meter, peerKey: Self.meterKey, localKey: Self.ownKey))))
  }

  @Test func theListChangesOnlyWithNothingOnTheAir() {
    var bench = Self.bench()
    bench.request(.scan(ScanRequest(duty: .gentle)))
    bench.request(.advertise(AdvertisingPlan(services: [])))
    _ = Self.wait(&bench)
    Self.cancelled(&bench)
    #expect(Self.list(bench.commands) == ([Self.strap], true))
    _ = Self.wait(&bench, for: Self.meter)
    Self.cancelled(&bench)
    #expect(Self.list(bench.commands) == ([Self.strap, Self.meter].sorted(), true))
    Self.expectQuiet(bench)
    // All procedures continue.
    #expect(bench.host.arbiter.radio.scan != nil)
    #expect(bench.host.arbiter.radio.advertising != nil)
    #expect(bench.host.arbiter.radio.initiator != .idle)
  }

  /// Scans find the devices that do not fit on the list.
  @Test func aFullListIsSupplementedByScans() {
    var bench = Self.bench()
    _ = Self.wait(&bench)
    Self.cancelled(&bench)
    bench.controller.refusals = [(.leAddToResolvingList, .memoryExceeded, 1)]
    _ = Self.wait(&bench, for: Self.meter)
    Self.cancelled(&bench)
    #expect(bench.host.arbiter.radio.resolving.entries.map(\.peer) == [Self.strap])
    #expect(bench.host.arbiter.resolves(Self.strap))
    #expect(bench.host.arbiter.radio.scan != nil)
    // The accept list has the identity addresses and the private address that the scan found.
    Self.advertise(&bench, Self.other)
    Self.cancelled(&bench)
    #expect(bench.host.arbiter.radio.acceptList.sorted() == [Self.strap, Self.meter, Self.other].sorted())
    Self.expectQuiet(bench)
  }

  /// Whichever command is refused, scans find the device and only the debug log mentions it.
  @Test(arguments: [
    (HCIOpcode.leAddToResolvingList, HCIStatus.unknownCommand), (.leSetPrivacyMode, .unknownCommand),
    (.leSetAddressResolutionEnable, .commandDisallowed), (.leAddToResolvingList, .memoryExceeded),
  ])
  func aRefusedListIsReplacedByScans(_ opcode: HCIOpcode, _ status: HCIStatus) {
    var bench = Self.bench { $0.refusals = [(opcode, status, 9)] }
    _ = Self.wait(&bench)
    Self.cancelled(&bench)
    Self.cancelled(&bench)
    #expect(!bench.host.arbiter.resolves(Self.strap))
    #expect(bench.host.arbiter.radio.scan != nil)
    let loud = bench.events.filter { if case .noted(let level, _) = $0 { level != .debug } else { false } }
    #expect(loud == [])
    #expect(bench.facts.count == 1, "\(bench.facts)")
    Self.advertise(&bench, Self.hidden)
    Self.cancelled(&bench)
    #expect(bench.host.arbiter.radio.acceptList.contains(Self.hidden))
    // The command is sent at most twice.
    #expect(bench.opcodes.filter { $0 == opcode }.count <= 2)
  }

  /// In network privacy mode, a listed peer that advertises its identity address is not found.
  @Test func theListIsNotUsedWithoutPrivacyModes() {
    var bench = Self.bench { $0.hasPrivacyMode = false }
    _ = Self.wait(&bench)
    Self.cancelled(&bench)
    #expect(!bench.opcodes.contains { Self.listing.contains($0) })
    #expect(bench.host.arbiter.radio.scan != nil)
  }

  /// After the controller has twice stopped answering because of the list, the list is not used.
  @Test func aListThatSilencesTheControllerIsLeftAlone() {
    var bench = Self.bench { $0.silent = [.leAddToResolvingList] }
    _ = Self.wait(&bench)
    Self.cancelled(&bench)
    bench.pass(.seconds(30))
    Self.cancelled(&bench)
    bench.pass(.seconds(30))
    #expect(bench.opcodes.filter { $0 == .leAddToResolvingList }.count == HostLimits.resolvingLosses)
    #expect(bench.host.phase == .ready)
    #expect(bench.host.arbiter.radio.scan != nil)
  }

  /// A probe of 2 s per minute detects a listed device whose address is not resolved.
  @Test func aListThatResolvesNothingIsDetected() {
    var bench = Self.bench()
    _ = Self.wait(&bench)
    Self.cancelled(&bench)
    bench.pass(.seconds(2))
    for _ in 1...3 {
      bench.pass(.seconds(57))
      #expect(bench.host.arbiter.radio.scan == nil)
      bench.pass(.milliseconds(1100))
      Self.cancelled(&bench)
      #expect(bench.host.arbiter.radio.scan?.duty == .full)
      bench.pass(.milliseconds(1900))
      #expect(bench.host.arbiter.radio.scan == nil)
      #expect(bench.host.arbiter.radio.initiator != .idle)
    }
    // Each probe is a single scan.
    let enabled = bench.commands.filter { if case .leSetScanEnable(true, _) = $0 { true } else { false } }.count
    #expect(enabled == 3)
    bench.pass(.seconds(58) + .milliseconds(100))
    Self.cancelled(&bench)
    for _ in 1...HostLimits.missedResolutions { Self.advertise(&bench, Self.hidden) }
    Self.cancelled(&bench)
    Self.cancelled(&bench)
    #expect(bench.host.arbiter.radio.resolving.isGivenUp)
    #expect(Self.list(bench.commands).isEnabled == false)
    #expect(bench.host.arbiter.radio.acceptList.sorted() == [Self.strap, Self.hidden].sorted())
    let notes = bench.events.filter { if case .noted(.log, let text) = $0 { text.contains("resolving list") } else { false } }
    #expect(notes.count == 1)
    Self.expectQuiet(bench)
  }

  /// A direct attempt has no time to find out whether the list resolves addresses.
  @Test func aDirectAttemptGoesToTheKnownAddress() {
    var bench = Self.bench()
    _ = bench.request(.connect(ConnectRequest(peer: Self.strap, pending: false)))
    Self.cancelled(&bench)
    let attempts = bench.commands.compactMap { command -> (Address, Bool)? in
      if case .leCreateConnection(let attempt) = command { (attempt.peer, attempt.useFilterAcceptList) } else { nil }
    }
    #expect(!attempts.isEmpty && attempts.allSatisfy { $0.0 == Self.strap && !$0.1 }, "\(attempts)")
    // The device may have changed its address, so a scan and the attempt alternate.
    bench.pass(HostLimits.turn + .milliseconds(100))
    Self.cancelled(&bench)
    #expect(bench.host.arbiter.radio.scan?.duty == .full)
  }

  /// Once the list has resolved an address, a direct attempt uses the identity address and no scan.
  @Test func aProvenListReplacesTheScan() {
    var bench = Self.bench()
    let waiting = Self.wait(&bench, for: Self.meter)
    Self.cancelled(&bench)
    Self.advertise(&bench, Self.meter, isIdentity: true)
    #expect(bench.host.arbiter.radio.resolving.hasResolved)
    bench.request(.cancel(waiting))
    Self.cancelled(&bench)
    _ = bench.request(.connect(ConnectRequest(peer: Self.strap, pending: false)))
    Self.cancelled(&bench)
    bench.forget()
    bench.pass(HostLimits.turn * 3)
    #expect(!bench.opcodes.contains { Self.scans.contains($0) }, "\(bench.opcodes)")
    guard case .on(let plan) = bench.host.arbiter.radio.initiator else {
      Issue.record("\(bench.host.arbiter.radio.initiator)")
      return
    }
    #expect(plan.targets == [Self.strap] && !plan.useList)
  }

  /// An attempt through the accept list that fails is repeated with the known address.
  @Test func aFailedAttemptIsRepeatedWithoutTheList() {
    var bench = Self.bench()
    _ = Self.wait(&bench)
    Self.cancelled(&bench)
    guard case .on(let first) = bench.host.arbiter.radio.initiator, first.useList else {
      Issue.record("\(bench.host.arbiter.radio.initiator)")
      return
    }
    bench.event(.leConnectionComplete(ConnectionComplete(failed: .establishmentFailed)))
    guard case .on(let second) = bench.host.arbiter.radio.initiator else {
      Issue.record("\(bench.host.arbiter.radio.initiator)")
      return
    }
    #expect(second.targets == [Self.strap] && !second.useList)
  }

  /// Once the list has resolved an address, it is not probed again.
  @Test(arguments: [true, false]) func aListThatResolvesIsNotProbed(byScan: Bool) {
    var bench = Self.bench()
    _ = Self.wait(&bench)
    Self.cancelled(&bench)
    if byScan {
      bench.pass(.seconds(60) + .milliseconds(100))
      Self.cancelled(&bench)
      Self.advertise(&bench, Self.strap, isIdentity: true)
    } else {
      let connection = ConnectionComplete(
        status: .success, handle: ConnectionHandle(0x40), role: .central, peer: Self.strap, isIdentity: true, interval: 24,
        latency: 0, supervisionTimeout: 500)
      bench.event(
        .leEnhancedConnectionComplete(EnhancedConnectionComplete(connection: connection, peerPrivateAddress: Self.hidden.bits)))
      bench.disconnectionComplete(0x40, .establishmentFailed)
    }
    #expect(bench.host.arbiter.radio.resolving.hasResolved)
    bench.pass(.seconds(3))
    bench.forget()
    bench.pass(.minutes(30))
    #expect(!bench.opcodes.contains { Self.scans.contains($0) }, "\(bench.opcodes)")
    // A report with the identity address does not contain the private address.
    #expect(bench.host.bonds.bond(with: Self.strap)?.lastAddress == (byScan ? Self.strap : Self.hidden))
  }

  @Test func afterAResetTheListIsRebuilt() {
    var bench = Self.bench()
    _ = Self.wait(&bench)
    Self.cancelled(&bench)
    bench.forget()
    bench.input(.resetWanted)
    Self.cancelled(&bench)
    #expect(Self.list(bench.commands) == ([Self.strap], true))
    #expect(bench.host.arbiter.resolves(Self.strap))
    #expect(bench.host.arbiter.radio.initiator != .idle)
  }

  /// The contents of the list are unknown if the controller may have been reset.
  @Test func anUncertainListIsClearedFirst() {
    var bench = Self.bench()
    _ = Self.wait(&bench)
    Self.cancelled(&bench)
    Self.advertise(&bench, Self.strap, isIdentity: true)
    bench.forget()
    bench.pass(HostLimits.waitingHeartbeat + .seconds(1))
    Self.cancelled(&bench)
    Self.cancelled(&bench)
    #expect(bench.opcodes.contains(.leClearResolvingList))
    #expect(Self.list(bench.commands) == ([Self.strap], true))
    Self.expectQuiet(bench)
  }

  @Test func aForgottenBondIsRemovedFromTheList() {
    var bench = Self.bench()
    _ = Self.wait(&bench)
    _ = Self.wait(&bench, for: Self.meter)
    Self.cancelled(&bench)
    Self.cancelled(&bench)
    #expect(Self.list(bench.commands).peers.count == 2)
    bench.request(.forgetBond(Self.strap))
    Self.cancelled(&bench)
    #expect(Self.list(bench.commands) == ([Self.meter], true))
    bench.request(.forgetBond(Self.meter))
    Self.cancelled(&bench)
    #expect(Self.list(bench.commands) == ([], false))
    #expect(bench.host.arbiter.radio.initiator != .idle)
    Self.expectQuiet(bench)
  }

  /// A renewed bond has a new IRK.
  @Test func aNewIRKReplacesTheOldOne() {
    var bench = Self.bench()
    _ = Self.wait(&bench)
    Self.cancelled(&bench)
    bench.host.bonds.put(Self.bond(Self.strap, [UInt8](repeating: 9, count: 16)))
    bench.host.bondsChanged()
    bench.input(.deadline)
    Self.cancelled(&bench)
    #expect(Self.list(bench.commands) == ([Self.strap], true))
    #expect(bench.host.arbiter.radio.resolving.entries.map(\.peerKey) == [[UInt8](repeating: 9, count: 16)])
    Self.expectQuiet(bench)
  }
}
