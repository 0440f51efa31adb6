import Glibc
import Linux
import Testing
import Vocabulary

/// A pseudo terminal: the line between a host and a controller.
final class Line {
  let controller: Int32
  let device: String

  init() throws {
    controller = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
    try #require(controller >= 0)
    var isLocked: Int32 = 0
    // TIOCSPTLCK
    try #require(ioctl(controller, 0x4004_5431, &isLocked) == 0)
    var number: Int32 = -1
    // TIOCGPTN
    try #require(ioctl(controller, 0x8004_5430, &number) == 0)
    device = "/dev/pts/\(number)"
  }

  private var isOpen = true

  func hangUp() {
    if isOpen { close(controller) }
    isOpen = false
  }

  deinit { hangUp() }

  func say(_ bytes: [UInt8]) { _ = write(controller, bytes, bytes.count) }

  /// What the host has written.
  func hear(_ count: Int) -> [UInt8] {
    var all: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 4096)
    let limit = SystemClock.now().moment + .seconds(5)
    while all.count < count, SystemClock.now().moment < limit {
      _ = Poll.wait(for: [Poll.Interest(controller)], until: limit)
      let some = read(controller, &block, block.count)
      if some > 0 { all += block[..<some] }
    }
    return all
  }
}

@Suite struct SerialTests {
  let reset: [UInt8] = [0x01, 0x03, 0x0C, 0x00]
  let complete: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]
  let version: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x01, 0x10, 0x00]

  @Test(arguments: ["serial:", "serial:@115200", "serial:/dev/ttyS0@0", "serial:/dev/ttyS0@99999999999"])
  func invalidSerialPortsAreRefused(text: String) { #expect(H4Address(text) == nil) }

  @Test func anAddressHasASpeedAlsoWhenNoneIsNamed() {
    #expect(H4Address("serial:/dev/ttyACM0") == .serial(device: "/dev/ttyACM0", baud: 1_000_000))
    #expect(H4Address("serial:/dev/ttyACM0@115200") == .serial(device: "/dev/ttyACM0", baud: 115_200))
    #expect(H4Address("serial:/dev/by@id/x@y") == .serial(device: "/dev/by@id/x@y", baud: 1_000_000))
    #expect(H4Address("serial:/dev/ttyACM0@115200")?.description == "serial:/dev/ttyACM0@115200")
    #expect(SerialPort.speeds.first == 9600)
    #expect(SerialPort.speeds.last == 4_000_000)
    #expect(SerialPort.speeds.contains(115_200) && SerialPort.speeds == SerialPort.speeds.sorted())
  }

  func open(_ line: Line, baud: UInt32 = 1_000_000) throws -> H4Stream {
    try H4Stream(connectingTo: .serial(device: line.device, baud: baud))
  }

  /// Reads packets until this many have arrived, or this many faults.
  func packets(_ stream: H4Stream, count: Int, faults: inout [H4Stream.Fault], until: Int = .max) -> [[UInt8]] {
    var all: [[UInt8]] = []
    let limit = SystemClock.now().moment + .seconds(5)
    while all.count < count, faults.count < until, stream.ending == nil, SystemClock.now().moment < limit {
      all += stream.receive(at: SystemClock.now().moment)
      faults += stream.takeFaults()
      if all.count < count, faults.count < until {
        _ = Poll.wait(for: [Poll.Interest(stream.descriptor)], until: SystemClock.now().moment + .milliseconds(20))
      }
    }
    return all
  }

  @Test(arguments: SerialPort.speeds) func thePortIsRawAtTheSpeedThatWasNamed(baud: UInt32) throws {
    let line = try Line()
    let stream = try open(line, baud: baud)
    var mode = termios()
    #expect(tcgetattr(stream.descriptor, &mode) == 0)
    #expect(mode.c_lflag & tcflag_t(ICANON | ECHO | ISIG | IEXTEN) == 0)
    #expect(mode.c_iflag & tcflag_t(IXON | ICRNL | INLCR | ISTRIP | BRKINT) == 0)
    #expect(mode.c_oflag & tcflag_t(OPOST) == 0)
    #expect(mode.c_cflag & tcflag_t(CSTOPB | PARENB) == 0)
    #expect(mode.c_cflag & tcflag_t(CSIZE) == tcflag_t(CS8))
    #expect(mode.c_cflag & 0x8000_0000 != 0, "RTS/CTS")
    // Every byte crosses unchanged in both directions.
    let all = Array(UInt8.min...UInt8.max)
    stream.send(all)
    #expect(line.hear(256) == all)
    line.say(complete + [0x04, 0xFF, 0xFF] + all.dropFirst())
    var faults: [H4Stream.Fault] = []
    #expect(packets(stream, count: 2, faults: &faults) == [complete, [0x04, 0xFF, 0xFF] + all.dropFirst()])
    #expect(faults == [])
  }

  @Test func portErrorsAreReported() throws {
    let scratch = LinuxScratch()
    let missing = "\(scratch.path)/ttyNone"
    #expect(throws: SystemFailure("opening \(missing)", code: ENOENT)) {
      try H4Stream(connectingTo: .serial(device: missing, baud: 9600))
    }
    let file = scratch.file("file", "")
    #expect(throws: SystemFailure("opening \(file)", code: ENOTTY)) {
      try H4Stream(connectingTo: .serial(device: file, baud: 9600))
    }
    let line = try Line()
    #expect(throws: SystemFailure("setting \(line.device) to 12345 baud", code: EINVAL)) { try open(line, baud: 12345) }
    let first = try open(line)
    // Exclusive: root is refused, too.
    #expect(throws: SystemFailure("opening \(line.device)", code: EBUSY)) { try open(line) }
    withExtendedLifetime(first) {}
  }

  @Test func aReopenedPortHoldsNoOldData() throws {
    let line = try Line()
    do {
      let stream = try open(line)
      stream.send(reset)
      line.say([0x77, 0x77])
    }
    let again = try open(line)
    again.send(reset)
    line.say(complete)
    var faults: [H4Stream.Fault] = []
    #expect(packets(again, count: 1, faults: &faults) == [complete])
  }

  @Test func octetsBeforeTheResetAnswerAreDiscarded() throws {
    let line = try Line()
    let stream = try open(line)
    let chatter = Array("*** Booting Zephyr OS ***\r\n".utf8) + version.dropLast(2)
    line.say(chatter + complete + version)
    var faults: [H4Stream.Fault] = []
    #expect(packets(stream, count: 2, faults: &faults) == [complete, version])
    #expect(faults == [.backInStep(dropped: chatter.count)])
  }

  @Test func garbageIsDiscardedUpToTheNextResetAnswer() throws {
    let line = try Line()
    let stream = try open(line)
    line.say(complete + version + [0x77, 0x01, 0x02] + version + version)
    var faults: [H4Stream.Fault] = []
    #expect(packets(stream, count: 99, faults: &faults, until: 1) == [complete, version])
    #expect(faults == [.outOfStep([0x77])])
    #expect(stream.ending == nil)
    stream.send(reset)
    line.say(complete + version)
    #expect(packets(stream, count: 2, faults: &faults) == [complete, version])
    #expect(faults.last == .backInStep(dropped: 3 + 2 * version.count))
  }

  @Test(
    arguments: [
      // A controller never sends a command or event 0; handles end at 0x0eff, and nothing is
      // broadcast.
      [0x01, 0x03, 0x0C, 0x00], [0x04, 0x00, 0x01, 0x00], [0x02, 0x00, 0x0F, 0x01, 0x00, 0x00],
      [0x02, 0x40, 0x60, 0x01, 0x00, 0x00],
    ] as [[UInt8]])
  func aHeaderThatNoControllerSendsIsGarbageToo(bytes: [UInt8]) throws {
    let line = try Line()
    let stream = try open(line)
    line.say(complete + bytes)
    var faults: [H4Stream.Fault] = []
    _ = packets(stream, count: 99, faults: &faults, until: 1)
    guard case .outOfStep(let head) = try #require(faults.first) else {
      Issue.record("\(faults)")
      return
    }
    #expect(bytes.starts(with: head))
  }

  @Test func halfAPacketIsDroppedWhenItsRestDoesNotCome() throws {
    let line = try Line()
    let stream = try open(line)
    line.say(complete)
    var faults: [H4Stream.Fault] = []
    _ = packets(stream, count: 1, faults: &faults)
    #expect(stream.nextMoment == nil)
    line.say(Array(version.prefix(4)))
    _ = Poll.wait(for: [Poll.Interest(stream.descriptor)], until: SystemClock.now().moment + .seconds(5))
    let start = Moment(nanoseconds: 1000)
    #expect(stream.receive(at: start) == [])
    let due = try #require(stream.nextMoment)
    #expect(due == start + H4Stream.patience)
    #expect(stream.receive(at: Moment(nanoseconds: due.nanoseconds - 1)) == [])
    #expect(stream.takeFaults() == [])
    #expect(stream.receive(at: due) == [])
    #expect(stream.takeFaults() == [.halfPacket(count: 4, of: 7)])
    #expect(stream.nextMoment == nil)
    // What follows is complete again.
    line.say(version)
    #expect(packets(stream, count: 1, faults: &faults) == [version])
    // If its header is incomplete, its length is unknown.
    line.say([0x02])
    _ = Poll.wait(for: [Poll.Interest(stream.descriptor)], until: SystemClock.now().moment + .seconds(5))
    _ = stream.receive(at: start)
    _ = stream.receive(at: due)
    #expect(stream.takeFaults() == [.halfPacket(count: 1, of: nil)])
  }

  /// As from a port at another speed: bytes arrive, but no answer.
  @Test func octetsWithoutAnAnswerAreReportedOnce() throws {
    let line = try Line()
    let stream = try open(line)
    let start = Moment(nanoseconds: 1000)
    func receive(_ bytes: [UInt8], at now: Moment) {
      line.say(bytes)
      _ = Poll.wait(for: [Poll.Interest(stream.descriptor)], until: SystemClock.now().moment + .seconds(5))
      #expect(stream.receive(at: now) == [])
    }
    #expect(stream.nextMoment == nil)
    receive([0xFE, 0x80, 0x00], at: start)
    receive([0x7F, 0x04, 0x0E], at: start + .milliseconds(500))
    let due = try #require(stream.nextMoment)
    #expect(due == start + H4Stream.patience)
    #expect(stream.takeFaults() == [])
    #expect(stream.receive(at: due) == [])
    #expect(stream.takeFaults() == [.noAnswer(count: 6)])
    #expect(stream.nextMoment == nil)
    receive([0xFE, 0x80], at: due + .seconds(1))
    #expect(stream.receive(at: due + .seconds(9)) == [])
    #expect(stream.takeFaults() == [])
    // The answer is found nevertheless.
    line.say(complete)
    var faults: [H4Stream.Fault] = []
    #expect(packets(stream, count: 1, faults: &faults) == [complete])
    #expect(faults == [.backInStep(dropped: 8)])
    // And later, when only a Reset can help.
    receive([0x77], at: start)
    #expect(stream.takeFaults() == [.outOfStep([0x77])])
    #expect(stream.receive(at: start + H4Stream.patience) == [])
    #expect(stream.takeFaults() == [.noAnswer(count: 1)])
  }

  @Test func aClosedLineEndsTheStream() throws {
    let line = try Line()
    let stream = try open(line)
    line.say(complete)
    var faults: [H4Stream.Fault] = []
    #expect(packets(stream, count: 1, faults: &faults) == [complete])
    line.hangUp()
    _ = packets(stream, count: 1, faults: &faults)
    #expect(stream.ending == .closed)
    stream.send(reset)
    #expect(!stream.hasPendingOutput)
  }

  @Test func aPortWithoutAReaderClosesAtOnce() throws {
    let line = try Line()
    let start = SystemClock.now().moment
    do {
      let stream = try open(line)
      for _ in 0..<2000 { stream.send([0x02, 0x40, 0x00, 0xFB, 0x00] + [UInt8](repeating: 0x5A, count: 251)) }
      #expect(stream.hasPendingOutput)
    }
    #expect(SystemClock.now().moment - start < .seconds(20))
  }
}
