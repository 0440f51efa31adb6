import Glibc
import Linux
import Testing
import Vocabulary

/// A run that cannot write its checkpoint any more leaves its link to the keeper, and continues
/// with it when there is room again.
@Suite struct FullDiskTests {
  private let folder = Folder()

  private var environment: [String: String] {
    [
      "TOOTH_STATE": "\(folder.path)/state", "TOOTH_KEEPER_DIRECTORY": "\(folder.path)/keeper",
      "TOOTH_ADAPTER": "unix:\(folder.path)/air", "HOME": folder.path,
    ]
  }

  @Test func noValueIsLost() throws {
    let air = Tooth.start(["air", folder.file("air.ble", KeeperCommandTests.strap), "--listen", "unix:\(folder.path)/air"])
    try #require(air.readErrors { _ in access("\(folder.path)/air", F_OK) == 0 }, "\(air.complaint)")
    folder.file("one.ble", KeeperCommandTests.counting("one.csv"))
    // The keeper is not bounded.
    let keeper = Tooth.start(["keeper", "run", "--keep", "5s"], environment: environment, directory: folder.path)
    #expect(keeper.read(within: .seconds(20)) { $0.complaint.contains("its socket is ") }, "\(keeper.complaint)")
    let full = Tooth.start(
      ["-c", "ulimit -f 200; exec \"$0\" run one.ble", Tooth.path], program: "/bin/sh", environment: environment,
      directory: folder.path
    ).wait()
    #expect(full.code == 11, "\(full)")
    let again = Tooth.start(["run", "one.ble"], environment: environment, directory: folder.path)
    #expect(again.read(within: .seconds(20)) { $0.complaint.contains("restored: kept, 0 missed") }, "\(again.complaint)")
    func rows() -> [Int] {
      let text = String(decoding: (try? readFile("\(folder.path)/one.csv", limit: 1 << 20)) ?? [], as: UTF8.self)
      return text.split(separator: "\n").dropFirst().compactMap { $0.split(separator: ",").last.flatMap { Int($0) } }
    }
    let before = rows().count
    let end = SystemClock.now().moment + .seconds(30)
    while rows().count < before + 20, SystemClock.now().moment < end {
      _ = Poll.wait(for: [], until: SystemClock.now().moment + .milliseconds(50))
    }
    again.signal(SIGINT)
    _ = again.wait()
    let numbers = rows()
    #expect(numbers.count >= before + 20 && zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 }, "\(numbers)")
    keeper.signal(SIGTERM)
    air.signal(SIGKILL)
  }
}
