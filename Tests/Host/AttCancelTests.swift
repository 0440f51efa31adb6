import Exchange
import Host
import Packets
import Testing
import Vocabulary

@Suite struct AttCancelTests {
  @Test func cancellingAQueuedOperationRemovesIt() {
    var bench = AttBench.ready()
    let first = bench.submit(.read(.test("handle 0003")))
    let second = bench.submit(.write(.test("handle 0005"), [1]))
    bench.cancel(second)
    #expect(bench.failure(second)?.kind == .cancelled && bench.failure(second)?.delivered == .notSent)
    bench.hear("0b 01")
    #expect(bench.outcome(first) != nil)
    #expect(bench.sent.count == 1)
  }

  @Test func aRequestThatWasSentStaysOutstandingAndBlocksTheNext() {
    var bench = AttBench.ready()
    let first = bench.submit(.write(.test("handle 0003"), [1]))
    bench.cancel(first)
    #expect(bench.failure(first)?.kind == .cancelled && bench.failure(first)?.delivered == .reachedRadio)
    let second = bench.submit(.read(.test("handle 0005")))
    bench.wait(.seconds(29))
    #expect(bench.sent.count == 1)
    bench.hear("13")
    #expect(bench.sent.last == [0x0A, 5, 0])
    #expect(bench.notes.contains { $0.contains("dropped") })
    bench.hear("0b 01")
    #expect(bench.outcome(second) != nil)
    #expect(bench.count(of: first) == 1)
  }

  @Test func aCancelledRequestStillTimesOutTheLink() {
    var bench = AttBench.ready()
    let first = bench.submit(.write(.test("handle 0003"), [1]))
    bench.wait(.seconds(10))
    bench.cancel(first)
    bench.wait(.seconds(20))
    #expect(bench.closed != nil)
    #expect(bench.count(of: first) == 1)
  }

  @Test func theDeliveryOfAWriteFollowsTheRadio() {
    for (handed, delivered, cancelled, lost) in [
      (false, false, Failure.Delivery.maybe, Failure.Delivery.notSent), (true, false, .maybe, .maybe),
      (true, true, .reachedRadio, .reachedRadio),
    ] {
      for isCancel in [true, false] {
        var bench = AttBench.ready()
        bench.flows = false
        let id = bench.submit(.write(.test("handle 0003"), [1]))
        if handed { bench.take(bench.peer.handedOver(server: &bench.server, at: bench.now)) }
        if delivered { bench.take(bench.peer.delivered(at: bench.now)) }
        if isCancel { bench.cancel(id) } else { bench.lose() }
        #expect(bench.failure(id)?.delivered == (isCancel ? cancelled : lost))
      }
    }
  }

  @Test func preparedPartsOfACancelledWriteAreWithdrawn() {
    var bench = AttBench.ready()
    let id = bench.submit(.write(.test("handle 0003"), Array(repeating: 7, count: 40)))
    bench.hear(ATTPDU.prepareWriteResponse(AttributeHandle(3), offset: 0, Array(repeating: 7, count: 18)).encoded)
    bench.cancel(id)
    #expect(bench.failure(id)?.delivered == .notSent)
    let next = bench.submit(.read(.test("handle 0005")))
    bench.hear(ATTPDU.prepareWriteResponse(AttributeHandle(3), offset: 18, Array(repeating: 7, count: 18)).encoded)
    #expect(bench.sent.last == [0x18, 0x00])
    bench.hear("19")
    #expect(bench.sent.last == [0x0A, 5, 0])
    bench.hear("0b 01")
    #expect(bench.outcome(next) != nil)
  }

  @Test func anAnswerToACancelledDiscoveryIsCached() {
    var bench = AttBench.ready()
    let id = bench.submit(.subscribe(.test("180d/2a37")))
    bench.cancel(id)
    bench.hear("07 10 00 20 00")
    #expect(bench.peer.attributeCache.services.count == 1)
    #expect(bench.sent.count == 1)
  }

  @Test func aCancelledSubscriptionIsDisarmed() {
    var bench = AttBench.ready()
    let id = bench.submit(.subscribe(.test("180d/2a37")), owner: OwnerID(7))
    bench.hear("07 10 00 13 00")
    bench.hear("09 07 11 00 10 12 00 37 2a")
    bench.hear("05 01 13 00 02 29")
    bench.take(bench.peer.cancel(OwnerID(7), id, at: bench.now))
    bench.hear("13")
    bench.hear("1b 12 00 01")
    #expect(bench.owned.last?.owner == .run)
    #expect(bench.failure(id)?.kind == .cancelled)
  }

  @Test func cancellingAnUnknownOperationDoesNothing() {
    var bench = AttBench.ready()
    bench.cancel(OperationID(99))
    #expect(bench.order.isEmpty)
  }

  @Test func ownersShareASubscription() throws {
    var bench = AttBench.ready()
    bench.submit(.subscribe(.test("180d/2a37")), owner: OwnerID(1))
    bench.hear("07 10 00 13 00")
    bench.hear("09 07 11 00 30 12 00 37 2a")
    bench.hear("05 01 13 00 02 29")
    bench.hear("13")
    bench.submit(.subscribe(.test("180d/2a37")), owner: OwnerID(2))
    bench.sent = []
    bench.owned = []
    bench.hear("1b 12 00 01")
    #expect(bench.owned.map(\.owner) == [OwnerID(1), OwnerID(2)])
    // an indication is confirmed once both have acknowledged it
    bench.hear("1d 12 00 02")
    for (place, entry) in bench.tokens.enumerated() {
      bench.peer.indicationReported(token: entry.token, owner: entry.owner, number: EventNumber(UInt64(place) + 5))
    }
    bench.take(bench.peer.acknowledged(owner: OwnerID(1), EventNumber(9), at: bench.now))
    #expect(bench.sent.isEmpty)
    bench.take(bench.peer.acknowledged(owner: OwnerID(2), EventNumber(5), at: bench.now))
    #expect(bench.sent.isEmpty)
    bench.take(bench.peer.acknowledged(owner: OwnerID(2), EventNumber(6), at: bench.now))
    let said = bench.said()
    #expect(said == ["1e"])
    // the first to leave writes nothing
    bench.submit(.unsubscribe(.test("180d/2a37")), owner: OwnerID(1))
    #expect(bench.sent.isEmpty)
    bench.submit(.unsubscribe(.test("180d/2a37")), owner: OwnerID(2))
    #expect(bench.sent.last == [0x12, 0x13, 0, 0, 0])
  }
}
