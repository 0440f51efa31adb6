import Exchange
import Foundation
import Packets
import Testing
import Vocabulary

@testable import Host

/// The host as bytes: what they must contain, and how invalid bytes are handled. `ReencodedHost`
/// checks in every other test here that a restored host is equal.
@Suite struct ImageTests {
  /// The values that each property was seen to have, and the enumeration cases that were seen.
  private final class Ledger: @unchecked Sendable {
    private let lock = NSLock()
    private var seen: [String: Set<String>] = [:]
    private var names: [ObjectIdentifier: Substring?] = [:]
    private var counts = 0
    private(set) var images: [[UInt8]] = []

    func look(at value: Any) {
      lock.lock()
      defer { lock.unlock() }
      counts += 1
      // long ones now and then, short ones at every step
      if counts < 8000 || counts % 5 == 0 { walk(value) }
      if counts % 97 == 0, images.count < 60, let host = value as? LEHost { images.append(host.encoded) }
    }

    private func walk(_ value: Any) {
      let mirror = Mirror(reflecting: value)
      switch mirror.displayStyle {
      case .struct:
        let type = name(of: mirror.subjectType)
        for child in mirror.children {
          guard let label = child.label else { continue }
          if let type { note("\(type).\(label)", child.value) }
          walk(child.value)
        }
      case .enum, .optional, .tuple: for child in mirror.children { walk(child.value) }
      case .collection: for child in mirror.children.suffix(6) where !(child.value is UInt8) { walk(child.value) }
      case .dictionary: for child in mirror.children.prefix(3) { walk(child.value) }
      default: break
      }
    }

    /// The short name of a type of this module; types of other modules have tests there.
    private func name(of type: Any.Type) -> Substring? {
      if let known = names[ObjectIdentifier(type)] { return known }
      let name = String(reflecting: type)
      let short = name.hasPrefix("Host.") ? name.split(separator: ".").last : nil
      names[ObjectIdentifier(type)] = .some(short)
      return short
    }

    private func note(_ name: String, _ value: Any) {
      if let known = seen[name], known.count > 1 { return }
      let mirror = Mirror(reflecting: value)
      let text =
        switch mirror.displayStyle {
        case .collection, .dictionary: "\(mirror.children.count)"
        case .optional: mirror.children.isEmpty ? "nothing" : "something"
        // its own properties are examined instead
        case .struct where !mirror.children.isEmpty: "\(counts)"
        default: "\(value)"
        }
      seen[name, default: []].insert(text)
    }

    /// Properties that had only one value in all tests.
    var constant: [String] { seen.filter { $0.value.count == 1 }.map(\.key).sorted() }
    var properties: Int { seen.count }
  }

  private static func show(_ values: (any (Portable & Equatable))...) {
    for value in values {
      _ = ReencodedHost.remade(value)
      ReencodedHost.watcher?(value)
    }
  }

  /// States that are hard to reach from outside.
  private static func samples() {
    let (one, two) = (OwnerID(1), OwnerID(2))
    show(
      AwaitedIndication(parts: []), AwaitedIndication(parts: [.init(owner: one, token: 3)]),
      AwaitedIndication(parts: [.init(owner: two, token: 4, number: EventNumber(5), isAcknowledged: true)]))
    var patient = Operation(.databaseHash)
    show(patient)
    patient.securesFrom = .open
    show(patient)
    var link = Link(
      handle: ConnectionHandle(3), peer: LinkBench.strap, address: LinkBench.meter, role: .central, since: .zero, heardAt: .zero,
      interval: 24, latency: 0,
      supervisionTimeout: 100, gatt: GattPeer(peer: LinkBench.strap, isCentral: true),
      security: SecurityManager(role: .central, own: LinkBench.valve, peer: LinkBench.strap), inbound: Reassembler(limit: 69))
    show(link)
    link.isRemembered = true
    (link.gatt.isUnproven, link.gatt.hasMissedIndication, link.gatt.usesBondedState) = (true, true, true)
    (link.gatt.bond, link.gatt.renewsAt) = (.simulationStart, .zero)
    show(link)
    let given = OutOfBandData(temporaryKey: [UInt8](repeating: 1, count: 16))
    link.policies = [LEHost.SecurityPolicy(owner: one, request: PairRequest(), outOfBand: given)]
    link.onDemand = [
      LEHost.OnDemand(
        owner: one, id: OperationID(1), request: .readRSSI, failure: Failure(.refused, "no", blame: .peer, layer: .att),
        hasPaired: true)
    ]
    _ = link.security.handle(.raise(PairRequest(enters: true)), at: .simulationStart)
    link.security.outOfBand = given
    link.security.pairing?.outOfBand = given
    show(link)
    var offer = OutOfBandOffer(owner: one)
    (offer.drawn, offer.waiting, offer.isUnderWay) = ([1], [OperationID(3)], true)
    show(offer)
    (offer.drawn, offer.waiting, offer.isUnderWay, offer.confirmation) = ([], [], false, [1, 2])
    offer.secrets = OutOfBandOffer.Secrets(
      privateKey: [1], publicKey: PublicKey(x: [2], y: [3]), random: [UInt8](repeating: 1, count: 16))
    show(offer, OutOfBandOffer(owner: two))
    link.security.offer = offer
    link.security.pairing?.ownRandom = [1]
    show(link)
    var server = GattServer()
    show(server)
    server.outOfBand = given
    show(server)
    var privacy = Privacy()
    show(privacy)
    for number in 0..<UInt64(Privacy.most + 9) {
      privacy.put(Address(bits: 1 << 46 | number, kind: .random), number.isMultiple(of: 2) ? LinkBench.strap : nil)
    }
    _ = privacy.hold(
      Privacy.Sighting(address: LinkBench.strap, data: [1], isResponse: true, connectable: false, rssi: -60))
    _ = privacy.hold(Privacy.Sighting(address: LinkBench.meter, data: [1, 2], isResponse: false, connectable: nil, rssi: -61))
    privacy.connection = ConnectionComplete(
      status: .success, handle: ConnectionHandle(3), role: .central, peer: LinkBench.strap, interval: 24, latency: 0,
      supervisionTimeout: 100)
    privacy.rotatesAt = .zero
    show(privacy)
    var hidden = LEHost(configuration: HostConfiguration(privateFor: .minutes(1)))
    show(hidden)
    hidden.facts.privateAddress = LinkBench.strap
    hidden.arbiter.setOwnAddress(LinkBench.strap)
    hidden.privacy = privacy
    hidden.offer = offer
    show(hidden)
    let reading = ReadByUUID(uuid: UUID(0x2A37), isExhaustive: true, doing: "reading")
    var later = ReadByUUID(uuid: UUID(0x2A38), isExhaustive: false, doing: "reading on")
    _ = later.receive(.readByTypeResponse([HandleValue(.last, [1])]))
    show(reading, later)
    show(FindAllIncludedServices(range: .init(.first, .last)), FindAllIncludedServices(range: .init(.last, .last)))
    show(
      ReadValue(handle: .first, mtu: 23, doing: "reading"), ReadValue(handle: .last, mtu: 100, doing: "reading on", from: [1, 2]))
    var long = WriteLongValue(handle: .first, value: [1, 2, 3], mtu: 23, doing: "writing")
    show(long)
    _ = long.start()
    _ = long.receive(.prepareWriteResponse(.first, offset: 0, [1, 2, 3]))
    var failing = WriteLongValue(handle: .last, value: [UInt8](repeating: 7, count: 60), mtu: 40, doing: "writing more")
    _ = failing.start()
    _ = failing.receive(.prepareWriteResponse(.last, offset: 1, [1]))
    show(long, failing)
    let publication = GattServer.Publication(
      owner: one, id: OperationID(1), attribute: ServerAttributeID(1), value: [1], kind: .notify)
    var other = GattServer.Publication(
      owner: two, id: OperationID(2), attribute: ServerAttributeID(2), value: [1, 2], kind: .indicate, to: LinkBench.strap)
    (other.awaited, other.reached, other.arrived, other.isWhole) = (1, 2, 1, true)
    other.failure = Failure(.disconnected, "gone")
    show(publication, other)
    show(
      ServerAttribute(handle: .first, type: UUID(0x2A37), content: .databaseHash, properties: .read),
      ServerAttribute(
        handle: .last, type: UUID(0x2A38), content: .clientFeatures, properties: .write, protection: .encryption,
        asksBeforeRead: true, asksBeforeWrite: true, groupEnd: .last))
    var session = ServerSession(peer: LinkBench.strap)
    session.isEncrypted = true
    session.isAuthenticated = true
    (session.hasBond, session.isKeyShort) = (true, true)
    session.features = 1
    session.prepared = [.init(handle: .first, offset: 1, value: [1]), .init(handle: .last, offset: 2, value: [2, 3])]
    session.deferred = [[1, 2]]
    session.commands = [
      .init(id: ServerRequestID(1), handle: .first, value: [1]), .init(id: ServerRequestID(2), handle: .last, value: []),
    ]
    session.notifications = [.init(pdu: .handleValueNotification(.first, [1]), publication: OperationID(1), owner: one)]
    for (number, purpose) in [
      ServerSession.Waiting.Purpose.read(.first), .readBlob(.last, offset: 2), .readByType(.first), .write(.last, [1]),
      .execute([.init(handle: .first, offset: 0, value: [])]),
    ].enumerated() {
      session.waiting = .init(id: ServerRequestID(UInt64(number)), purpose: purpose)
      show(session)
    }
    var reassembler = Reassembler(limit: 12)
    show(reassembler)
    _ = reassembler.take(first: true, [0xFF, 0, 4, 0, 1])
    show(reassembler)
    for dropped in [Reassembler.Dropped.tooLong(1), .unfinished(2), .unexpectedContinuation, .overrun(3)] {
      reassembler.dropped = dropped
      show(reassembler)
    }
    for (latency, phy, failure) in [(0, "1M", nil), (4, "2M", Failure(.timeout, "slow"))] as [(UInt16, String, Failure?)] {
      var link = Link(
        handle: ConnectionHandle(1), peer: LinkBench.strap, address: LinkBench.meter, role: .central,
        since: Moment(nanoseconds: Int64(latency)),
        heardAt: Moment(nanoseconds: Int64(latency)), interval: 6, latency: latency,
        supervisionTimeout: 100,
        gatt: GattPeer(peer: LinkBench.strap, isCentral: true),
        security: SecurityManager(role: .central, own: LinkBench.strap, peer: LinkBench.strap), inbound: reassembler)
      link.pairWaiters = [
        LEHost.PairWaiter(owner: OwnerID(UInt32(latency)), id: OperationID(UInt64(latency)), request: PairRequest())
      ]
      if latency > 0 {
        link.pairWaiters.append(link.pairWaiters[0])
        link.pairWaiters[0].request = PairRequest(enters: true)
        link.pairWaiters[0].joinsAnother = true
        link.pairWaiters[1].hasFollowed = true
      }
      let wanted = latency > 0 ? LinkRequest.phy(.coded) : .interval(shortest: 6, longest: 12, latency: 1)
      link.adjustments = [LinkAdjustment(owner: OwnerID(UInt32(latency)), id: OperationID(UInt64(latency)), wanted: wanted)]
      link.policies = [
        LEHost.SecurityPolicy(
          owner: OwnerID(UInt32(latency)), request: PairRequest(isAutomatic: latency > 0, replacesLost: latency > 0),
          expectsBond: latency > 0)
      ]
      link.onDemand = [
        LEHost.OnDemand(
          owner: OwnerID(UInt32(latency)), id: OperationID(UInt64(latency)), request: latency > 0 ? .discover([]) : .readRSSI,
          failure: Failure(latency > 0 ? .needsPairing : .refused, "refused \(latency)"))
      ]
      if latency > 0 {
        link.policies.append(link.policies[0])
        link.onDemand.append(link.onDemand[0])
      }
      link.awaitsEncryption = latency > 0
      link.phy = phy
      link.isForgotten = latency > 0
      link.waitsSince = failure == nil ? nil : .zero
      link.refusedDisconnects = Int(latency)
      link.closingFailure = failure
      show(link)
    }
    for isSecond in [false, true] {
      var radio = Radio()
      radio.hasClearedAttempt = isSecond
      show(radio)
      show(DiscoverAllCharacteristics(range: HandleRange(isSecond ? AttributeHandle(2) : .first, .last)))
    }
    for (capacity, packets) in [(2, 1), (3, 5)] {
      var ring = PacketRing(capacity: capacity)
      for packet in 0..<packets { ring.add([UInt8(packet)], isSent: packet % 2 == 0, at: .simulationStart) }
      // the first fragments of PDUs
      for handle in 0..<UInt8(packets) { ring.add([0x02, handle, 0x20, 1, 0, 0x11], isSent: false, at: .simulationStart) }
      show(ring)
    }
    for (limit, count) in [(2, 5), (8, 3)] {
      var cache = DeviceCache(limit: limit)
      for number in 0..<count {
        let address = Address(bits: UInt64(number), kind: .random)
        _ = cache.heard(address, data: [2, 1, UInt8(number)], isResponse: false, connectable: true, rssi: -50)
        _ = cache.shouldReport(OwnerID(1), OperationID(1), of: address, isNew: true, at: .zero)
        let fragment = ExtendedAdvertisingReport(
          properties: number % 2 == 0 ? 0x20 : 0x28, address: number == 3 ? nil : address, setIdentifier: UInt8(number), rssi: -50,
          data: [UInt8](repeating: 1, count: number))
        _ = cache.gather(fragment)
      }
      show(cache)
    }
    var host = LEHost(
      configuration: HostConfiguration(
        ownAddress: .staticRandom(5), profile: .lowPower, preferredMTU: 100, maximumCentrals: 3, keptPackets: 7,
        asksSilentController: false, isKernels: true, mayBeAnother: true))
    host.pendingResets = 2
    host.suspectedAt = .zero
    host.needsAnotherAdapter = true
    var radio = Radio()
    radio.scanMustRestart = true
    radio.initiatorMustRestart = true
    radio.cancelWasRefused = true
    radio.acceptListIsUnsure = true
    radio.resolving.entries = [ResolvingListEntry(peer: LinkBench.strap, peerKey: [UInt8](repeating: 1, count: 16))]
    (radio.resolving.isEnabled, radio.resolving.isUnsure, radio.resolving.limit) = (true, true, 3)
    (radio.resolving.isGivenUp, radio.resolving.hasResolved, radio.resolving.missed) = (true, true, 1)
    for probe in [Resolving.Probe.due(.zero), .listening(until: .zero)] {
      radio.resolving.probe = probe
      show(radio.resolving)
    }
    for mark in [
      Radio.Mark.resolution(true), .resolved(radio.resolving.entries[0]), .unresolvedAll,
      .privacyMode,
    ] {
      show(Radio.Step(command: .reset, mark: mark))
    }
    show(
      radio, ScanMode(duty: .full), ScanMode(duty: .gentle, listed: [LinkBench.strap]),
      InitiatorPlan(targets: [LinkBench.strap], useList: false, isFull: true, isCoded: true),
      ServerSession.Indication(pdu: .handleValueConfirmation),
      ServerSession.Indication(pdu: .handleValueConfirmation, publication: OperationID(2), owner: two))
    var ladder = RecoveryLadder()
    for second in 1...3 as ClosedRange<Int64> {
      _ = ladder.climb(.scanSilent(.seconds(30)), hasLinks: false, at: .zero + .seconds(second))
      show(ladder)
    }
    host.arbiter.scan(one, OperationID(8), ScanRequest(duty: .full))
    for _ in 1...2 {
      host.arbiter.forgetSightings(of: one)
      show(host)
    }
    _ = host.arbiter.arbitrate(
      RadioSurroundings(facts: host.facts, configuration: host.configuration, isClosing: false, now: .zero))
    _ = host.arbiter.stopAdvertising(two, OperationID(9))
    show(host)
    let fresh = SecurityManager(role: .central, own: LinkBench.strap, peer: LinkBench.strap)
    var asked = SecurityManager(
      role: .central, own: LinkBench.strap, peer: LinkBench.strap,
      bond: Bond(
        identity: LinkBench.strap, keys: .secureConnections([UInt8](repeating: 2, count: 16)), isAuthenticated: true, keySize: 16,
        lastAddress: LinkBench.strap, madeAt: .simulationStart))
    _ = asked.handle(.pdu([0x0B, 0x01]), at: .simulationStart)
    var lost = fresh
    _ = lost.handle(.lost, at: .simulationStart)
    show(fresh, asked, lost)
    var book = BondBook()
    show(book)
    book.isAsked = true
    book.fault = "no folder"
    book.removals = [BondBook.Removal(owner: OwnerID(1), id: OperationID(2), peer: LinkBench.strap)]
    show(book)
    book.loaded(
      LocalIdentity(address: LinkBench.strap, key: [UInt8](repeating: 1, count: 16)),
      [
        Bond(
          identity: LinkBench.strap, keys: .secureConnections([UInt8](repeating: 2, count: 16)), isAuthenticated: true, keySize: 16,
          lastAddress: LinkBench.strap, madeAt: .simulationStart)
      ], [UnusableBond(identity: LinkBench.meter, reason: "damaged")],
      [
        ServerMemory(
          identity: LinkBench.strap, configurations: [.init(handle: AttributeHandle(3), value: 2)], features: 1, table: 9)
      ])
    book.hidesBonds = true
    book.saveLater(LinkBench.strap, at: .zero)
    show(book)
    book.loaded(
      LocalIdentity(address: LinkBench.strap, key: [UInt8](repeating: 1, count: 16)), [],
      [UnusableBond(identity: LinkBench.valve, reason: "of another user")], [])
    show(book)
    show(
      LEHost(
        configuration: HostConfiguration(
          profile: .explicit(ConnectionParameters(intervalMinimum: 6, intervalMaximum: 7, supervisionTimeout: 100)),
          pairing: PairRequest())))
  }

  /// Tests that drive hosts through many states.
  private static func tour() {
    var twice = AttBench.ready()
    twice.submit(.read(.test("2a19")))
    for answer in ["09 03 12 00 10 21 00 58", "01 08 22 00 0a", "11 06 10 00 1f 00 0f 18", "01 10 20 00 0a"] { twice.hear(answer) }
    samples()
    try? ComputationTests().onlyTheAnswerForTheNewestTableCounts()
    let data = DataTests()
    data.rule07NoMoreFragmentsThanTheControllerHolds()
    data.brokenFramesAreDroppedByName()
    data.fragmentsAreGatheredAtEveryCut()
    data.dataThatOvertakesItsConnectionCompleteIsKept()
    let links = LinkTests()
    links.rule01EstablishmentFailuresAreRetriedThenReportedOnce()
    links.rule02AControllerThatCannotScanAndInitiateAtOnceTakesTurns()
    links.rule03ACancelledAttemptMayStillSucceedAndIsThenClosed()
    links.rule14MorePeersThanTheListHoldsTakeTurns()
    links.rule14AFullListIsLearnt()
    links.rule16TheLinkLimitErrorNamesTheHolders(.connectionLimitExceeded)
    links.aLinkClosesWhenItsLastOwnerDisconnects()
    links.closingEndsEverythingAndWaits()
    let controller = ControllerTests()
    controller.noCommandIsSentWhileTheControllerAllowsNone()
    controller.withoutAPublicAddressItMakesAStaticOneFromTheSeed()
    let peripheral = PeripheralTests()
    peripheral.aControllerWithoutRoomIsAskedAgainWhenALinkEnds()
    peripheral.advertisingGoesOnWhileThereIsRoomForCentrals()
    peripheral.aNewPlanReplacesTheOldOne()
    let scan = ScanTests()
    scan.extendedReportsAreGatheredFromTheirFragments()
    scan.aRefusedScanFailsWithItsReason()
    scan.fullDutyReportsEachPacketAndGentleCoalesces()
    scan.aFilteredScanReportsOthersOnce()
    ClosingLinkTests().readsTheHashBeforeClosingALink()
    let attCancelTests = AttCancelTests()
    attCancelTests.cancellingAQueuedOperationRemovesIt()
    attCancelTests.aRequestThatWasSentStaysOutstandingAndBlocksTheNext()
    attCancelTests.anAnswerToACancelledDiscoveryIsCached()
    attCancelTests.aCancelledSubscriptionIsDisarmed()
    attCancelTests.preparedPartsOfACancelledWriteAreWithdrawn()
    try? attCancelTests.ownersShareASubscription()
    let attRuleTests = AttRuleTests()
    attRuleTests.rule10ThirtySecondsOfSilenceCloseTheBearer()
    attRuleTests.rule11ReportsValuesBeforeTheWriteResponse()
    attRuleTests.rule11QueuesEarlyValuesUntilTheyHaveAName()
    attRuleTests.rule12ReportsTheNumberOfDroppedValues()
    attRuleTests.rule17AnUnknownHandleOfThisLinkFails()
    attRuleTests.rule17IgnoresAnswersInFlightWhenServicesChange()
    attRuleTests.rule18AmbiguityListsTheCandidates()
    attRuleTests.rule19WritesWithoutResponseWaitForTheController()
    try? attRuleTests.rule13AConfigurationIsWrittenOnEveryLink()
    try? attRuleTests.rule17AnUnknownHandleOfAnEarlierLinkStartsOverOnce()
    try? attRuleTests.rule18ABareNameMeansTheHomeService()
    let gattServerTests = GattServerTests()
    gattServerTests.thePartsOfALongReadComeFromOneAnswer()
    gattServerTests.theOwnerIsAskedBeforeAReadByType()
    gattServerTests.theOwnerConfirmsStoredWrites()
    gattServerTests.requestsAfterAPendingOneAreAnsweredInOrder()
    gattServerTests.aWriteCommandIsReportedAndStored()
    gattServerTests.preparedWritesAreExecutedTogether()
    gattServerTests.aSubscriberGetsNotifications()
    gattServerTests.oneIndicationAtATimeAndCompletedWhenConfirmed()
    gattServerTests.impossiblePublicationsAreRefused()
    gattServerTests.aNewTableIndicatesServiceChanged()
    gattServerTests.theMTUIsTheSmallerOfBoth()
    gattServerTests.theHashCoversTheDeclarations()
    try? gattServerTests.aPeripheralCanBeAClient()
    let attRefusalTests = AttRefusalTests()
    try? attRefusalTests.aValueOf512OctetsIsRead()
    let rules = LinkTests()
    rules.rule08ExplicitParametersAreUsedAndReported()
    rules.theSignalStrengthOfALink()
    data.seededGarbageFromTheControllerIsSurvived()
    scan.scansForAddressesUseTheAcceptList()
    scan.rule24TheCacheOfDevicesIsBounded()
    controller.rule05InitialisesWithSupportedCommandsOnly()
    let pair = GattPairTests()
    pair.aLossAndAReconnectionThroughThePendingConnection()
    pair.rule19WritesWithoutResponseArePacedByTheCredits()
    pair.theOwnerAnswersAWrite()
    pair.rule10OneHungLinkEndsAfterThirtySecondsAndNeverBlocksAnother()
    ResolvingTests().aListThatSilencesTheControllerIsLeftAlone()
    let matrix = PairingMatrixTests()
    for capability in [PairingFeatures.Capability.keyboardDisplay, .keyboardOnly] {
      matrix.everyPairOfHostsPairs(initiator: capability)
    }
    let coded = CodedLinkTests()
    coded.aPasskeyRequestIsAnswered()
    coded.anotherAttemptWaits()
    let times = PairingTimeTests()
    times.aSilentPeerLosesTheLink()
    times.aSecurityRequestWithoutABondIsRefusedAfter5Seconds()
    times.aTimelyPairAnswersASecurityRequest()
    times.aBondIsProvisionalUntilThePeerHasOurKeys()
    PairingAttackTests().aFloodIsBounded()
    PairingAttackTests().aSecurityRequestNeverReplacesABond()
    for seed in 1...4 as ClosedRange<UInt64> { StormTests().everyRequestEndsOnce(seed) }
  }

  private static let ledger: Ledger = {
    let ledger = Ledger()
    ReencodedHost.$watcher.withValue({ ledger.look(at: $0) }) { tour() }
    return ledger
  }()

  /// Properties that do not change on the tour, each with the reason why that is acceptable.
  private static let constants: [String: String] = [
    "BondBook.elsewhere": "bonds of other adapters come from the store: see BondedLinkTests",
    "BondBook.distrusted": "a key that does not fit ends the link: see BondedLinkTests",
    "LEHost.isServerAway": "only a keeper says so",
    "LEHost.out": "empty between two inputs, and so not in the bytes",
    "CommandQueue.resumesAt": "only a hostile controller makes the host pause: see HostileControllerTests",
    "Frame.isHidden": "a secret is written in HiddenTests",
    "Pairing.inbox": "every computation is answered at once, and keys do not overtake the event of encryption",
    "Pairing.keySize": "a short key is refused: see PairingAttackTests",
    "PublicKey.x": "every coordinate has 32 octets, and a count is all that is noted of a list",
    "PublicKey.y": "as `x`",
    "OpenQuestion.id": "the first of each host: see CodedLinkTests",
    "OpenQuestion.owner": "a run that hosts itself: see CodedLinkTests",
    "SecurityManager.requestEndsAt": "the ledger samples, and it is set for one event: see PairingTimeTests",
    "Link.question": "one that a person is asked: see CodedLinkTests",
    "Link.answers": "as `question`",
    "PairWaiter.hasFollowed": "as `joinsAnother`",
    "PairWaiter.awaitsRenewal": "as `joinsAnother`",
    "PairWaiter.joinsAnother": "two pairings at a time, of which one can authenticate: see CodedLinkTests",
    "SecurityManager.beginsAt": "only after a failure that costs a wait: see PasskeyAttackTests",
    "SecurityManager.isUnfinished": "only after a failure in phase 3: see PairingAttackTests",
    "Pairing.outOfBand": "the ledger samples, and few pairings have data: see PairingMatrixTests",
    "Pairing.ownRandom": "as `outOfBand`",
    "SecurityManager.asksAt": "the ledger samples, and it is set for half a second: see PairingTimeTests",
    "Secrets.privateKey": "every key has 32 octets, and a count is all that is noted of a list",
    "Secrets.random": "as `privateKey`",
    "SecurityManager.mustRequestAuthentication": "only over a link whose bond proves nothing: see RaisedPairingTests",
    "SecurityManager.hasRequestedAuthentication": "as `mustRequestAuthentication`",
    "SecurityManager.out": "empty between two events, and so not in the bytes",
    "Operation.isHidden": "a secret is written in HiddenTests",
    "OutstandingRequest.isHidden": "a secret is written in HiddenTests",
    "Radio.initiatesAt": "only a hostile controller makes the host pause: see HostileControllerTests",
  ]

  @Test func noPropertyIsLeftOut() {
    // A property with two values on the tour was compared after every input, so a test would fail
    // if the bytes lacked it. One without is listed, so that a new one is noticed.
    let unknown = Self.ledger.constant.filter { Self.constants[$0] == nil }
    #expect(unknown == [], "these never changed: let the tour change them, or say why they cannot")
    #expect(Self.ledger.properties > 150)
  }

  @Test func everyTruncationIsRefused() throws {
    for (place, image) in Self.ledger.images.enumerated() {
      let stride = place < 3 ? 1 : max(1, image.count / 40)
      for count in Swift.stride(from: 0, to: image.count, by: stride) {
        #expect(throws: DecodeError.self) { try LEHost(encoded: Array(image.prefix(count))) }
      }
      #expect(throws: DecodeError.self) { try LEHost(encoded: image + [0]) }
    }
  }

  /// A host restored from corrupted bytes never traps.
  @Test func corruptImagesAreRefusedOrHarmless() throws {
    var state: UInt64 = 4242
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % max(1, bound)
    }
    let rounds = ReencodedHost.isFull ? 200_000 : 3000
    var read = 0
    for _ in 0..<rounds {
      let images = Self.ledger.images
      var image = images[random(images.count)]
      for _ in 0...random(4) {
        switch random(3) {
        case 0: image[random(image.count)] = UInt8(random(256))
        case 1: image[random(image.count)] = [0, 1, 0x7F, 0x80, 0xFF][random(5)]
        default: image.remove(at: random(image.count))
        }
      }
      guard var host = try? LEHost(encoded: image) else { continue }
      read += 1
      var now = host.now
      let handle = host.links.first?.handle.raw ?? 0x40
      let packets: [[UInt8]] = [
        [0x04, 0x13, 0x05, 0x01, UInt8(truncatingIfNeeded: handle), UInt8(truncatingIfNeeded: handle >> 8), 0x02, 0x00],
        [
          0x02, UInt8(truncatingIfNeeded: handle), 0x20 | UInt8(truncatingIfNeeded: handle >> 8), 0x05, 0x00, 0x01, 0x00, 0x04,
          0x00, 0x13,
        ],
        [
          0x02, UInt8(truncatingIfNeeded: handle), 0x20 | UInt8(truncatingIfNeeded: handle >> 8), 0x05, 0x00, 0x01, 0x00, 0x04,
          0x00, 0x1E,
        ],
        [
          0x02, UInt8(truncatingIfNeeded: handle), 0x20 | UInt8(truncatingIfNeeded: handle >> 8), 0x07, 0x00, 0x03, 0x00, 0x04,
          0x00, 0x0A, 0x03, 0x00,
        ],
        [0x04, 0x0E, 0x04, 0x01, 0x0C, 0x20, 0x00],
        [0x04, 0x05, 0x04, 0x00, UInt8(truncatingIfNeeded: handle), UInt8(truncatingIfNeeded: handle >> 8), 0x13],
      ]
      for packet in packets {
        now = now + .milliseconds(400)
        _ = host.handle(.packet(packet), at: now)
        if let due = host.nextDeadline, due <= now.moment { _ = host.handle(.deadline, at: now) }
      }
      _ = host.handle(.closing, at: now)
    }
    #expect(read > rounds / 50)
  }
}
