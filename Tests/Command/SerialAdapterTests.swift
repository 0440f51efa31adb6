import Glibc
import Linux
import Testing
import Vocabulary

/// Serial ports and sockets that misbehave, as a user meets them.
@Suite struct SerialAdapterTests {
  let folder = Folder()

  var state: [String: String] { ["TOOTH_STATE": "\(folder.path)/state"] }

  func run(_ arguments: String...) -> Tooth.Result {
    Tooth.start(arguments, environment: state, directory: folder.path).wait()
  }

  /// A pseudo terminal: its other end is the controller.
  final class Line {
    let controller: Int32
    let device: String

    init() throws {
      controller = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
      var isLocked: Int32 = 0
      var number: Int32 = -1
      // TIOCSPTLCK, TIOCGPTN
      try #require(ioctl(controller, 0x4004_5431, &isLocked) == 0)
      try #require(ioctl(controller, 0x8004_5430, &number) == 0)
      device = "/dev/pts/\(number)"
      // Boards do not echo; a fresh pseudo terminal does.
      var mode = termios()
      try #require(tcgetattr(controller, &mode) == 0)
      cfmakeraw(&mode)
      try #require(tcsetattr(controller, TCSANOW, &mode) == 0)
    }

    deinit { close(controller) }
  }

  /// The exact messages about unusable ports.
  @Test func anUnusablePortIsReportedWithAFix() throws {
    folder.file("r.ble", "scan for anything within 1s\n")
    folder.file("plain", "")
    let line = try Line()
    let holder = try H4Stream(connectingTo: .serial(device: line.device, baud: 9600))
    let speeds = SerialPort.speeds.map { "\($0)" }.joined(separator: ", ")
    let cases = [
      (
        "serial:plain",
        "error: opening plain: Inappropriate ioctl for device\n  = fix: plain is not a serial port; a name looks like serial:/dev/ttyACM0@1000000\n"
      ),
      (
        "serial:\(line.device)",
        "error: opening \(line.device): Device or resource busy\n  = fix: another program has it open; sudo fuser -v \(line.device) shows which one\n"
      ),
    ]
    for (adapter, words) in cases {
      for command in [["run", "r.ble"], ["scan"]] {
        let result = Tooth.start(command + ["--adapter", adapter], environment: state, directory: folder.path).wait()
        #expect(result.code == 9)
        #expect(result.errors == words)
      }
    }
    let missing = run("scan", "--adapter", "serial:/dev/ttyNone@115200")
    #expect(missing.code == 9)
    #expect(missing.errors.hasPrefix("error: opening /dev/ttyNone: No such file or directory\n  = fix: is it plugged in? "))
    let free = try Line()
    let slow = run("scan", "--adapter", "serial:\(free.device)@12345")
    #expect(slow.code == 9)
    #expect(
      slow.errors
        == "error: setting \(free.device) to 12345 baud: Invalid argument\n  = fix: speeds are \(speeds), as far as the port supports them\n"
    )
    #expect(run("scan", "--adapter", "serial:").errors.contains("there is no adapter serial:"))
    #expect(run("air", "r.ble", "--listen", "serial:\(free.device)").errors.contains("--listen takes unix:PATH or tcp:HOST:PORT"))
    withExtendedLifetime(holder) {}
  }

  @Test func reportsTheLastPacketsOfASilentSerialController() throws {
    let line = try Line()
    folder.file("r.ble", "wait 1s\nscan for heart_rate\n")
    let result = run("run", "r.ble", "--adapter", "serial:\(line.device)@115200")
    #expect(result.code == 9)
    #expect(
      result.errors.contains(
        """
        error[T320]: the controller did not answer Reset (0x0c03) within 2s
        """), "\(result.errors)")
    #expect(result.errors.contains("is it a controller that speaks H4? (a serial port: at this speed, with RTS and CTS connected)"))
    let path = result.errors.split(whereSeparator: { $0 == " " || $0 == "\n" }).first { $0.hasSuffix(".btsnoop") }.map(String.init)
    let bytes = try readFile(try #require(path), limit: 1 << 20)
    // The header, and two Resets.
    #expect(bytes.starts(with: Array("btsnoop\0".utf8)))
    #expect(bytes.count == 16 + 2 * (24 + 4))
    #expect(result.errors.contains("the last 2 packets of the adapter are in \(folder.path)/state/"))
    // A run that does not wait for devices gets no message that none was heard.
    let hasty = run("scan", "--adapter", "serial:\(line.device)@115200", "--time-limit", "200ms")
    #expect(hasty.code == 9)
    #expect(hasty.errors.hasSuffix("error: the adapter was not ready in time, so nothing was heard\n"), "\(hasty.errors)")
  }

  /// The air of another process over a serial line: bytes are copied between a pseudo terminal and
  /// its socket.
  @Test func aScanWorksOverASerialLine() throws {
    let socket = "unix:\(folder.path)/air"
    let air = Tooth.start(
      ["air", "\(Tooth.package)/recipes/devices/heart-rate-strap.ble", "--listen", socket], environment: state,
      directory: folder.path)
    #expect(air.read { $0.complaint.contains("on the air") })
    let line = try Line()
    let far = try H4Stream(connectingTo: try #require(H4Address(socket)))
    let process = Tooth.start(
      ["scan", "--adapter", "serial:\(line.device)", "--time-limit", "2s"], environment: state, directory: folder.path)
    var block = [UInt8](repeating: 0, count: 4096)
    let end = SystemClock.now().moment + .seconds(20)
    // The controller sends before the port is opened, as boards do.
    _ = write(line.controller, "boot\r\n", 6)
    while SystemClock.now().moment < end, !process.text.contains("heart_rate") {
      let count = read(line.controller, &block, block.count)
      if count > 0 { _ = send(far.descriptor, block, count, Int32(MSG_NOSIGNAL)) }
      let back = recv(far.descriptor, &block, block.count, Int32(MSG_DONTWAIT))
      if back > 0 { _ = write(line.controller, block, back) }
      process.read(within: .milliseconds(1))
    }
    #expect(process.text.contains("\tStrap 7\t") && process.text.contains("heart_rate"), "\(process.complaint)")
    process.signal(SIGKILL)
    _ = process.wait()
    air.signal(SIGTERM)
    _ = air.wait()
  }

  /// A long run survives a kill and restart of its air.
  @Test func aRunOutlivesItsAdapter() throws {
    let socket = "unix:\(folder.path)/air"
    func air() -> Tooth.Process {
      let air = Tooth.start(
        ["air", "\(Tooth.package)/recipes/devices/heart-rate-strap.ble", "--listen", socket], environment: state,
        directory: folder.path)
      #expect(air.read { $0.complaint.contains("on the air") }, "\(air.complaint)")
      return air
    }
    let first = air()
    let process = Tooth.start(
      ["run", "\(Tooth.package)/recipes/heart-rate.ble", "--adapter", socket], environment: state, directory: folder.path)
    #expect(process.read { $0.text.split(separator: "\n").count >= 2 }, "\(process.complaint)")
    first.signal(SIGKILL)
    _ = first.wait()
    #expect(process.read { $0.complaint.contains("Connection refused") }, "\(process.complaint)")
    let beats = process.text.split(separator: "\n").count
    let second = air()
    #expect(process.read { $0.text.split(separator: "\n").count >= beats + 2 }, "\(process.complaint)")
    #expect(process.complaint.contains("lost Strap 7: adapter lost"))
    #expect(process.complaint.contains("the adapter is back after"))
    process.signal(SIGTERM)
    #expect(process.wait().code == 143)
    second.signal(SIGTERM)
    _ = second.wait()
  }

  @Test func aScanThatLosesItsAdapterFails() throws {
    let listener = try H4Listener(at: .unix("\(folder.path)/dead"))
    let process = Tooth.start(
      ["scan", "--adapter", "unix:\(folder.path)/dead", "--time-limit", "10s"], environment: state, directory: folder.path)
    _ = Poll.wait(for: [Poll.Interest(listener.descriptor)], until: SystemClock.now().moment + .seconds(10))
    var controller = listener.accept()
    _ = controller?.receive()
    controller = nil
    let result = process.wait()
    #expect(result.code == 9)
    #expect(
      result.errors.hasPrefix("error: the adapter is gone: unix:\(folder.path)/dead closed the connection\n")
        || result.errors.contains("\nerror: the adapter is gone: unix:\(folder.path)/dead closed the connection\n"),
      "\(result.errors)")
    #expect(result.errors.contains("/state/adapter-failure.btsnoop"))
  }
}
