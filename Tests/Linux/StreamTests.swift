import Glibc
import Linux
import Testing
import Vocabulary

@Suite struct StreamTests {
  let scratch = LinuxScratch()
  let reset: [UInt8] = [0x01, 0x03, 0x0C, 0x00]
  let complete: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]

  @Test(arguments: ["unix:", "unix", "tcp:", "tcp:host", "tcp::1", "tcp:h:99999", "tcp:h:x", "usb:0", "hci0", ""])
  func invalidAddressesAreRefused(text: String) { #expect(H4Address(text) == nil) }

  @Test(arguments: ["unix:/tmp/a b", "tcp:localhost:9000", "tcp:[::1]:9000"])
  func anAddressPrintsAsItWasWritten(text: String) { #expect(H4Address(text)?.description == text) }

  @Test func aPathThatNoSocketCanHaveIsRefused() { #expect(H4Address("unix:/" + String(repeating: "a", count: 107)) == nil) }

  func pair(_ address: H4Address) throws -> (H4Stream, H4Stream) {
    let listener = try H4Listener(at: address)
    var there = address
    if case .tcp(let host, 0) = address { there = .tcp(host: host, port: try #require(listener.port)) }
    let host = try H4Stream(connectingTo: there)
    _ = Poll.wait(for: [Poll.Interest(listener.descriptor)], until: SystemClock.now().moment + .seconds(5))
    return (host, try #require(listener.accept()))
  }

  func packets(_ stream: H4Stream, count: Int) -> [[UInt8]] {
    var all: [[UInt8]] = []
    let limit = SystemClock.now().moment + .seconds(5)
    while all.count < count, stream.ending == nil, SystemClock.now().moment < limit {
      _ = Poll.wait(for: [Poll.Interest(stream.descriptor)], until: limit)
      all += stream.receive()
    }
    return all
  }

  @Test func packetsGoBothWaysOverBothKindsOfSocket() throws {
    for address in [H4Address.unix("\(scratch.path)/air"), .tcp(host: "127.0.0.1", port: 0)] {
      let (host, controller) = try pair(address)
      host.send(reset)
      #expect(packets(controller, count: 1) == [reset])
      controller.send(complete)
      controller.send(complete)
      #expect(packets(host, count: 2) == [complete, complete])
    }
  }

  @Test func aPacketMayComeInPieces() throws {
    var ends: [Int32] = [0, 0]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
    let stream = H4Stream(descriptor: ends[0])
    for byte in complete.dropLast() {
      _ = write(ends[1], [byte], 1)
      #expect(stream.receive().isEmpty)
    }
    _ = write(ends[1], [complete[6]] + complete, 8)
    #expect(stream.receive() == [complete, complete])
    close(ends[1])
    #expect(stream.receive().isEmpty)
    #expect(stream.ending == .closed)
  }

  @Test func dataWaitsForAFullSocket() throws {
    var ends: [Int32] = [0, 0]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
    let (writer, reader) = (H4Stream(descriptor: ends[0]), H4Stream(descriptor: ends[1]))
    let data: [UInt8] = [0x02, 0x40, 0x00, 0xFB, 0x00] + [UInt8](repeating: 0x5A, count: 251)
    let count = 5000
    for _ in 0..<count { writer.send(data) }
    #expect(writer.hasPendingOutput)
    var got = 0
    var rounds = 0
    while got < count, rounds < 100_000 {
      let some = reader.receive()
      #expect(some.allSatisfy { $0 == data })
      got += some.count
      writer.flush()
      rounds += 1
    }
    #expect(got == count)
    #expect(!writer.hasPendingOutput)
  }

  @Test func octetsThatAreNotAPacketEndTheStream() throws {
    var ends: [Int32] = [0, 0]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
    let stream = H4Stream(descriptor: ends[0])
    _ = write(ends[1], complete + [0x77], 8)
    #expect(stream.receive() == [complete])
    #expect(stream.ending == .outOfStep(0x77))
    close(ends[1])
  }

  @Test func connectionErrorsNameTheAddress() {
    #expect(throws: SystemFailure("cannot connect to unix:\(scratch.path)/none", code: ENOENT, words: "there is no such socket")) {
      try H4Stream(connectingTo: .unix("\(scratch.path)/none"))
    }
    #expect(throws: SystemFailure("connecting to tcp:127.0.0.1:1", code: ECONNREFUSED)) {
      try H4Stream(connectingTo: .tcp(host: "127.0.0.1", port: 1))
    }
    #expect(throws: SystemFailure.self) { try H4Stream(connectingTo: .tcp(host: "no-such-host.invalid", port: 1)) }
  }

  @Test func aSocketLeftByAKilledProcessIsTakenOver() throws {
    let address = H4Address.unix("\(scratch.path)/air")
    do {
      var name = sockaddr_un()
      name.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: "\(scratch.path)/air".utf8) }
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      let bound = withUnsafePointer(to: &name) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
      }
      #expect(bound == 0)
      close(descriptor)
    }
    let listener = try H4Listener(at: address)
    // A living one is not.
    #expect(throws: SystemFailure("listening at \(address)", code: EADDRINUSE)) { try H4Listener(at: address) }
    withExtendedLifetime(listener) {}
  }

  @Test func theLoopWakesAtItsDeadline() {
    let start = SystemClock.now().moment
    #expect(Poll.wait(for: [], until: start + .milliseconds(5)).isEmpty)
    #expect(SystemClock.now().moment >= start + .milliseconds(5))
    // A deadline in the past does not wait.
    #expect(Poll.wait(for: [], until: .zero).isEmpty)
  }
}
