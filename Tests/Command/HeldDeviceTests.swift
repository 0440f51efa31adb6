import Glibc
import Linux
import Testing

/// A device that a keeper's client holds and that does not advertise meanwhile: other commands and
/// prompts find it by its name and by its bare address.
@Suite struct HeldDeviceTests {
  private let folder = Folder()

  private static let room = """
    peripheral slow named "Slow"
      advertise 0xFFF0 every 50ms
      on connect: stop advertising
      service 0xFFF0
        characteristic 0xFFF1 can read, notify starts as hex "2a"
      end
      every 100ms: notify 0xFFF1 with hex "07"
    end

    """

  private var environment: [String: String] {
    [
      "TOOTH_STATE": "\(folder.path)/state", "TOOTH_KEEPER_DIRECTORY": "\(folder.path)/keeper",
      "TOOTH_ADAPTER": "unix:\(folder.path)/air", "HOME": folder.path,
    ]
  }

  @Test func aLinkedDeviceIsFound() throws {
    let air = Tooth.start(["air", folder.file("room.ble", Self.room), "--listen", "unix:\(folder.path)/air"])
    try #require(air.readErrors { _ in access("\(folder.path)/air", F_OK) == 0 }, "\(air.complaint)")
    func start(_ words: [String]) -> Tooth.Process { Tooth.start(words, environment: environment, directory: folder.path) }
    let watch = start(["watch", "Slow", "0xFFF1", "--keeper"])
    #expect(watch.readOutput { $0.text.contains("07") }, "\(watch.complaint)")
    let status = start(["status", "--output", "json"]).wait()
    let address = try #require(status.output.firstMatch(of: /"address":"([0-9A-F:]{17})\/random"/), "\(status)").output.1
    #expect(status.output.contains("\"name\":\"Slow\""), "\(status)")
    for (device, state) in [("Slow", "state"), (String(address), "state"), ("Slow", "elsewhere"), (String(address), "elsewhere")] {
      let read = start(["read", device, "0xFFF1", "--within", "3s", "--state", "\(folder.path)/\(state)"]).wait()
      #expect(read.code == 0 && read.output.contains("07"), "\(device): \(read)")
    }
    let prompt = try TerminalSession(["repl"], environment: environment, directory: folder.path)
    #expect(prompt.read { $0.contains("\(address)/random  held by the keeper") }, "\(prompt.text)")
    prompt.type("devices\n")
    #expect(prompt.read { $0.ranges(of: "\(address)/random  held by the keeper").count > 1 }, "\(prompt.text)")
    prompt.type("connect to \(address)/random\nread 0xFFF1\nquit\n")
    #expect(prompt.wait() == 0 && prompt.text.contains("07"), "\(prompt.text)")
    watch.signal(SIGINT)
    _ = watch.wait()
    air.signal(SIGKILL)
  }
}
