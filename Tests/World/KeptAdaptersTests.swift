import KeeperProcess
import Linux
import Packets
import Testing
import Vocabulary
@testable import Adapters
@testable import KeeperProcess
@testable import Session
@testable import World

/// Every name of a kernel adapter leads to one keeper.
@Suite struct KeptAdaptersTests {
  private static let address: UInt64 = 0x00AA_0100_0042

  private static func summary(_ index: UInt16, _ use: AdapterSummary.Use, block: AdapterSummary.Block = .none) -> AdapterSummary {
    AdapterSummary(index: index, address: Address(bits: address + UInt64(index), kind: .public), bus: "USB", use: use, block: block)
  }

  /// - Parameter held: the adapters that the keepers have, or wait for.
  private static func find(
    _ name: AdapterName, _ all: [AdapterSummary], served: [String] = [], held: [String: UInt64] = [:]
  ) -> KeptAdapters.Found? {
    KeptAdapters.find(
      name, among: all, keepers: ["hci0", "hci1", "tcp-x"], listens: { served.contains($0) }, runs: { served.contains($0) },
      isServed: { served.contains($0) }
    ) { keeper in
      held[keeper].map { Address(bits: $0, kind: .public) }
    }
  }

  /// Sockets that start a service are not connected to: among those of a service manager, that of a
  /// present adapter is chosen.
  @Test func socketsAreInspectedWithoutConnecting() {
    func find(_ name: AdapterName, _ all: [AdapterSummary], runs: [String] = [], sees: Bool = true) -> String {
      var connected: [String] = []
      let found = KeptAdapters.find(
        name, among: all, keepers: ["hci0", "hci1"], listens: { _ in sees }, runs: { runs.contains($0) },
        isServed: {
          connected.append($0)
          return true
        }
      ) { _ in nil }
      return ([found.map { $0.isServed ? "\($0.name) served" : $0.name } ?? "none"] + connected).joined(separator: ", ")
    }
    #expect(find(.any, [Self.summary(1, .free)]) == "hci1 served")
    #expect(find(.any, [Self.summary(2, .free)]) == "hci2")
    #expect(find(.any, [Self.summary(0, .free), Self.summary(1, .free)]) == "hci0 served")
    // A running keeper has an adapter, or waits for it.
    #expect(find(.any, [Self.summary(2, .free)], runs: ["hci1"]) == "hci1 served")
    #expect(find(.address(Self.address + 9), []) == "none")
    #expect(find(.address(Self.address + 9), [], runs: ["hci1"]) == "none, hci1")
    // If nothing is known, the first that answers.
    #expect(find(.any, [], sees: false) == "hci0 served, hci0")
  }

  @Test func anIndexIsAnAdapterName() {
    #expect(Self.find(.index(1), [Self.summary(1, .free)]) == .init(name: "hci1", isServed: false))
    #expect(Self.find(.index(1), [Self.summary(1, .program)], served: ["hci1"]) == .init(name: "hci1", isServed: true))
    // Unplugged, with its keeper waiting for it.
    #expect(Self.find(.index(1), [], served: ["hci1"]) == .init(name: "hci1", isServed: true))
    #expect(Self.find(.index(1), [Self.summary(0, .free)]) == nil)
  }

  @Test func anAddressIsLookedUp() {
    #expect(Self.find(.address(Self.address + 1), [Self.summary(0, .free), Self.summary(1, .free)])?.name == "hci1")
    #expect(Self.find(.address(5), [Self.summary(0, .free)], served: ["hci0"]) == nil)
  }

  @Test func anUnpluggedAddressFindsItsKeeper() {
    let held = ["hci0": Self.address, "hci1": Self.address + 1]
    #expect(Self.find(.address(Self.address + 1), [], served: ["hci0", "hci1"], held: held) == .init(name: "hci1", isServed: true))
    #expect(Self.find(.address(5), [], served: ["hci0", "hci1"], held: held) == nil)
    #expect(Self.find(.address(Self.address), [], served: [], held: held) == nil)
    // Back under another number, its keeper has the old one.
    let moved = [Self.summary(1, .program)]
    #expect(
      Self.find(.address(Self.address + 1), moved, served: ["hci0"], held: ["hci0": Self.address + 1])
        == .init(name: "hci0", isServed: true))
    #expect(
      Self.find(.address(Self.address + 1), moved, served: ["hci0"], held: held) == .init(name: "hci1", isServed: false))
  }

  @Test func withoutANameAKeptAdapterComesFirst() {
    let all = [Self.summary(0, .free), Self.summary(1, .program)]
    #expect(Self.find(.any, all, served: ["hci1"]) == .init(name: "hci1", isServed: true))
    #expect(Self.find(.any, [], served: ["hci1"]) == .init(name: "hci1", isServed: true))
    #expect(Self.find(.any, all, served: ["tcp-x"]) == .init(name: "hci0", isServed: false))
  }

  @Test func triedAdaptersAreNotFoundAgain() {
    let all = [Self.summary(0, .free), Self.summary(1, .free)]
    func find(_ tried: [String], served: [String]) -> KeptAdapters.Found? {
      KeptAdapters.find(
        .any, except: tried, among: all, keepers: served, listens: { served.contains($0) }, runs: { _ in false },
        isServed: { served.contains($0) }
      ) { _ in nil }
    }
    #expect(find(["hci0"], served: ["hci0"]) == .init(name: "hci1", isServed: false))
    #expect(find(["hci0"], served: ["hci0", "hci1"]) == .init(name: "hci1", isServed: true))
    #expect(find(["hci1"], served: []) == .init(name: "hci0", isServed: false))
    #expect(find(["hci0", "hci1"], served: ["hci0"]) == nil)
  }

  @Test func withoutANameTheFirstUsableAdapterIsFound() {
    #expect(
      Self.find(.any, [Self.summary(0, .free, block: .soft), Self.summary(1, .settingUp), Self.summary(2, .kernel)])?.name == "hci2"
    )
    #expect(Self.find(.any, [Self.summary(0, .program)]) == nil)
    #expect(Self.find(.any, []) == nil)
  }

  @Test func theLastErrorOfAKeeperIsReported() {
    let refusal = KeeperLink.refusal([
      "12:00:00 warning something else", "error: taking hci0 needs the capability CAP_NET_ADMIN", "  = fix: sudo setcap x tooth",
      "         or start it with sudo",
    ])
    #expect(refusal.text == "taking hci0 needs the capability CAP_NET_ADMIN")
    #expect(refusal.hint == "sudo setcap x tooth\nor start it with sudo")
    #expect(!refusal.isTemporary)
    #expect(KeeperLink.refusal(["killed"]) == KeeperUnreachable("killed", isTemporary: false, isAdapters: true))
  }
}
