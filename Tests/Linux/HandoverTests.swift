import Glibc
import Linux
import Testing
import Vocabulary

/// What survives a process: memory, sockets that are read in two steps, and a service manager that
/// holds both.
@Suite struct HandoverTests {
  private static func pair() throws -> (Int32, Int32) {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
    return (ends[0], ends[1])
  }

  private static func send(_ bytes: [UInt8], to descriptor: Int32) {
    _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
  }

  // MARK: Memory

  @Test func storedMemoryIsFoundThroughItsDescriptor() throws {
    let first = try SharedMemory(name: "test", size: 8192)
    #expect(first.bytes.count == 8192)
    if let base = first.bytes.baseAddress { SharedMemory.store(0x1234, at: base + 16) }
    let copy = dup(first.descriptor)
    #expect(SharedMemory.isMemory(copy))
    let second = try SharedMemory(adopting: copy)
    #expect(second.bytes[16] == 0x34)
    // permanently: a shrinking file would crash processes that have it mapped
    #expect(ftruncate(second.descriptor, 0) != 0)
  }

  @Test func descriptorsThatAreNotMemoryAreRefused() throws {
    let file = open("/dev/null", O_RDWR)
    #expect(!SharedMemory.isMemory(file))
    #expect(throws: SystemFailure.self) { try SharedMemory(adopting: file) }
  }

  // MARK: Sockets

  @Test func peekedPacketsStayUntilTheyAreTaken() throws {
    let (mine, theirs) = try Self.pair()
    let kept = dup(mine)
    do {
      let socket = try #require(AdapterSocket(adopting: mine))
      #expect(socket.form == .octets)
      #expect(socket.look() == .nothing)
      Self.send([1, 2, 3], to: theirs)
      #expect(socket.look() == .arrived([1, 2, 3], at: nil))
      #expect(socket.look() == .nothing, "looked at once")
      Self.send([4], to: theirs)
      #expect(socket.look() == .arrived([4], at: nil))
      socket.take(3)
      #expect(socket.pending == 1)
    }
    // the process is gone and another has the same socket: it knows what was peeked and not read
    let next = try #require(AdapterSocket(adopting: kept))
    #expect(next.pending == 1)
    next.lookAgain()
    #expect(next.look() == .arrived([4], at: nil))
    next.take(1)
    #expect(next.pending == 0)
    #expect(next.give([9, 9]) == 2)
    close(theirs)
    #expect(next.look() == .ended("closed the connection"))
  }

  @Test func packetsComeOneByOneWithTheTimeOfTheirArrival() throws {
    let (receiver, sender) = (socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0), socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0))
    defer { close(sender) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let made = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(receiver, $0, size) == 0 && getsockname(receiver, $0, &size) == 0 && connect(sender, $0, size) == 0
      }
    }
    try #require(made)
    let line = try #require(AdapterSocket(adopting: receiver))
    #expect(line.form == .packets)
    Self.send([1, 2], to: sender)
    Self.send([3], to: sender)
    guard case .arrived([1, 2], .some(let stamp)) = line.look() else {
      Issue.record("no packet with a stamp")
      return
    }
    #expect(line.look() == .arrived([1, 2], at: stamp), "the same again until it is taken")
    line.take(2)
    guard case .arrived([3], .some(let later)) = line.look() else {
      Issue.record("no second packet")
      return
    }
    #expect(later >= stamp)
    line.take(1)
    #expect(line.drops == 0)
    // more than it has room for
    for _ in 0..<4000 { Self.send([UInt8](repeating: 0, count: 200), to: sender) }
    let drops = line.drops ?? 0
    #expect(drops > 0)
    let direct = HCISocket(adopting: dup(receiver))
    #expect(direct.takeDropped() == Int(drops))
    #expect(direct.takeDropped() == 0, "told once")
  }

  // MARK: The service manager

  /// A socket of a service manager, and the messages that arrive on it.
  private static func listener(_ name: String) throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) {
      $0.copyBytes(from: name.utf8)
      if name.hasPrefix("@") { $0[0] = 0 }
    }
    let size = socklen_t(MemoryLayout<sa_family_t>.size + name.utf8.count)
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
    }
    try #require(bound == 0)
    return descriptor
  }

  private static func heard(_ descriptor: Int32) -> String? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }

  @Test(arguments: ["@tooth-test-\(getpid())", "/tmp/tooth-test-\(getpid()).notify"]) func theServiceManagerReceivesEveryMessage(
    _ name: String
  ) throws {
    let descriptor = try Self.listener(name)
    defer {
      close(descriptor)
      unlink(name)
    }
    let manager = try #require(ServiceManager { $0 == "NOTIFY_SOCKET" ? name : nil })
    manager.ready("keeps hci0")
    #expect(Self.heard(descriptor) == "READY=1\nSTATUS=keeps hci0")
    manager.status("two\nlines")
    #expect(Self.heard(descriptor) == "STATUS=two lines")
    manager.watchdog()
    #expect(Self.heard(descriptor) == "WATCHDOG=1")
    #expect(manager.store(0, name: "adapter") == nil)
    #expect(Self.heard(descriptor) == "FDSTORE=1\nFDNAME=adapter")
    #expect(manager.store(0, name: "memory", isPolled: false) == nil)
    #expect(Self.heard(descriptor) == "FDSTORE=1\nFDNAME=memory\nFDPOLL=0")
    manager.remove("adapter")
    #expect(Self.heard(descriptor) == "FDSTOREREMOVE=1\nFDNAME=adapter")
    manager.barrier(within: .milliseconds(1))
    #expect(Self.heard(descriptor) == "BARRIER=1")
    manager.stopping()
    #expect(Self.heard(descriptor) == "STOPPING=1")
  }

  @Test func withoutAManagerNothingIsSent() {
    #expect(ServiceManager { _ in nil } == nil)
    #expect(ServiceManager { _ in "relative" } == nil)
    #expect(ServiceManager { _ in "/nobody/there" }?.store(0, name: "x") != nil)
  }

  @Test func inheritedDescriptorsAreFoundByTheirNames() {
    func inherited(_ list: [String: String]) -> [InheritedDescriptors.Entry] {
      InheritedDescriptors(environment: { list[$0] }, process: 7, first: 900).entries
    }
    let found = inherited(["LISTEN_PID": "7", "LISTEN_FDS": "3", "LISTEN_FDNAMES": "memory:adapter"])
    #expect(found.map(\.name) == ["memory", "adapter", ""])
    #expect(found.map(\.descriptor) == [900, 901, 902])
    // for another process, none, invalid
    for list in [
      ["LISTEN_PID": "8", "LISTEN_FDS": "1"], ["LISTEN_PID": "7"], ["LISTEN_PID": "7", "LISTEN_FDS": "-1"],
      ["LISTEN_PID": "7", "LISTEN_FDS": "99999999999"], ["LISTEN_PID": "x", "LISTEN_FDS": "1"], [:],
    ] { #expect(inherited(list).isEmpty) }
  }

  @Test func theWatchdogIsNotifiedTwicePerInterval() {
    func interval(_ list: [String: String]) -> Int64? { ServiceManager.watchdogInterval(environment: { list[$0] }, process: 7) }
    #expect(interval(["WATCHDOG_USEC": "30000000"]) == 15_000_000)
    #expect(interval(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "7"]) == 15_000_000)
    #expect(interval(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "8"]) == nil)
    #expect(interval(["WATCHDOG_USEC": "no"]) == nil)
    #expect(interval([:]) == nil)
  }
}
