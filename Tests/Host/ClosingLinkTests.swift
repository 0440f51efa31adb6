import Exchange
import Packets
import Testing
import Vocabulary

@testable import Host

/// A closing link stays open for one request if later runs can use the answer.
@Suite struct ClosingLinkTests {
  private static let hash = [UInt8](repeating: 0x5A, count: 16)
  private static let asksForHash: [UInt8] = [0x08, 0x01, 0x00, 0xFF, 0xFF, 0x2A, 0x2B]

  /// A link on which the heart rate service was found; the last request was just answered.
  private func discovered(_ owner: OwnerID = .run) -> LinkBench {
    var bench = LinkBench()
    if owner != .run { bench.input(.arrived(owner)) }
    bench.connect(owner: owner)
    let discovery = bench.request(.gatt(LinkBench.strap, .discover([UUID(0x180D)])), owner: owner)
    var answers: [[UInt8]] = [[0x07, 0x01, 0x00, 0x03, 0x00], [0x09, 0x07, 0x02, 0x00, 0x10, 0x03, 0x00, 0x37, 0x2A]]
    for _ in 0..<8 where bench.outcome(discovery) == nil {
      bench.completed(0x40, 1)
      guard let question = asked(bench).last else { break }
      // There are no includes.
      if question.suffix(2) != [0x02, 0x28], let place = answers.firstIndex(where: { $0[0] == question[0] + 1 }) {
        bench.frame(0x40, answers.remove(at: place))
      } else {
        bench.frame(0x40, [0x01, question[0], question[1], question[2], 0x0A])
      }
    }
    bench.completed(0x40, 1)
    #expect(bench.outcome(discovery) == .success(.done))
    bench.forget()
    return bench
  }

  private func asked(_ bench: LinkBench) -> [[UInt8]] { bench.data.map { Array($0.data.dropFirst(4)) } }

  private func attributeCache(_ bench: LinkBench) -> AttributeCache? {
    for case .attributeCacheChanged(LinkBench.strap, let attributeCache) in bench.events.reversed() { return attributeCache }
    return nil
  }

  private func isReported(_ bench: LinkBench, _ owner: OwnerID = .run) -> Bool {
    bench.reports.contains { $0.owner == owner && $0.event == .disconnected(LinkBench.strap, .asked) }
  }

  @Test func readsTheHashBeforeClosingALink() {
    var bench = discovered()
    let end = bench.request(.disconnect(LinkBench.strap))
    #expect(asked(bench) == [Self.asksForHash])
    #expect(bench.commands.isEmpty)
    #expect(bench.host.openLinks.map(\.isEnding) == [true])
    bench.frame(0x40, [0x09, 0x12, 0x05, 0x00] + Self.hash)
    #expect(attributeCache(bench)?.databaseHash == Self.hash)
    #expect(bench.opcodes == [.disconnect])
    #expect(bench.outcome(end) == nil)
    bench.disconnectionComplete(0x40, .localHostTerminated)
    #expect(isReported(bench))
    #expect(bench.outcome(end) == .success(.done))
    #expect(asked(bench).count == 1)
  }

  @Test func remembersThatAServerHasNoHash() {
    var bench = discovered()
    bench.request(.disconnect(LinkBench.strap))
    bench.frame(0x40, [0x01, 0x08, 0x01, 0x00, 0x0A])
    #expect(attributeCache(bench)?.lacksHash == true)
    #expect(bench.opcodes == [.disconnect])
  }

  @Test func doesNotWaitForAnUnresponsivePeer() {
    var bench = discovered()
    bench.request(.disconnect(LinkBench.strap))
    bench.pass(HostLimits.closingRead - .milliseconds(1))
    #expect(bench.commands.isEmpty)
    bench.pass(.milliseconds(1))
    #expect(bench.opcodes == [.disconnect])
    #expect(attributeCache(bench) == nil)
  }

  /// The link is lost, or the peer closes it, before the answer arrives.
  @Test func aLinkLostDuringTheHashReadIsClosed() {
    var bench = discovered()
    let end = bench.request(.disconnect(LinkBench.strap))
    bench.disconnectionComplete(0x40, .connectionTimeout)
    #expect(bench.outcome(end) == .success(.done))
    #expect(bench.host.openLinks.isEmpty)
    bench.pass(.seconds(5))
    #expect(bench.commands.isEmpty)
  }

  @Test func doesNotReadAHashThatHasNoUse() {
    // Nothing was found.
    var empty = LinkBench()
    empty.connect()
    empty.forget()
    empty.request(.disconnect(LinkBench.strap))
    #expect(empty.opcodes == [.disconnect])
    #expect(empty.data.isEmpty)
    // It was already requested while the bearer was idle.
    var idle = discovered()
    idle.pass(AttributeLimits.idle)
    idle.frame(0x40, [0x09, 0x12, 0x05, 0x00] + Self.hash)
    idle.forget()
    idle.request(.disconnect(LinkBench.strap))
    #expect(idle.opcodes.last == .disconnect)
    #expect(!asked(idle).contains(Self.asksForHash))
    // A request is pending.
    var busy = discovered()
    busy.request(.gatt(LinkBench.strap, .discover([UUID(0x180F)])))
    busy.forget()
    busy.request(.disconnect(LinkBench.strap))
    #expect(busy.opcodes == [.disconnect])
    // A client that says goodbye does not wait.
    var gone = discovered(OwnerID(2))
    gone.input(.dismissed(OwnerID(2)))
    #expect(gone.opcodes == [.disconnect])
  }

  /// The idle bearer has already requested it, and that request is the farewell.
  @Test func waitsForAHashReadThatIsOutstanding() {
    var bench = discovered()
    bench.pass(AttributeLimits.idle)
    bench.request(.disconnect(LinkBench.strap))
    #expect(asked(bench) == [Self.asksForHash])
    #expect(bench.commands.isEmpty)
    bench.frame(0x40, [0x09, 0x12, 0x05, 0x00] + Self.hash)
    #expect(attributeCache(bench)?.databaseHash == Self.hash)
  }

  @Test func anotherClientTakesOverAClosingLink() {
    var bench = discovered(OwnerID(2))
    bench.input(.arrived(OwnerID(3)))
    bench.forget()
    let end = bench.request(.disconnect(LinkBench.strap), owner: OwnerID(2))
    let connection = bench.request(.connect(ConnectRequest(peer: LinkBench.strap, pending: false)), owner: OwnerID(3))
    #expect(isReported(bench, OwnerID(2)))
    #expect(bench.outcome(end) == .success(.done))
    #expect(bench.events.contains { if case .connected(connection, _, _) = $0 { true } else { false } })
    bench.frame(0x40, [0x09, 0x12, 0x05, 0x00] + Self.hash)
    bench.pass(.seconds(10))
    #expect(bench.opcodes.allSatisfy { $0 != .disconnect })
    #expect(bench.host.links(of: OwnerID(3)).map(\.peer) == [LinkBench.strap])
    #expect(bench.host.links(of: OwnerID(2)).isEmpty)
    #expect(
      bench.reports.contains {
        $0.owner == OwnerID(3) && $0.event == .attributeCacheChanged(LinkBench.strap, attributeCache(bench) ?? .init())
      })
  }

  @Test func reconnectingMakesANewLink() {
    var bench = discovered()
    let end = bench.request(.disconnect(LinkBench.strap))
    let connection = bench.request(.connect(ConnectRequest(peer: LinkBench.strap, pending: false)))
    #expect(bench.opcodes.first == .disconnect)
    #expect(!bench.events.contains { if case .connected(connection, _, _) = $0 { true } else { false } })
    bench.disconnectionComplete(0x40, .localHostTerminated)
    #expect(bench.outcome(end) == .success(.done))
    bench.connectionComplete(LinkBench.strap, handle: 0x41)
    bench.completed(0x41, 1)
    bench.mtuResponse(0x41)
    #expect(bench.events.contains { if case .connected(connection, _, _) = $0 { true } else { false } })
  }

  @Test func requestsOnAClosingLinkFail() {
    var bench = discovered()
    bench.request(.disconnect(LinkBench.strap))
    let late = bench.request(.gatt(LinkBench.strap, .discover([])))
    #expect(bench.failure(late)?.kind == .disconnected)
    #expect(bench.failure(late)?.delivered == .notSent)
  }
}
