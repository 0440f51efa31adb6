import Host
import Keeper
import Testing

@testable import KeeperProcess

/// Orders of a keeper that its process still has to perform.
@Suite struct PendingOrdersTests {
  private static let one = ComputationID(1)
  private static let two = ComputationID(2)

  private static func pending() -> PendingOrders {
    var orders = PendingOrders()
    for output: KeeperOutput in [
      .compute(one, .databaseHash(of: [1])), .send([1]), .reopen, .log("said"), .compute(two, .databaseHash(of: [2, 3])),
    ] {
      orders.add(output)
    }
    return orders
  }

  @Test func ordersArePerformedInOrder() {
    var orders = Self.pending()
    #expect(orders.first == .compute(Self.one, .databaseHash(of: [1])))
    orders.take(.computed(Self.one, .databaseHash([9])))
    #expect(orders.first == .reopen)
    orders.take(.started(seed: 1))
    #expect(orders.first == .compute(Self.two, .databaseHash(of: [2, 3])))
    orders.take(.computed(Self.two, .unavailable))
    #expect(orders.first == nil)
  }

  @Test func anAnswerRemovesOnlyItsOrder() {
    var orders = Self.pending()
    orders.take(.computed(Self.two, .unavailable))
    orders.take(.computed(ComputationID(7), .unavailable))
    orders.take(.packet([4]))
    orders.take(.transportLost("unplugged"))
    #expect(orders.first == .compute(Self.one, .databaseHash(of: [1])))
    orders.take(.computed(Self.one, .unavailable))
    #expect(orders == PendingOrders())
  }

  @Test func aSuccessorFindsAllOrders() throws {
    let orders = Self.pending()
    let bytes = orders.encoded
    #expect(try PendingOrders(encoded: bytes) == orders)
    for count in 0..<bytes.count { #expect((try? PendingOrders(encoded: Array(bytes.prefix(count)))) == nil) }
  }
}
