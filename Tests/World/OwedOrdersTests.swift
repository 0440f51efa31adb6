import Host
import Keeper
import Testing

@testable import KeeperProcess

/// Orders of a keeper that its process still has to perform.
@Suite struct OwedOrdersTests {
  private static let one = ComputationID(1)
  private static let two = ComputationID(2)

  private static func owed() -> OwedOrders {
    var orders = OwedOrders()
    for output: KeeperOutput in [
      .compute(one, .databaseHash(of: [1])), .send([1]), .reopen, .log("said"), .compute(two, .databaseHash(of: [2, 3])),
    ] {
      orders.add(output)
    }
    return orders
  }

  @Test func ordersAreDoneInTheirOrder() {
    var orders = Self.owed()
    #expect(orders.first == .compute(Self.one, .databaseHash(of: [1])))
    orders.take(.computed(Self.one, .databaseHash([9])))
    #expect(orders.first == .reopen)
    orders.take(.started(seed: 1))
    #expect(orders.first == .compute(Self.two, .databaseHash(of: [2, 3])))
    orders.take(.computed(Self.two, .unavailable))
    #expect(orders.first == nil)
  }

  @Test func anAnswerTakesItsOwnOrderAndNoOther() {
    var orders = Self.owed()
    orders.take(.computed(Self.two, .unavailable))
    orders.take(.computed(ComputationID(7), .unavailable))
    orders.take(.packet([4]))
    orders.take(.transportLost("unplugged"))
    #expect(orders.first == .compute(Self.one, .databaseHash(of: [1])))
    orders.take(.computed(Self.one, .unavailable))
    #expect(orders == OwedOrders())
  }

  @Test func aSuccessorFindsAllOfThem() throws {
    let orders = Self.owed()
    let bytes = orders.encoded
    #expect(try OwedOrders(encoded: bytes) == orders)
    for count in 0..<bytes.count { #expect((try? OwedOrders(encoded: Array(bytes.prefix(count)))) == nil) }
  }
}
