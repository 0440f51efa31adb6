import Glibc
import Linux
import Testing
import Vocabulary

@Suite struct SystemTests {
  @Test func theClocksGoOn() {
    let one = SystemClock.now()
    let two = SystemClock.now()
    #expect(two.moment >= one.moment)
    #expect(one.wall > .simulationStart - .days(4000))
  }

  @Test func theBootHasAName() {
    #expect(SystemClock.bootID().utf8.count == 32)
    #expect(SystemClock.bootID() == SystemClock.bootID())
  }

  @Test func twoSeedsDiffer() { #expect(SystemClock.seed() != SystemClock.seed()) }

  let scratch = LinuxScratch()

  @Test func theTimeZoneComesFromTZOrTheSystem() {
    let summer = WallTime(nanoseconds: 1_782_000_000_000_000_000)
    func offset(_ zone: String?) -> Int {
      LocalTime.rules(environment: { $0 == "TZ" ? zone : nil }, folder: scratch.path, localTime: "\(scratch.path)/none").offset(
        at: summer)
    }
    #expect(offset(nil) == 0)
    #expect(offset("") == 0)
    #expect(offset("CET-1CEST,M3.5.0,M10.5.0/3") == 7200)
    #expect(offset(":UTC-5") == 18000)
    #expect(offset("No/Such_Zone") == 0)
    #expect(offset("../../etc/passwd") == 0)
  }

  /// Listeners and lock holders are found without connecting and without taking the lock.
  @Test func listenersAreSeenWithoutConnecting() throws {
    let scratch = LinuxScratch()
    let socket = "\(scratch.path)/s.socket"
    #expect(!SocketFacts.listening().contains(socket))
    let listener = try LocalListener(at: socket, mode: 0o600)
    #expect(SocketFacts.listening().contains(socket))
    guard case .noConnection = listener.accept() else {
      Issue.record("somebody has connected")
      return
    }
    let lock = "\(scratch.path)/s.lock"
    #expect(!SocketFacts.isLocked(lock))
    var held = try ProcessLock(lock)
    #expect(try held != nil && ProcessLock(lock) == nil && SocketFacts.isLocked(lock))
    // Its file may be removed. Whoever then comes first has the next one.
    unlink(lock)
    #expect(try held?.takeAgain() == true && ProcessLock(lock) == nil)
    unlink(lock)
    let other = try ProcessLock(lock)
    #expect(try other != nil && held?.takeAgain() == false)
    other?.release()
    #expect(try held?.takeAgain() == true)
    held?.release()
    // A child that another test starts has a copy of the lock until its exec.
    #expect((0..<20_000).contains { _ in usleep(1000) == 0 && !SocketFacts.isLocked(lock) })
    let table = Array(
      "Num       RefCount Protocol Flags    Type St Inode Path\n0: 00000003 00000000 00000000 0001 03 16 /run/a\n0: 00000002 00000000 00010000 0001 01 17 /run/b c\n0: 00000002 00000000 00010000 0001 01 18 @/run/d\n"
        .utf8)
    #expect(SocketFacts.listening(in: table) == ["/run/b c"])
    let locks = Array("1: POSIX  ADVISORY  WRITE 4711 00:1a:77 0 EOF\n2: FLOCK  ADVISORY  WRITE 4711 00:1a:78 0 EOF\n".utf8)
    #expect(SocketFacts.isLocked(major: 0, minor: 26, inode: 78, in: locks))
    #expect(!SocketFacts.isLocked(major: 0, minor: 26, inode: 77, in: locks))
  }
}
