import Glibc
import Linux
import KeeperProcess
import Testing
import Vocabulary

@testable import Keeper

/// Whatever `keeper run` and `air` are waiting for, SIGINT and SIGTERM end them with the right exit
/// code.
@Suite struct ServerEndingTests {
  enum Wait: String, CaseIterable, Sendable {
    case airWithoutReader, airWhoseLogNobodyReads, airWhoseRecordNobodyOpens, airThatComputes, airWhoseHostDoesNotRead
    case keeperWithoutReader, keeperWhoseClientDoesNotRead, keeperOfASilentController
  }

  private let folder = Folder()

  /// A full pipe that is never read.
  private final class FullPipe {
    let path: String
    private let end: Int32

    init(_ path: String) {
      self.path = path
      mkfifo(path, 0o600)
      end = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
      let block = [UInt8](repeating: 0x0A, count: 4096)
      while write(end, block, block.count) > 0 {}
    }

    deinit { close(end) }
  }

  private func start(_ arguments: [String], errors: String? = nil) -> Tooth.Process {
    let environment = ["TOOTH_STATE": "\(folder.path)/state", "TOOTH_KEEPER_DIRECTORY": "\(folder.path)/keepers"]
    guard let errors else { return Tooth.start(arguments, environment: environment, directory: folder.path) }
    return Tooth.start(
      ["-c", "exec \"$0\" \"$@\" 2>\(errors)", Tooth.path] + arguments, program: "/bin/sh", environment: environment,
      directory: folder.path)
  }

  private func air(_ options: [String] = [], text: String? = nil, errors: String? = nil) -> Tooth.Process {
    let file = text.map { folder.file("air.ble", $0) } ?? "\(Tooth.package)/recipes/devices/valve.ble"
    return start(["air", file, "--listen", "unix:\(folder.path)/air"] + options, errors: errors)
  }

  /// Waits for a file that exists once a process has come this far, such as a socket, instead of
  /// for a fixed time.
  private func wait(for path: String) -> Bool {
    let limit = SystemClock.now().moment + .seconds(120)
    while access(path, F_OK) != 0 {
      if SystemClock.now().moment > limit { return false }
      _ = Poll.wait(for: [], until: SystemClock.now().moment + .milliseconds(5))
    }
    return true
  }

  /// A socket file exists a moment before the process listens on it.
  private func connected(to socket: String) throws -> ByteStream {
    let limit = SystemClock.now().moment + .seconds(60)
    while SystemClock.now().moment < limit {
      if let client = try? ByteStream(connectingTo: socket) { return client }
      _ = Poll.wait(for: [], until: SystemClock.now().moment + .milliseconds(5))
    }
    return try ByteStream(connectingTo: socket)
  }

  @Test(arguments: Wait.allCases, [SIGTERM, SIGINT]) func serversEndOnASignal(point: Wait, signal: Int32) throws {
    var held: [Any] = []
    let process: Tooth.Process
    var codes = [128 + signal]
    let full = FullPipe("\(folder.path)/full")
    held.append(full)
    let socket = KeeperPlace(adapter: "unix:\(folder.path)/line", folder: "\(folder.path)/keepers").socket
    switch point {
    case .airWithoutReader:
      process = air(errors: full.path)
      #expect(wait(for: "\(folder.path)/air"))
    case .airWhoseLogNobodyReads:
      process = air(["--log", full.path])
      #expect(process.read { $0.complaint.contains("on the air") })
      let host = try H4Stream(connectingTo: .unix("\(folder.path)/air"))
      host.send([0x01, 0x03, 0x0C, 0x00])
      held.append(host)
    case .airWhoseRecordNobodyOpens:
      mkfifo("\(folder.path)/log", 0o600)
      process = air(["--log", "log"])
      #expect(wait(for: "\(folder.path)/air"))
    case .airThatComputes:
      process = air(
        text: """
          peripheral busy named "Busy"
            let n = 0
            advertise 0x180F every 100ms
            every 10ms
              repeat 900000 times: set n to n + crc32("0123456789abcdef0123456789abcdef")
            end
          end

          """)
      #expect(process.read { $0.complaint.contains("on the air") }, "\(process.complaint)")
    case .airWhoseHostDoesNotRead:
      process = air()
      #expect(process.read { $0.complaint.contains("on the air") })
      let host = try H4Stream(connectingTo: .unix("\(folder.path)/air"))
      // Each Reset is answered.
      for _ in 0..<20_000 { host.send([0x01, 0x03, 0x0C, 0x00]) }
      held.append(host)
    case .keeperWithoutReader, .keeperWhoseClientDoesNotRead, .keeperOfASilentController:
      let line = try H4Listener(at: .unix("\(folder.path)/line"))
      held.append(line)
      process = start(
        ["keeper", "run", "--adapter", "unix:\(folder.path)/line"],
        errors: point == .keeperWithoutReader ? full.path : nil)
      #expect(wait(for: socket))
      // Its controller answers nothing, and it may have noticed.
      codes = [0, 9]
      guard point == .keeperWhoseClientDoesNotRead else { break }
      let client = try connected(to: socket)
      for _ in 0..<2000 { client.send(MessageFrames.framed(KeeperMessage.status.encoded)) }
      client.flush()
      held.append(client)
    }
    // The process needs time to get stuck.
    _ = Poll.wait(for: [], until: SystemClock.now().moment + .milliseconds(200))
    let asked = SystemClock.now().moment
    process.signal(signal)
    let ended = try #require(process.ending(by: asked + .seconds(60)), "it does not end")
    #expect(codes.contains(ended), "\(ended): \(process.complaint.suffix(300))")
    // The promise is 5 s, but a small busy machine may need longer. A process that does not end on
    // its own takes 30 s or forever.
    #expect(SystemClock.now().moment - asked < .seconds(20))
    withExtendedLifetime(held) {}
  }
}
