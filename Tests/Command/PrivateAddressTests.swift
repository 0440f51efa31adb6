import Glibc
import Judgement
import Linux
import Testing
import Vocabulary

/// `--private-address`, between processes on our air. An encrypted value arrives after the run was
/// killed and the device returned under another address.
@Suite(.serialized) struct PrivateAddressTests {
  private let folder = Folder()

  private static let room = """
    peripheral room named "Room"
      advertise 0xFFF9 every 1s
      service 0xFFF9
        characteristic 0xFFFA can read
      end
    end

    """

  /// The device, served by another process with a host of its own.
  private static let lamp = """
    peripheral lamp named "Lamp"
      advertise 0xFFF0 every 50ms with {name: "Lamp"}
      let count = 0
      on passkey confirm: answer true
      service 0xFFF0
        characteristic 0xFFF1 can notify needs encryption
      end
      every 50ms
        set count to count + 1
        notify 0xFFF1 with "{count}"
      end
    end

    """

  private static let watching = """
    use pairing automatic
    scan for "Lamp" as lamp
    connect to lamp
    subscribe to 0xFFF1
    on notify 0xFFF1 as value: print value.text()
    reconnect forever

    """

  private func start(_ words: String...) -> Tooth.Process {
    Tooth.start(
      words + ["--adapter", "unix:\(folder.path)/s"],
      environment: ["XDG_STATE_HOME": "\(folder.path)/home", "TOOTH_KEEPER_DIRECTORY": "\(folder.path)/keepers"],
      directory: folder.path)
  }

  private func serve() -> Tooth.Process {
    start("serve", "lamp.ble", "--direct", "--state", "\(folder.path)/served", "--private-address", "10min")
  }

  /// The range of a controller, 1 s to 1 h, wherever the option is given.
  @Test func otherTimesAreRefused() {
    for command in [["keeper", "run"], ["pair", "Lamp"], ["read", "Lamp", "0xFFF1"]] {
      for time in ["0s", "0", "999ms", "1h1s", "3601s", "2h"] {
        let refused = Tooth.start(
          command + ["--adapter", "unix:/nowhere", "--private-address", time],
          directory: folder.path
        ).wait()
        #expect(
          refused.code == 2 && refused.errors.contains("--private-address"),
          "\(command) \(time): \(refused)")
        if time != "0" { #expect(refused.errors.contains("1s to 1h, not \(time)"), "\(refused)") }
      }
    }
    let variable = Tooth.start(
      ["read", "Lamp", "0xFFF1"], environment: ["TOOTH_PRIVATE_ADDRESS": "0s"],
      directory: folder.path
    ).wait()
    #expect(variable.code == 2 && variable.errors.contains("1s to 1h"), "\(variable)")
    for time in ["1s", "1h", "60min", "3600s"] {
      let taken = Tooth.start(
        [
          "read", "Lamp", "0xFFF1", "--adapter", "unix:/nowhere", "--direct", "--private-address",
          time,
        ], directory: folder.path
      ).wait()
      #expect(!taken.errors.contains("1s to 1h"), "\(taken)")
    }
  }

  private func log() -> [AirLine] {
    let text = String(decoding: (try? readFile("\(folder.path)/air.log", limit: 1 << 28)) ?? [], as: UTF8.self)
    return text.split(separator: "\n").enumerated().compactMap { AirLine(String($0.element), number: $0.offset + 1) }
  }

  /// The resolvable private addresses that were on the air.
  private func hidden(_ log: [AirLine]) -> Set<Address> {
    let shown = Set(log.compactMap(\.from).compactMap { Address($0) })
    return shown.map { Address(bits: $0.bits, kind: .random) }.filter(\.isResolvablePrivate).reduce(into: []) { $0.insert($1) }
  }

  private func waits(until isSo: () -> Bool) -> Bool {
    let end = SystemClock.now().moment + .seconds(60)
    while SystemClock.now().moment < end {
      if isSo() { return true }
      _ = Poll.wait(for: [], until: SystemClock.now().moment + .milliseconds(50))
    }
    return false
  }

  @Test(arguments: [("--direct", "extended"), ("--keeper", "legacy")])
  func afterAKillAValueArrivesWithoutAnyRequest(_ way: String, _ controller: String) throws {
    _ = folder.file("lamp.ble", Self.lamp)
    _ = folder.file("watch.ble", Self.watching)
    let air = Tooth.start([
      "air", folder.file("air.ble", Self.room), "--listen", "unix:\(folder.path)/s", "--log", "\(folder.path)/air.log",
      "--controller", controller,
    ])
    try #require(air.readErrors { _ in access("\(folder.path)/s", F_OK) == 0 }, "\(air.complaint)")
    func watch() -> Tooth.Process {
      start("run", "watch.ble", way, "--state", "\(folder.path)/state")
    }
    // The first host of the air is the device, so it keeps its identity.
    var server = serve()
    try #require(waits { log().contains { $0.kind == "reset" } }, "\(server.complaint)")
    let first = watch()
    // Two seconds of values: subscriptions of a bonded central are on disk within one.
    #expect(first.readOutput { $0.text.count { $0 == "\n" } > 40 }, "\(first.complaint)\(server.complaint)")
    first.signal(SIGKILL)
    _ = first.wait()
    server.signal(SIGKILL)
    _ = server.wait()
    // A host that connects before the air has noticed that the last one left gets another identity.
    let gone = way == "--direct" ? 2 : 1
    #expect(waits { log().count { $0.kind == "host_gone" } == gone })
    let before = log().count
    server = serve()
    try #require(waits { log().dropFirst(before).contains { $0.kind == "reset" } }, "\(server.complaint)")
    let second = watch()
    // Packets of the previous link may still arrive.
    let links = Set(log().prefix(before).compactMap(\.link))
    func isValue(_ line: AirLine) -> Bool {
      line.isAttribute && line.bytes.first == 0x1B && !links.contains(line.link ?? 0)
    }
    #expect(waits { log().dropFirst(before).contains(where: isValue) }, "\(second.complaint)\(server.complaint)")
    let told = log().dropFirst(before).first(where: isValue).map { String(decoding: $0.bytes.dropFirst(3), as: UTF8.self) }
    #expect(second.readOutput { $0.text.split(separator: "\n").contains { $0 == told ?? "" } }, "\(second.complaint)")
    for process in [second, server] {
      process.signal(SIGINT)
      _ = process.wait()
    }
    air.signal(SIGTERM)
    _ = air.wait()
    let whole = log()
    let records = whole.dropFirst(before)
    // the value came on a link that the bond encrypted, before any request but the MTU
    let value = try #require(records.first(where: isValue))
    let earlier = records.prefix { $0.number != value.number }.filter { $0.link == value.link }
    #expect(earlier.contains { $0.note == "LL_START_ENC_RSP" })
    let asked = earlier.filter { $0.isAttribute && $0.bytes.first != 2 && $0.bytes.first != 3 }
    #expect(asked.isEmpty, "\(asked)")
    #expect(!records.contains { $0.channel == 6 && $0.bytes.first == 1 })
    // it was heard under two private addresses, and never under its identity
    #expect(hidden(whole).count >= 2, "\(hidden(whole))")
  }
}
