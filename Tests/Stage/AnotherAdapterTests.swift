import Exchange
import Keeper
import Linux
import Stage
import Testing
import Vocabulary

/// A run that has named no adapter, and keepers whose adapters cannot be had: the next one is tried.
@Suite struct AnotherAdapterTests {
  /// Ways to several keepers, one after another, by script.
  private final class Port: KeeperPort {
    /// What the keeper of each adapter does when somebody connects.
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
      case .says(let messages): inbox = messages.map(\.carried)
      case .cannotStart(let why): throw KeeperUnreachable(why, hint: "the cure", isTemporary: false, isAdapters: true)
      }
    }

    func turnToAnother() -> String? {
      guard keepers.count > 1 else { return nil }
      keepers.removeFirst()
      return keepers[0].name
    }

    func wait(until moment: Moment) {}
    func send(_ message: [UInt8], at now: Instant) { if let read = try? KeeperMessage(carried: message) { sent.append(read) } }

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
    var remote = KeeperHost(
      port: port, client: KeeperClient(version: "1", identity: [UInt8](repeating: 1, count: 16), name: "run"))
    _ = try remote.greet(at: Self.now)
    remote.send(HostRequest(id: OperationID(1), command: .scan(ScanRequest(duty: .full))), at: Self.now)
    return remote
  }

  private func events(_ remote: inout KeeperHost) -> [HostEvent] {
    var events: [HostEvent] = []
    while let report = remote.next() { events.append(report.event) }
    return events
  }

  @Test func theKeeperOfTheNextOneIsAskedTheSame() throws {
    let port = Port([("hci0", .says([Self.welcome(7)])), ("hci1", .says([Self.welcome(8)]))])
    var remote = try greeted(port)
    remote.take(Self.report(1, .adapterLost(Self.mute)).carried, at: Self.now)
    #expect(events(&remote) == [.noted(.warning, "\(Self.mute.message): hci1 is tried instead")])
    #expect(remote.isTurning)
    #expect(remote.nextDeadline == Self.now.moment)
    remote.wake(at: Self.now)
    for message in port.receive(at: Self.now) { remote.take(message, at: Self.now) }
    #expect(remote.hasNewSession)
    #expect(port.sent.contains { if case .request(let request) = $0 { request.id == OperationID(1) } else { false } })
    remote.take(Self.report(1, .adapterReady(Self.info)).carried, at: Self.now)
    #expect(events(&remote) == [.adapterReady(Self.info)])
    #expect(!remote.isTurning)
    // It is at work: its loss is a loss.
    port.keepers.append(("hci2", .says([])))
    remote.take(Self.report(2, .adapterLost(Self.mute)).carried, at: Self.now)
    #expect(events(&remote) == [.adapterLost(Self.mute)])
  }

  @Test func withoutANextOneItsFailureIsTold() throws {
    var remote = try greeted(Port([("hci0", .says([Self.welcome(7)]))]))
    remote.take(Self.report(1, .adapterLost(Self.mute)).carried, at: Self.now)
    #expect(events(&remote) == [.adapterLost(Self.mute)])
  }

  @Test(arguments: [false, true]) func whenTheNextOneCannotBeHadTheFirstFailureIsTold(isRefused: Bool) throws {
    let next: Port.Keeper =
      isRefused ? .says([.refused(.init(.adapter, "hci1 is blocked (rfkill)"))]) : .cannotStart("hci1 is blocked (rfkill)")
    let port = Port([("hci0", .says([Self.welcome(7)])), ("hci1", next)])
    var remote = try greeted(port)
    remote.take(Self.report(1, .adapterLost(Self.mute)).carried, at: Self.now)
    remote.wake(at: Self.now)
    for message in port.receive(at: Self.now) { remote.take(message, at: Self.now) }
    #expect(remote.refusal == Self.mute)
  }

  @Test func aFirstOneThatCannotBeTakenIsLeftToo() throws {
    let port = Port([
      ("hci0", .says([.refused(.init(.adapter, "hci0 is blocked (rfkill)"))])), ("hci1", .cannotStart("hci1 is held")),
      ("hci2", .says([Self.welcome(9, Self.info)])),
    ])
    var remote = try greeted(port)
    #expect(
      events(&remote) == [
        .noted(.warning, "hci0 is blocked (rfkill): hci1 is tried instead"),
        .noted(.warning, "hci1 is held: hci2 is tried instead"),
      ])
    // One that was at work is waited for.
    remote.take(KeeperMessage.refused(.init(.adapter, "there is no adapter hci2")).carried, at: Self.now)
    #expect(remote.refusal == nil && remote.nextDeadline != nil)
  }

  @Test func whenNoneCanBeTakenTheFirstReasonIsTold() throws {
    let port = Port([("hci0", .cannotStart("hci0 is blocked (rfkill)")), ("hci1", .cannotStart("hci1 is held"))])
    do throws(AdapterRefusal) {
      var remote = KeeperHost(
        port: port, client: KeeperClient(version: "1", identity: [UInt8](repeating: 1, count: 16), name: "run"))
      _ = try remote.greet(at: Self.now)
      Issue.record("it was let in")
    } catch {
      #expect(error.message == "hci0 is blocked (rfkill)")
      #expect(error.hint == "the cure")
    }
  }

  @Test func whatAKeeperHoldsIsNotLeft() throws {
    let port = Port([("hci0", .says([Self.welcome(7, isReturning: true)])), ("hci1", .says([]))])
    var remote = try greeted(port)
    remote.take(Self.report(1, .adapterLost(Self.mute)).carried, at: Self.now)
    #expect(events(&remote) == [.adapterLost(Self.mute)])
    #expect(port.keepers.count == 2)
  }
}
