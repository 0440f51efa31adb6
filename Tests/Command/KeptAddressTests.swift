import Glibc
import Linux
import Testing

/// The static random address that bonded devices know outlives the process, and with `--identity
/// stored` the adapter. Many USB adapters have no public address.
@Suite struct KeptAddressTests {
  private let folder = Folder()

  private static let room = """
    peripheral lock named "Lock"
      advertise 0xFFF0 every 100ms
      service 0xFFF0
        characteristic 0xFFF1 can read needs encryption starts as hex "2a"
      end
    end
    """

  private func run(_ words: [String], on socket: String) -> Tooth.Result {
    Tooth.start(
      words + ["--adapter", "unix:\(folder.path)/\(socket)", "--direct", "--state", "\(folder.path)/state"],
      environment: ["HOME": folder.path], directory: folder.path
    ).wait()
  }

  /// The identities of ours that have bonds.
  private var identities: [String] { Files.names(in: "\(folder.path)/state/bonds").sorted() }

  @Test func aBondIsKnownAgain() throws {
    let file = folder.file("room.ble", Self.room)
    var airs: [Tooth.Process] = []
    for (socket, controller) in [("bare", "unaddressed"), ("other", "legacy")] {
      let air = Tooth.start(["air", file, "--listen", "unix:\(folder.path)/\(socket)", "--controller", controller, "--seed", "1"])
      try #require(air.readErrors { _ in access("\(folder.path)/\(socket)", F_OK) == 0 }, "\(air.complaint)")
      airs.append(air)
    }
    defer { for air in airs { air.signal(SIGKILL) } }
    let paired = run(["pair", "Lock", "--confirm", "yes"], on: "bare")
    #expect(paired.code == 0, "\(paired)")
    let known = identities
    #expect(known.count == 1 && known.allSatisfy { $0.hasSuffix(".r") }, "\(known)")
    for _ in 0..<3 {
      let read = run(["read", "Lock", "0xFFF1"], on: "bare")
      #expect(read.code == 0 && read.output.contains("2a"), "\(read)")
    }
    #expect(identities == known)
    // On another adapter, which has an address of its own, the bond belongs to another identity.
    let own = run(["read", "Lock", "0xFFF1"], on: "other")
    #expect(own.code == 9 && own.errors.contains("belongs to the adapter"), "\(own)")
    // The lock there is another one of the same address, which shows that the bond is used.
    let moved = run(["read", "Lock", "0xFFF1", "--identity", "stored"], on: "other")
    #expect(moved.code == 7 && moved.errors.contains("does not have our key"), "\(moved)")
    let again = run(["pair", "Lock", "--confirm", "yes", "--rebond", "--identity", "stored"], on: "other")
    #expect(again.code == 0 && identities == known, "\(again) \(identities)")
    #expect(run(["pair", "Lock", "--confirm", "yes"], on: "other").code == 0 && identities.count == 2)
    let refused = run(["read", "Lock", "0xFFF1", "--identity", "new"], on: "other")
    #expect(refused.code == 2 && refused.errors.contains("stored"), "\(refused)")
  }
}
