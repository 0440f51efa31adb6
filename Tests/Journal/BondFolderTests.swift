import Exchange
import Glibc
import Host
import Linux
import Testing
import Vocabulary
@testable import KeeperProcess

/// Bonds on disk. A process that can read them has all keys, and a process that can write them is
/// trusted.
@Suite struct BondFolderTests {
  private let scratch = Scratch()
  private static let own = Address(bits: 0xA013_702D_CFC1, kind: .public)
  private static let identity = LocalIdentity(address: own, key: [UInt8](repeating: 0x3C, count: 16))
  private static let peers = [Address(bits: 0x5612_3737_BFCE, kind: .public), Address(bits: 0xC713_702D_CFC1, kind: .random)]
  private static let bonds = peers.enumerated().map { number, peer in
    Bond(
      identity: peer, keys: .secureConnections([UInt8](repeating: UInt8(0x70 + number), count: 16)), isAuthenticated: number == 1,
      keySize: 16,
      identityKey: [UInt8](repeating: 0xA5, count: 16), hasOurs: true, lastAddress: peer, name: "Lock", madeAt: noon)
  }

  private var folder: String { "\(scratch.path)/bonds/\(BondFolder.name(Self.own))" }

  private func path(_ number: Int) -> String { "\(folder)/\(BondFolder.name(Self.peers[number]))" }

  private func load(_ seed: UInt64 = 1) -> ComputationResult {
    var store = BondStore.folder(BondFolder(state: scratch.path))
    var entropy = Entropy.seeded(SplitMix(seed: seed))
    return store.load(Self.own, &entropy)
  }

  private func fill() throws {
    var store = BondStore.folder(BondFolder(state: scratch.path))
    var entropy = Entropy.seeded(SplitMix(seed: 1))
    _ = store.load(Self.own, &entropy)
    for bond in Self.bonds { #expect(store.keep(bond, of: Self.identity) == .done) }
  }

  /// A process was killed while it wrote a bond. Its temporary file has the whole key.
  @Test(arguments: ["load", "keep", "forget"]) func aKeyThatAKillLeftIsRemoved(by work: String) throws {
    try fill()
    let left = "\(folder)/.tooth-2qop89o62bxq"
    let young = "\(folder)/.tooth-young"
    for path in [left, young] { try saveFile(path, [1, 2, 3]) }
    let before = time(nil) - 60
    let times = [timespec(tv_sec: before, tv_nsec: 0), timespec(tv_sec: before, tv_nsec: 0)]
    #expect(utimensat(AT_FDCWD, left, times, 0) == 0)
    var store = BondStore.folder(BondFolder(state: scratch.path))
    switch work {
    case "load": _ = load()
    case "keep": #expect(store.keep(Self.bonds[0], of: Self.identity) == .done)
    default: #expect(store.forget(Self.peers[0], of: Self.identity) == .done)
    }
    #expect(mode(left) == nil)
    // Another process may be writing this one.
    #expect(mode(young) != nil)
  }

  private func mode(_ path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o777 : nil
  }

  private func found() -> (bonds: [Bond], unusable: [UnusableBond], remarks: [String])? {
    guard case .bonds(_, let bonds, let unusable, let remarks, _, _) = load() else { return nil }
    return (bonds.sorted { $0.identity < $1.identity }, unusable, remarks)
  }

  /// Each adapter without a public address takes the identity with the newest bond that no other
  /// adapter uses. An identity without bonds comes last, and stays.
  @Test func everyAdapterHasItsOwnStoredAddress() throws {
    func identity(_ number: UInt64) -> Address { Address(bits: 0xC000_0000_0000 | number, kind: .random) }
    func store() -> BondStore { .folder(BondFolder(state: scratch.path)) }
    for number in [1, 2, 3] as [UInt64] {
      var maker = store()
      let own = LocalIdentity(address: identity(number), key: Self.identity.key)
      #expect(maker.keep(Self.bonds[0], of: own) == .done)
      let path = "\(scratch.path)/bonds/\(BondFolder.name(own.address))"
      var times = [timeval(tv_sec: Int(number), tv_usec: 0), timeval(tv_sec: Int(number), tv_usec: 0)]
      #expect(utimes("\(path)/\(BondFolder.name(Self.bonds[0].identity))", &times) == 0)
      // The process that made it ends.
      guard case .folder(let folder) = maker, let lock = folder.lock else {
        throw SystemFailure("the new identity is not held", code: 0)
      }
      lock.release()
    }
    try fill()
    var (first, second, third, fourth) = (store(), store(), store(), store())
    #expect(first.storedAddress() == .address(identity(3)) && first.storedAddress() == .address(identity(3)))
    #expect(second.storedAddress() == .address(identity(2)))
    var entropy = Entropy.seeded(SplitMix(seed: 1))
    _ = third.load(identity(1), &entropy)
    #expect(fourth.storedAddress() == .address(nil), "each is used by another adapter")
    guard case .folder(let folder) = first, let lock = folder.lock else { throw SystemFailure("it is not held", code: 0) }
    lock.release()
    #expect(first.forget(Self.bonds[0].identity, of: LocalIdentity(address: identity(3), key: Self.identity.key)) == .done)
    #expect(fourth.storedAddress() == .address(identity(3)), "an identity stays after its last bond")
    guard case .folder(let kept) = fourth, let last = kept.lock else { throw SystemFailure("it is not held", code: 0) }
    last.release()
    guard case .folder(let other) = second, let lock = other.lock else { throw SystemFailure("it is not held", code: 0) }
    lock.release()
    var fifth = store()
    #expect(fifth.storedAddress() == .address(identity(2)), "one with a bond comes first")
    var memory = BondStore.memory(BondMemory())
    let own = LocalIdentity(address: identity(7), key: Self.identity.key)
    _ = memory.load(own.address, &entropy)
    #expect(memory.storedAddress() == .address(nil), "nothing was paired with it")
    #expect(memory.keep(Self.bonds[0], of: own) == .done && memory.forget(Self.bonds[0].identity, of: own) == .done)
    #expect(memory.storedAddress() == .address(identity(7)))
  }

  /// Changes by other processes are noticed; our own are already known.
  @Test func detectsChangesByOtherProcesses() throws {
    try fill()
    var store = BondStore.folder(BondFolder(state: scratch.path))
    var entropy = Entropy.seeded(SplitMix(seed: 1))
    guard case .bonds = store.refresh(Self.own, &entropy) else {
      Issue.record("a process that follows has read nothing yet")
      return
    }
    #expect(store.refresh(Self.own, &entropy) == .unchanged)
    #expect(store.keep(Self.bonds[0], of: Self.identity) == .done)
    #expect(store.refresh(Self.own, &entropy) == .unchanged)
    var other = BondStore.folder(BondFolder(state: scratch.path))
    #expect(other.forget(Self.peers[1], of: Self.identity) == .done)
    guard case .bonds(_, let bonds, _, _, _, _) = store.refresh(Self.own, &entropy) else {
      Issue.record("nothing is noticed")
      return
    }
    #expect(bonds.map(\.identity) == [Self.peers[0]])
    #expect(store.refresh(Self.own, &entropy) == .unchanged)
  }

  /// The bonds are listed, and the damaged file is named.
  @Test func bondsWithoutTheirIdentityAreListed() throws {
    try fill()
    try saveFile("\(folder)/local", [1, 2, 3], mode: 0o600)
    let damaged = BondFolder(state: scratch.path).all()
    #expect(damaged.bonds.count == 2 && damaged.remarks.count == 1 && damaged.remarks[0].contains("\(folder)/local is damaged"))
    unlink("\(folder)/local")
    let missing = BondFolder(state: scratch.path).all()
    #expect(missing.bonds.map(\.own) == [Self.own, Self.own] && missing.remarks.count == 1)
    #expect(missing.remarks.first?.contains("\(folder)/local is missing") == true)
    let transfer = BondTransfer(state: scratch.path)
    #expect(transfer.carried.count == 2 && transfer.remarks.count == 1, "\(transfer.remarks)")
    #expect(transfer.remarks.first?.contains("\(Self.own) is missing and not copied") == true)
  }

  @Test func serverStateIsStoredBesideTheBond() throws {
    try fill()
    var store = BondStore.folder(BondFolder(state: scratch.path))
    let memory = ServerMemory(
      identity: Self.peers[1], configurations: [.init(handle: AttributeHandle(9), value: 1)], features: 1, table: 77)
    #expect(store.keep(memory, of: Self.identity) == .done)
    #expect(mode("\(path(1)).server") == 0o600)
    guard case .bonds(_, let bonds, [], [], let memories, _) = load() else {
      Issue.record("nothing is loaded")
      return
    }
    #expect(bonds.count == 2 && memories == [memory])
    #expect(store.forget(Self.peers[1], of: Self.identity) == .done)
    #expect(mode("\(path(1)).server") == nil)
    guard case .bonds(_, _, [], [], let rest, _) = load() else { return }
    #expect(rest == [])
  }

  @Test func bondFilesAreForTheirOwnerOnly() throws {
    let old = umask(0)
    defer { umask(old) }
    try fill()
    #expect(mode("\(scratch.path)/bonds") == 0o700 && mode(folder) == 0o700)
    let names = Files.names(in: folder)
    #expect(names.sorted() == (["local"] + Self.peers.map(BondFolder.name)).sorted())
    for name in names { #expect(mode("\(folder)/\(name)") == 0o600, "\(name)") }
    // a folder that others could open is closed again, with a warning if bonds may be missing
    chmod(folder, 0o755)
    #expect(found()?.remarks == [] && mode(folder) == 0o700)
    chmod("\(scratch.path)/bonds", 0o777)
    #expect(found()?.remarks.first?.contains("other users could write in \(scratch.path)/bonds,") ?? false)
    #expect(mode("\(scratch.path)/bonds") == 0o700)
  }

  @Test func bondsReadBackEqual() throws {
    try fill()
    #expect(found()?.bonds == Self.bonds.sorted { $0.identity < $1.identity })
    #expect(found()?.remarks == [])
    // our identity is not drawn again
    guard case .bonds(let first, _, _, _, _, _) = load(1), case .bonds(let second, _, _, _, _, _) = load(2) else {
      Issue.record("no identity")
      return
    }
    #expect(first == second)
    var store = BondStore.folder(BondFolder(state: scratch.path))
    var entropy = Entropy.seeded(SplitMix(seed: 1))
    _ = store.load(Self.own, &entropy)
    #expect(store.forget(Self.peers[0], of: Self.identity) == .done && store.forget(Self.peers[0], of: Self.identity) == .done)
    #expect(found()?.bonds == [Self.bonds[1]])
  }

  /// A run that pairs nothing leaves no files; the first bond stores the identity with which it was
  /// made.
  @Test func nothingIsWrittenBeforeThereIsABond() throws {
    var store = BondStore.folder(BondFolder(state: scratch.path))
    var entropy = Entropy.seeded(SplitMix(seed: 1))
    guard case .bonds(let drawn, [], [], [], _, _) = store.load(Self.own, &entropy) else {
      Issue.record("no identity")
      return
    }
    #expect(store.forget(Self.peers[0], of: drawn) == .done)
    #expect(Files.names(in: scratch.path) == [])
    #expect(store.keep(Self.bonds[0], of: drawn) == .done && store.keep(Self.bonds[1], of: drawn) == .done)
    guard case .bonds(let kept, let bonds, [], [], _, _) = load(2) else {
      Issue.record("nothing was kept")
      return
    }
    #expect(kept == drawn && bonds.count == 2)
  }

  /// A damaged file costs one bond, and is named.
  @Test func aDamagedFileCostsOneBond() throws {
    try fill()
    let whole = try readFile(path(0), limit: 4096)
    for place in whole.indices {
      var bytes = whole
      bytes[place] ^= 0x10
      try saveFile(path(0), bytes, mode: 0o600)
      let found = try #require(self.found())
      #expect(found.bonds == [Self.bonds[1]], "octet \(place)")
      #expect(found.unusable.map(\.identity) == [Self.peers[0]], "\(found.unusable)")
      #expect(found.unusable.first?.reason.hasPrefix(path(0)) ?? false, "\(found.unusable)")
    }
    for count in 0..<whole.count {
      try saveFile(path(0), Array(whole.prefix(count)), mode: 0o600)
      #expect(found()?.bonds == [Self.bonds[1]], "\(count) octets")
    }
    try saveFile(path(0), [UInt8](repeating: 1, count: 100_000), mode: 0o600)
    #expect(found()?.bonds == [Self.bonds[1]])
    // intact, but under the name of another device
    try saveFile(path(0), try readFile(path(1), limit: 4096), mode: 0o600)
    #expect(found()?.bonds == [Self.bonds[1]] && found()?.unusable.map(\.identity) == [Self.peers[0]])
  }

  /// With a new identity every paired device would no longer recognise us.
  @Test func aDamagedIdentityIsNotReplaced() throws {
    try fill()
    try saveFile("\(folder)/local", [1, 2, 3], mode: 0o600)
    guard case .unreadable(let why) = load() else {
      Issue.record("it was replaced")
      return
    }
    #expect(why.contains("\(folder)/local"))
    #expect(try readFile("\(folder)/local", limit: 10) == [1, 2, 3])
  }

  /// A key that others can write is not trusted, and one that they can read is no longer secret.
  @Test(arguments: [0o644, 0o640, 0o602, 0o660]) func filesThatOthersCanAccessAreIgnored(mode: Int) throws {
    try fill()
    chmod(path(0), mode_t(mode))
    #expect(found()?.bonds == [Self.bonds[1]] && found()?.unusable.map(\.identity) == [Self.peers[0]])
  }

  @Test func anotherUsersFilesAreIgnored() throws {
    try fill()
    guard geteuid() == 0 else { return }
    chown(path(0), 12345, 12345)
    #expect(found()?.bonds == [Self.bonds[1]] && found()?.unusable.map(\.identity) == [Self.peers[0]])
    chown("\(folder)/local", 12345, 12345)
    guard case .unreadable = load() else {
      Issue.record("another user's identity is used")
      return
    }
    chown("\(folder)/local", 0, 0)
    chown("\(scratch.path)/bonds", 12345, 12345)
    guard case .unreadable(let why) = load() else {
      Issue.record("another user's folder is used")
      return
    }
    #expect(why.contains("another user"))
  }

  @Test func linksAreNotFollowed() throws {
    try fill()
    rename(path(0), "\(scratch.path)/elsewhere")
    symlink("\(scratch.path)/elsewhere", path(0))
    #expect(found()?.bonds == [Self.bonds[1]] && found()?.unusable.map(\.identity) == [Self.peers[0]])
    unlink(path(0))
    mkfifo(path(0), 0o600)
    #expect(found()?.bonds == [Self.bonds[1]] && found()?.unusable.map(\.identity) == [Self.peers[0]])
    rename("\(scratch.path)/bonds", "\(scratch.path)/there")
    symlink("\(scratch.path)/there", "\(scratch.path)/bonds")
    guard case .unreadable = load() else {
      Issue.record("a link is followed")
      return
    }
  }

  /// A failed write is reported with its reason, and existing files stay.
  @Test func aWriteThatFailsChangesNothing() throws {
    try fill()
    var store = BondStore.folder(BondFolder(state: scratch.path))
    var entropy = Entropy.seeded(SplitMix(seed: 1))
    _ = store.load(Self.own, &entropy)
    unlink(path(0))
    mkdir(path(0), 0o700)
    guard case .refused(let why) = store.keep(Self.bonds[0], of: Self.identity) else {
      Issue.record("it was kept nowhere")
      return
    }
    #expect(why.contains(BondFolder.name(Self.peers[0])))
    rmdir(path(0))
    #expect(found()?.bonds == [Self.bonds[1]])
  }

  /// The bonds of another adapter are reported and not used.
  @Test func bondsOfAnotherIdentityAreReported() throws {
    try fill()
    var store = BondStore.folder(BondFolder(state: scratch.path))
    var entropy = Entropy.seeded(SplitMix(seed: 1))
    guard case .bonds(_, let bonds, [], let remarks, _, _) = store.load(Address(bits: 0xB013_702D_CFC1, kind: .public), &entropy)
    else {
      Issue.record("no identity")
      return
    }
    #expect(bonds.isEmpty)
    #expect(remarks.count == 1 && remarks[0].contains("2 bonds are of A0:13:70:2D:CF:C1"), "\(remarks)")
  }

  /// A keeper's successor loads nothing, because the image of the host has the bonds. Our identity
  /// stays the same.
  @Test func aSuccessorKeepsBondsItHasNotLoaded() throws {
    var store = BondStore.folder(BondFolder(state: scratch.path))
    for bond in Self.bonds { #expect(store.keep(bond, of: Self.identity) == .done) }
    guard case .bonds(Self.identity, let bonds, _, _, _, _) = load(9) else {
      Issue.record("the identity is another one")
      return
    }
    #expect(bonds.count == 2)
    store = .folder(BondFolder(state: scratch.path))
    #expect(store.forget(Self.peers[1], of: Self.identity) == .done)
    #expect(found()?.bonds == [Self.bonds[0]])
  }

  @Test func listedBondsHaveNoKeys() throws {
    try fill()
    let all = BondFolder(state: scratch.path).all()
    #expect(all.bonds.map(\.identity).sorted() == Self.peers.sorted() && all.remarks.isEmpty)
    #expect(all.bonds.allSatisfy { $0.own == Self.own && $0.keySize == 16 && $0.isSecureConnections })
  }
}
