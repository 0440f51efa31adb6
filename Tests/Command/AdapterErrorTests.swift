import Glibc
import KeeperProcess
import Linux
import Testing
import Vocabulary
@testable import Keeper

/// The errors of `tooth disconnect` and `tooth adapter reset`, each compared with its golden file.
@Suite struct AdapterErrorTests {
  private struct Case: CustomTestStringConvertible, Sendable {
    var name: String
    var arguments: [String]
    var testDescription: String { name }
  }

  /// Errors that occur without any adapter.
  private static let plain: [Case] = [
    Case(name: "disconnect-without-all", arguments: ["disconnect"]),
    Case(name: "disconnect-what", arguments: ["disconnect", "strap", "--all"]),
    Case(name: "disconnect-no-adapter-named", arguments: ["disconnect", "--all"]),
    Case(name: "disconnect-simulated", arguments: ["disconnect", "--all", "--adapter", "sim:x.ble"]),
    Case(name: "disconnect-unknown-adapter", arguments: ["disconnect", "--all", "--adapter", "usb:0"]),
    Case(name: "disconnect-nobody-there", arguments: ["disconnect", "--all", "--adapter", "unix:FOLDER/air"]),
    Case(name: "adapter-what", arguments: ["adapter"]),
    Case(name: "adapter-another-word", arguments: ["adapter", "rest"]),
    Case(name: "adapter-reset-no-adapter-named", arguments: ["adapter", "reset"]),
    Case(name: "adapter-reset-simulated", arguments: ["adapter", "reset", "--adapter", "sim:x.ble"]),
    Case(name: "adapter-reset-unknown-adapter", arguments: ["adapter", "reset", "--adapter", "hci0x"]),
    Case(name: "adapter-reset-nobody-there", arguments: ["adapter", "reset", "--adapter", "unix:FOLDER/air"]),
  ]

  /// Errors caused by the controller or by a keeper.
  private static let provoked = [
    "disconnect-silent", "adapter-reset-silent", "disconnect-client-connected", "adapter-reset-client-connected",
    "disconnect-misunderstood", "adapter-reset-misunderstood", "disconnect-silent-keeper", "adapter-reset-keeper-gone",
    "disconnect-link-stays", "adapter-reset-not-ready",
  ]

  let folder = Folder()

  private var name: String { "unix:\(folder.path)/air" }

  private var socket: String { KeeperPlace(adapter: name, folder: "\(folder.path)/keeper").socket }

  private func expect(_ golden: String, _ arguments: [String], _ result: Tooth.Result) throws {
    let words = arguments.map { $0 == name ? "unix:FOLDER/air" : $0 }
    try GoldenCommand.expect(golden, words, result, replacing: [(socket, "SOCKET"), (folder.path, "FOLDER")])
  }

  private func start(_ arguments: [String]) -> Tooth.Process {
    Tooth.start(
      arguments, environment: ["TOOTH_STATE": "\(folder.path)/state", "TOOTH_KEEPER_DIRECTORY": "\(folder.path)/keeper"],
      directory: folder.path)
  }

  @Test(arguments: plain) private func explainsImpossibleCommands(_ tried: Case) throws {
    let arguments = tried.arguments.map { $0 == "unix:FOLDER/air" ? name : $0 }
    try expect(tried.name, arguments, start(arguments).wait())
  }

  @Test func everyGoldenFileHasATest() { #expect(GoldenCommand.names == (Self.plain.map(\.name) + Self.provoked).sorted()) }

  @Test(arguments: [["disconnect", "--all"], ["adapter", "reset"]]) func aControllerThatIsSilent(words: [String]) throws {
    let listener = try LocalListener(at: "\(folder.path)/air", mode: 0o600)
    let arguments = words + ["--adapter", name]
    let result = start(arguments).wait()
    withExtendedLifetime(listener) {}
    try expect(words == ["adapter", "reset"] ? "adapter-reset-silent" : "disconnect-silent", arguments, result)
  }

  // MARK: Misbehaving keepers

  private static let peer = Address(bits: 0xC47C_8D6A_120F, kind: .random)

  /// Plays a keeper and checks how the command reacts. The keeper disconnects when it has no answer
  /// left.
  private func expect(
    _ golden: String, _ words: [String], for span: TimeSpan = .seconds(30), _ answer: (KeeperMessage) -> KeeperMessage?
  ) throws {
    let fake = try FakeKeeper(name, in: "\(folder.path)/keeper")
    let arguments = words + ["--adapter", name]
    let asking = start(arguments)
    try fake.serve(asking, for: span, answer)
    fake.leave()
    try expect(golden, arguments, asking.wait())
  }

  @Test(arguments: [["disconnect", "--all"], ["adapter", "reset"]]) func reportsAKeeperThatAnswersWithTheWrongMessage(
    words: [String]
  ) throws {
    try expect(words == ["adapter", "reset"] ? "adapter-reset-misunderstood" : "disconnect-misunderstood", words) { _ in .goodbye }
  }

  @Test func aKeeperThatEndsBeforeItIsReadyAgain() throws {
    try expect("adapter-reset-keeper-gone", ["adapter", "reset"]) { message in
      if case .resetAdapter = message { .ending([]) } else { nil }
    }
  }

  /// The command waits for it for five seconds.
  @Test func aKeeperThatDoesNotAnswer() throws {
    let fake = try FakeKeeper(name, in: "\(folder.path)/keeper")
    let arguments = ["disconnect", "--all", "--adapter", name]
    let result = start(arguments).wait()
    withExtendedLifetime(fake) {}
    try expect("disconnect-silent-keeper", arguments, result)
  }

  private func status() -> KeeperMessage {
    .statusReport(FakeKeeper.status(name, [FakeKeeper.link(to: Self.peer, since: Moment(nanoseconds: 0))]))
  }

  /// The command waits for them for 15 s.
  @Test(.enabled(if: environment("FULL") != nil)) func aLinkThatDoesNotEnd() throws {
    try expect("disconnect-link-stays", ["disconnect", "--all"]) { message in
      if case .disconnectAll = message { .ending([Self.peer]) } else { status() }
    }
  }

  @Test(.enabled(if: environment("FULL") != nil)) func anAdapterThatIsNotReadyAgain() throws {
    try expect("adapter-reset-not-ready", ["adapter", "reset"]) { message in
      if case .resetAdapter = message { .ending([]) } else { status() }
    }
  }
}
