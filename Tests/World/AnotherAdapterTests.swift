import Adapters
import Exchange
import Keeper
import KeeperProcess
import Linux
import Session
import Testing
import Vocabulary
import World

/// A run that names no adapter tries the next keeper if the adapter of one cannot be used.
@Suite struct AnotherAdapterTests {
  /// Scripted connections to several keepers, in order.
  final class Port: KeeperPort {
    /// What the keeper of each adapter does with a connection.
    enum Keeper {
      case says([KeeperMessage])
      case cannotStart(String)
    }

    var keepers: [(name: String, keeper: Keeper)]
    private var inbox: [[UInt8]] = []
    private(set) var sent: [KeeperMessage] = []

    init(_ keepers: [(String, Keeper)]) { self.keepers = keepers }

    func connect(at now: Instant) throws(KeeperUnreachable) {
      sent = []
      switch keepers[0].keeper {
      case .says(let messages): inbox = messages.map(\.encoded)
      case .cannotStart(let why): throw KeeperUnreachable(why, hint: "the cure", isTemporary: false, isAdapters: true)
      }
    }

    func turnToAnother() -> String? {
      guard keepers.count > 1 else { return nil }
      keepers.removeFirst()
      return keepers[0].name
    }

    func wait(until moment: Moment) {}
    func send(_ message: [UInt8], at now: Instant) { if let read = try? KeeperMessage(encoded: message) { sent.append(read) } }

    func receive(at now: Instant) -> [[UInt8]] {
      defer { inbox = [] }
      return inbox
    }

    func flush() {}
    var nextMoment: Moment? { nil }
    var interest: Poll.Interest? { nil }
    var ending: String? { nil }
  }

  private static let info = AdapterInfo(
    address: Address(bits: 1, kind: .public), manufacturer: 1, version: 9, filterAcceptListSize: 8, extended: false)
  private static let mute = Failure(.adapter, "the controller did not answer Reset (0x0c03) within 2s", hint: "unplug it")
  private static let now = SystemClock.now()

  private static func welcome(_ session: UInt64, _ adapter: AdapterInfo? = nil, isReturning: Bool = false) -> KeeperMessage {
    .welcome(.init(session: session, isReturning: isReturning, adapter: adapter))
  }

  private static func report(_ number: UInt64, _ event: HostEvent) -> KeeperMessage {
    .report(HostReport(number: EventNumber(number), at: now, event: event))
  }

  private func greeted(_ port: Port) throws -> KeeperHost {
    let host = try Self.met(port)
    host.send(HostRequest(id: OperationID(1), command: .scan(ScanRequest(duty: .full))), at: Self.now)
    return host
  }

  private static func met(_ port: Port) throws(AdapterRefusal) -> KeeperHost {
    let host = KeeperHost(port: port, version: "1")
    _ = try host.meet({ HostIntroduction(identity: [UInt8](repeating: 1, count: 16), name: "run") }, at: now)
    return host
  }

  private func events(_ host: KeeperHost) -> [HostEvent] {
    var events: [HostEvent] = []
    while let report = host.next(atRest: true) { events.append(report.event) }
    return events
  }

  @Test func theNextKeeperGetsTheSameRequests() throws {
    let port = Port([("hci0", .says([Self.welcome(7)])), ("hci1", .says([Self.welcome(8)]))])
    let host = try greeted(port)
    host.take(Self.report(1, .adapterLost(Self.mute)).encoded, at: Self.now)
    #expect(events(host) == [.noted(.warning, "\(Self.mute.message): trying hci1 instead")])
    #expect(host.isTurning)
    #expect(host.nextDeadline == Self.now.moment)
    host.wake(at: Self.now)
    for message in port.receive(at: Self.now) { host.take(message, at: Self.now) }
    #expect(host.hasNewSession)
    #expect(port.sent.contains { if case .request(let request) = $0 { request.id == OperationID(1) } else { false } })
    host.take(Self.report(1, .adapterReady(Self.info)).encoded, at: Self.now)
    // Reports of the new one follow after the run has stored its session.
    #expect(events(host) == [])
    #expect(host.takeMeeting() != nil)
    #expect(events(host) == [.adapterReady(Self.info)])
    #expect(!host.isTurning)
    // It was working, so losing it is a loss.
    port.keepers.append(("hci2", .says([])))
    host.take(Self.report(2, .adapterLost(Self.mute)).encoded, at: Self.now)
    #expect(events(host) == [.adapterLost(Self.mute)])
  }

  @Test func withoutAnotherAdapterTheFailureIsReported() throws {
    let host = try greeted(Port([("hci0", .says([Self.welcome(7)]))]))
    host.take(Self.report(1, .adapterLost(Self.mute)).encoded, at: Self.now)
    #expect(events(host) == [.adapterLost(Self.mute)])
  }

  @Test(arguments: [false, true]) func ifTheNextAdapterFailsTheFirstFailureIsReported(isRefused: Bool) throws {
    let next: Port.Keeper =
      isRefused ? .says([.refused(.init(.adapter, "hci1 is blocked (rfkill)"))]) : .cannotStart("hci1 is blocked (rfkill)")
    let port = Port([("hci0", .says([Self.welcome(7)])), ("hci1", next)])
    let host = try greeted(port)
    host.take(Self.report(1, .adapterLost(Self.mute)).encoded, at: Self.now)
    host.wake(at: Self.now)
    for message in port.receive(at: Self.now) { host.take(message, at: Self.now) }
    #expect(host.refusal == Self.mute)
  }

  @Test func anUnusableFirstAdapterIsSkipped() throws {
    let port = Port([
      ("hci0", .says([.refused(.init(.adapter, "hci0 is blocked (rfkill)"))])), ("hci1", .cannotStart("hci1 is held")),
      ("hci2", .says([Self.welcome(9, Self.info)])),
    ])
    let host = try greeted(port)
    #expect(
      events(host) == [
        .noted(.warning, "hci0 is blocked (rfkill): trying hci1 instead"),
        .noted(.warning, "hci1 is held: trying hci2 instead"),
      ])
    // A keeper that was working is waited for.
    host.take(KeeperMessage.refused(.init(.adapter, "there is no adapter hci2")).encoded, at: Self.now)
    #expect(host.refusal == nil && host.nextDeadline != nil)
  }

  @Test func ifAllAdaptersFailTheFirstReasonIsReported() throws {
    let port = Port([("hci0", .cannotStart("hci0 is blocked (rfkill)")), ("hci1", .cannotStart("hci1 is held"))])
    do throws(AdapterRefusal) {
      _ = try Self.met(port)
      Issue.record("it was let in")
    } catch {
      #expect(error.message == "hci0 is blocked (rfkill)")
      #expect(error.hint == "the cure")
    }
  }

  @Test func aKeeperThatHoldsLinksIsNotReplaced() throws {
    let port = Port([("hci0", .says([Self.welcome(7, isReturning: true)])), ("hci1", .says([]))])
    let host = try greeted(port)
    host.take(Self.report(1, .adapterLost(Self.mute)).encoded, at: Self.now)
    #expect(events(host) == [.adapterLost(Self.mute)])
    #expect(port.keepers.count == 2)
  }

  /// With a socket that accepts connections, a service manager starts the next keeper, which has 30
  /// s. Otherwise the wait is 10 s.
  @Test(arguments: [(Port.Keeper.says([]), Int64(30)), (.cannotStart("nobody is there"), 10)])
  func aKeeperMayBeAwayForAWhile(keeper: Port.Keeper, seconds: Int64) throws {
    let port = Port([("hci0", .says([Self.welcome(7, Self.info)]))])
    let host = try greeted(port)
    port.keepers[0].keeper = keeper
    host.lost(at: Self.now)
    var told: TimeSpan?
    for step in Int64(0)..<400 where told == nil {
      let away = TimeSpan.milliseconds(100 * step)
      host.wake(at: Self.now + away)
      let isReported = events(host).contains { if case .adapterAway = $0 { true } else { false } }
      if isReported { told = away }
    }
    // The last attempt is at most 5 s and a pause of 2 s before.
    let span = try #require(told)
    #expect(span >= .seconds(seconds) && span <= .seconds(seconds + 7))
  }
}
