import Keeper
import KeeperProcess
import Linux
import Testing
import Vocabulary

/// A socket that preserves packets, each with a timestamp.
private final class StampedLine: AdapterLine {
  var queue: [(bytes: [UInt8], at: WallTime)] = []
  var taken = 0

  var form: AdapterSocket.Form { .packets }
  func look() -> AdapterSocket.Look {
    queue.first.map { .arrived($0.bytes, at: $0.at) } ?? .nothing
  }
  func take(_ count: Int) {
    queue.removeFirst()
    taken += 1
  }
  var pending: Int? { nil }
  func lookAgain() {}
  func give(_ bytes: ArraySlice<UInt8>) -> Int? { bytes.count }
  var drops: Int64? { 0 }
  var descriptor: Int32 { -1 }
  func close() {}
}

/// The successor of a killed keeper learns from the kernel's timestamp whether a peeked packet was
/// also read.
@Suite struct SeenTwiceTests {
  /// A vendor event that is ignored: all of them are equal.
  private static let packet: [UInt8] = [0x04, 0xFF, 0x01, 0x00]
  private let line = StampedLine()
  private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)

  private func engine(dyingAt step: KeeperEngine.Step) -> KeeperEngine {
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    let keeper = Keeper(configuration: KeeperConfiguration(version: "1", adapter: "test", user: 0), seed: 5, at: .simulationStart)
    return KeeperEngine(keeper: keeper, line: line, memory: KeeperMemory(memory, fingerprint: 7), hook: { $0 == step })
  }

  private func successor() -> KeeperEngine? {
    KeeperEngine(line: line, memory: KeeperMemory(memory, fingerprint: 7), seed: 2, at: .simulationStart)
  }

  @Test(arguments: [KeeperEngine.Step.written, .taken, .marked]) func theSamePacketIsTakenOnce(_ step: KeeperEngine.Step) throws {
    defer { memory.deallocate() }
    line.queue = [(Self.packet, WallTime(nanoseconds: 1000))]
    let first = engine(dyingAt: step)
    _ = first.receive(seed: 1, at: .simulationStart)
    #expect(first.isDead)
    let next = try #require(successor())
    #expect(line.taken == 1)
    _ = next.receive(seed: 1, at: .simulationStart)
    #expect(line.taken == 1)
    #expect(line.queue.isEmpty)
  }

  @Test(arguments: [KeeperEngine.Step.taken, .marked]) func equalPacketsOfDifferentTimesAreDistinct(_ step: KeeperEngine.Step)
    throws
  {
    defer { memory.deallocate() }
    line.queue = [(Self.packet, WallTime(nanoseconds: 1000)), (Self.packet, WallTime(nanoseconds: 1001))]
    let first = engine(dyingAt: step)
    _ = first.receive(seed: 1, at: .simulationStart)
    #expect(first.isDead)
    let next = try #require(successor())
    // It is still there, to be handled.
    #expect(line.taken == 1)
    #expect(line.queue.count == 1)
    _ = next.receive(seed: 1, at: .simulationStart)
    #expect(line.taken == 2)
  }
}
