import Exchange
import Glibc
import Host
import Linux
package import Vocabulary

/// Where bonds are stored, if anywhere.
package enum BondStore: Sendable {
  /// The memory of a simulation.
  case memory(BondMemory)
  /// A folder with a folder for each of our identities.
  case folder(BondFolder)
  /// Nowhere, for this reason, so pairing is impossible.
  case nowhere(String)

  /// The static random address of ours that devices know from a pairing, and that no other adapter
  /// uses.
  mutating func storedAddress() -> ComputationResult {
    switch self {
    case .memory(let memory):
      let own = memory.hasPaired ? memory.identity?.address : nil
      return .address(own.flatMap { $0.isStaticRandom ? $0 : nil })
    case .folder(var folder):
      let address = folder.takeAddress()
      self = .folder(folder)
      return .address(address)
    case .nowhere: return .address(nil)
    }
  }

  mutating func load(_ own: Address, _ entropy: inout Entropy) -> ComputationResult {
    switch self {
    case .memory(var memory):
      let identity = memory.identity ?? LocalIdentity(address: own, key: entropy.octets(16))
      memory.identity = identity
      self = .memory(memory)
      return .bonds(identity, memory.bonds, unusable: [], remarks: [], memories: memory.memories)
    case .folder(var folder):
      _ = folder.hold(own)
      folder.look(own)
      self = .folder(folder)
      return folder.load(own, &entropy)
    case .nowhere(let reason): return .refused(reason)
    }
  }

  /// Reads bonds again that another process, such as `tooth bonds import`, may have changed.
  mutating func refresh(_ own: Address, _ entropy: inout Entropy) -> ComputationResult {
    guard case .folder(let folder) = self, !folder.isUnchanged(own) else { return .unchanged }
    return load(own, &entropy)
  }

  /// Makes a change of our own, which needs no refresh.
  private mutating func change(_ own: LocalIdentity, _ work: (BondFolder) -> ComputationResult) -> ComputationResult {
    guard case .folder(var folder) = self else { return .unavailable }
    let wasUnchanged = folder.isUnchanged(own.address)
    let result = work(folder)
    // The folder may be new.
    _ = folder.hold(own.address)
    // After a refusal, what was done is uncertain: the next refresh reads the files.
    folder.seen = nil
    if wasUnchanged, result == .done { folder.look(own.address) }
    self = .folder(folder)
    return result
  }

  /// Whether a bond could be stored now.
  func checkRoom(_ own: Address) -> ComputationResult {
    switch self {
    case .memory: .done
    case .folder(let folder): folder.checkRoom(own)
    case .nowhere(let reason): .refused(reason)
    }
  }

  mutating func keep(_ bond: Bond, of own: LocalIdentity) -> ComputationResult {
    switch self {
    case .memory(var memory):
      memory.identity = own
      memory.hasPaired = true
      memory.bonds.removeAll { $0.identity == bond.identity }
      memory.bonds.append(bond)
      self = .memory(memory)
      return .done
    case .folder: return change(own) { $0.keep(bond, of: own) }
    case .nowhere(let reason): return .refused(reason)
    }
  }

  mutating func keep(_ new: ServerMemory, of own: LocalIdentity) -> ComputationResult {
    switch self {
    case .memory(var memory):
      memory.memories.removeAll { $0.identity == new.identity }
      memory.memories.append(new)
      self = .memory(memory)
      return .done
    case .folder: return change(own) { $0.keep(new, of: own) }
    case .nowhere(let reason): return .refused(reason)
    }
  }

  mutating func forget(_ identity: Address, of own: LocalIdentity) -> ComputationResult {
    switch self {
    case .memory(var memory):
      memory.bonds.removeAll { $0.identity == identity }
      memory.memories.removeAll { $0.identity == identity }
      self = .memory(memory)
      return .done
    case .folder: return change(own) { $0.forget(identity, of: own) }
    case .nowhere(let reason): return .refused(reason)
    }
  }
}

/// The facts of a bond for display, without keys.
package struct BondSummary: Equatable, Sendable {
  package var own: Address
  package var identity: Address
  package var isAuthenticated: Bool
  package var isSecureConnections: Bool
  package var keySize: UInt8
  package var madeAt: WallTime

  init(_ bond: Bond, of own: Address) {
    self.own = own
    identity = bond.identity
    isAuthenticated = bond.isAuthenticated
    isSecureConnections = bond.isSecureConnections
    keySize = bond.keySize
    madeAt = bond.madeAt
  }
}

package struct BondMemory: Sendable {
  var identity: LocalIdentity?
  /// Whether there has been a bond.
  var hasPaired = false
  var bonds: [Bond] = []
  var memories: [ServerMemory] = []

  package init() {}
}

/// Bonds on disk: a folder for each of our identities, with a file for each peer and one for us.
/// Files are replaced atomically and synced, and no other user can read them. Nothing is written
/// before the first bond.
package struct BondFolder: Sendable {
  private let root: String

  /// - Parameter state: The folder of state that outlives a process, such as
  ///   `~/.local/state/tooth`.
  package init(state: String) { root = "\(state)/bonds" }

  /// The identity whose folder was read last, and its state then.
  fileprivate var seen: (own: Address, state: UInt64?)?

  /// Notes the current state of this identity's folder.
  mutating func look(_ own: Address) { seen = (own, Files.state(of: "\(root)/\(Self.name(own))")) }

  /// Whether nothing has changed since the last `look`.
  func isUnchanged(_ own: Address) -> Bool {
    guard let seen, seen.own == own else { return false }
    return seen.state == Files.state(of: "\(root)/\(Self.name(own))")
  }

  // MARK: Our static random address

  /// The lock on our static random identity.
  var lock: ProcessLock? { held?.lock }

  /// The identity that this process uses, and the lock that shows this to others until it ends.
  private var held: (own: Address, lock: ProcessLock)?

  /// Takes a static random identity that no other adapter uses, for an adapter without a public
  /// address, so that its bonded devices know it again: the one whose bond was written last. An
  /// identity stays after its last bond.
  mutating func takeAddress() -> Address? {
    if let held { return held.own }
    let identities = Files.names(in: root).compactMap { name -> (own: Address, hasBonds: Bool, at: Int64)? in
      guard let own = Self.address(name), own.isStaticRandom else { return nil }
      let files = Files.names(in: "\(root)/\(name)")
      let bonds = files.filter { Self.address($0) != nil }
      let changes = (bonds.isEmpty ? files.filter { $0 == "local" } : bonds).map { Files.changed("\(root)/\(name)/\($0)") }
      return changes.max().map { (own, !bonds.isEmpty, $0) }
    }
    let newest = identities.sorted { $0.hasBonds != $1.hasBonds ? $0.hasBonds : $0.at > $1.at }
    for identity in newest where hold(identity.own) { return identity.own }
    return nil
  }

  /// Keeps other adapters from using a static random identity that has a folder. Returns whether it
  /// is ours.
  mutating func hold(_ own: Address) -> Bool {
    if let held { return held.own == own }
    let path = "\(root)/\(Self.name(own))"
    guard own.isStaticRandom, Files.isFolder(path), let lock = try? ProcessLock("\(path)/lock") else { return false }
    held = (own, lock)
    return true
  }

  private static let version: UInt8 = 1
  private static let longest = 16384

  func load(_ own: Address, _ entropy: inout Entropy) -> ComputationResult {
    let folder = "\(root)/\(Self.name(own))"
    Self.removeAbandoned(in: folder)
    do throws(SystemFailure) {
      var wasOpen = Files.isOpenToOthers(root) ? [root] : []
      // Written with the first bond.
      func new() -> LocalIdentity { LocalIdentity(address: own, key: entropy.octets(16)) }
      guard try Files.closeFolder(root) else { return .bonds(new(), [], unusable: [], remarks: []) }
      if Files.isOpenToOthers(folder) { wasOpen.append(folder) }
      _ = try Files.closeFolder(folder)
      let identity: LocalIdentity
      switch Self.read(LocalIdentity.self, "\(folder)/local") {
      case .whole(let found): identity = found
      // A new one would be unknown to every paired device.
      case .damaged(let why): return .unreadable(why)
      case .missing: identity = new()
      }
      let (bonds, unusable) = read(in: folder)
      let memories = bonds.compactMap { memory(of: $0.identity, in: folder) }
      var remarks = wasOpen.map { "other users could write in \($0), and may have removed bonds: it is now closed to them" }
      if bonds.isEmpty, unusable.isEmpty, let other = others(than: own) { remarks.append(other) }
      return .bonds(
        identity, bonds, unusable: unusable, remarks: remarks, memories: memories, elsewhere: elsewhere(than: own))
    } catch { return .unreadable("\(error)") }
  }

  private static let mostElsewhere = 1024

  /// The bonds of our other identities.
  private func elsewhere(than own: Address) -> [BondElsewhere] {
    Array(
      files().filter { $0.own != own }.map { BondElsewhere(identity: $0.identity, adapter: $0.own) }.prefix(Self.mostElsewhere))
  }

  /// Names the bonds of our other identities, which are useless here.
  private func others(than own: Address) -> String? {
    for name in Files.names(in: root).sorted() where name != Self.name(own) && Self.address(name) != nil {
      let count = Files.names(in: "\(root)/\(name)").count { $0.hasSuffix(".p") || $0.hasSuffix(".r") }
      if count > 0 {
        let address = String(name.prefix(17).map { $0 == "-" ? ":" : $0 })
        return "\(count) bond\(count == 1 ? " is" : "s are") of \(address), but this adapter is \(own)"
      }
    }
    return nil
  }

  /// Whether a bond could be stored now: writes a file that has no name, in the folder or where the
  /// folder would be made.
  func checkRoom(_ own: Address) -> ComputationResult {
    var path = "\(root)/\(Self.name(own))"
    do throws(SystemFailure) {
      while try path.hasPrefix(root) ? !Files.closeFolder(path) : Files.kind(of: path) == nil {
        guard path != parent(of: path) else { break }
        path = parent(of: path)
      }
      try Files.tryWriting(Self.longest, in: path)
      return .done
    } catch { return .refused("\(error)") }
  }

  /// Stores the bond with our identity, because a successor of the loading process knows nothing
  /// else.
  func keep(_ bond: Bond, of own: LocalIdentity) -> ComputationResult {
    let path = "\(root)/\(Self.name(own.address))"
    do throws(SystemFailure) {
      if case .missing = Self.read(LocalIdentity.self, "\(path)/local"), case .refused(let reason) = keep(own) {
        return .refused(reason)
      }
      try saveFile("\(path)/\(Self.name(bond.identity))", Self.bytes(bond), mode: 0o600)
      Self.removeAbandoned(in: path)
      try Files.sync(path)
      return .done
    } catch { return .refused("\(error)") }
  }

  /// Stores our identity, which all paired devices know.
  func keep(_ own: LocalIdentity) -> ComputationResult {
    let path = "\(root)/\(Self.name(own.address))"
    do throws(SystemFailure) {
      try Files.makePrivateFolder(root)
      try Files.makePrivateFolder(path)
      try saveFile("\(path)/local", Self.bytes(own), mode: 0o600)
      return .done
    } catch { return .refused("\(error)") }
  }

  /// Stores a memory next to its bond, without which it is worthless.
  func keep(_ memory: ServerMemory, of own: LocalIdentity) -> ComputationResult {
    let path = "\(root)/\(Self.name(own.address))"
    do throws(SystemFailure) {
      try saveFile("\(path)/\(Self.name(memory.identity)).server", Self.bytes(memory), mode: 0o600)
      return .done
    } catch { return .refused("\(error)") }
  }

  /// An unreadable memory counts as none; its client subscribes again.
  private func memory(of identity: Address, in folder: String) -> ServerMemory? {
    guard case .whole(let memory) = Self.read(ServerMemory.self, "\(folder)/\(Self.name(identity)).server"),
      memory.identity == identity
    else { return nil }
    return memory
  }

  /// The age of an unfinished file, in seconds, after which no process is writing it any more.
  private static let abandoned = 10

  /// Removes the unfinished files of processes that were killed while they saved, because they
  /// contain keys.
  private static func removeAbandoned(in folder: String) {
    for name in Files.names(in: folder) where name.hasPrefix(".tooth-") {
      var status = stat()
      guard lstat("\(folder)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG,
        time(nil) - status.st_mtim.tv_sec > abandoned
      else { continue }
      unlink("\(folder)/\(name)")
    }
  }

  func forget(_ identity: Address, of own: LocalIdentity) -> ComputationResult {
    let path = "\(root)/\(Self.name(own.address))"
    guard Files.isFolder(path) else { return .done }
    let file = "\(path)/\(Self.name(identity))"
    do throws(SystemFailure) {
      // In this order, because a later bond with this device begins without memory.
      try Files.removeSynced("\(file).server")
      try Files.removeSynced(file)
      Self.removeAbandoned(in: path)
      return .done
    } catch { return .refused("removing \(file): \(error.reason)") }
  }

  /// All bonds that this process may read, without keys.
  package func all() -> (bonds: [BondSummary], remarks: [String]) {
    var bonds: [BondSummary] = []
    var remarks: [String] = []
    for name in Files.names(in: root).sorted() {
      guard let own = Self.address(name) else { continue }
      let (found, unusable) = read(in: "\(root)/\(name)")
      switch Self.read(LocalIdentity.self, "\(root)/\(name)/local") {
      case .whole: break
      case .damaged(let why):
        remarks.append("\(why): no bond of the adapter \(own) can be used. Restore this file, or move it away")
      case .missing where found.isEmpty && unusable.isEmpty: break
      case .missing:
        remarks.append(
          "\(root)/\(name)/local is missing, with the key of our private addresses: "
            + "pair again what was paired with --private-address")
      }
      bonds += found.map { BondSummary($0, of: own) }
      remarks += unusable.map { "\($0.reason): this bond cannot be used" }
    }
    return (bonds, remarks)
  }

  /// The folders that may hold bonds and cannot be read, each with the reason and what to do.
  package var unreadable: [(reason: String, cure: String)] {
    let folders = [root] + Files.names(in: root).sorted().filter { Self.address($0) != nil }.map { "\(root)/\($0)" }
    return folders.compactMap { folder in
      Files.obstacle(toReading: folder).map { ("\($0)", Files.cure(of: $0, for: folder)) }
    }
  }

  /// The device and the adapter of every bond file, including unreadable ones.
  package func files() -> [(identity: Address, own: Address)] {
    Files.names(in: root).sorted().flatMap { name in
      guard let own = Self.address(name) else { return [(identity: Address, own: Address)]() }
      return Files.names(in: "\(root)/\(name)").sorted().compactMap { file in Self.address(file).map { ($0, own) } }
    }
  }

  /// All bonds with their keys, for a copy.
  func contents() -> (encoded: [BondTransfer.TransferredBond], refusals: [String]) {
    var carried: [BondTransfer.TransferredBond] = []
    var refusals = unreadable.map { "\($0.reason): \($0.cure)" }
    for name in Files.names(in: root).sorted() {
      guard let own = Self.address(name) else { continue }
      var key: [UInt8]?
      switch Self.read(LocalIdentity.self, "\(root)/\(name)/local") {
      case .whole(let found): key = found.key
      case .damaged(let why):
        refusals.append(why)
        continue
      case .missing: break
      }
      let (bonds, unusable) = read(in: "\(root)/\(name)")
      carried += bonds.map { BondTransfer.TransferredBond(bond: $0, own: own, ownKey: key) }
      refusals += unusable.map(\.reason)
    }
    return (carried, refusals)
  }

  private func read(in folder: String) -> (bonds: [Bond], unusable: [UnusableBond]) {
    var bonds: [Bond] = []
    var unusable: [UnusableBond] = []
    for name in Files.names(in: folder).sorted() {
      guard let peer = Self.address(name) else { continue }
      switch Self.read(Bond.self, "\(folder)/\(name)") {
      case .whole(let bond) where bond.identity == peer: bonds.append(bond)
      case .whole: unusable.append(UnusableBond(identity: peer, reason: "\(folder)/\(name) is the bond of another device"))
      case .damaged(let why): unusable.append(UnusableBond(identity: peer, reason: why))
      case .missing: break
      }
    }
    return (bonds, unusable)
  }

  /// The name of an address: `C4-7C-8D-6A-12-0F.r`, with `p` for public and `r` for random.
  static func name(_ address: Address) -> String {
    var name = ""
    for letter in address.description { name.append(letter == ":" ? "-" : letter) }
    return name + (address.kind == .public ? ".p" : ".r")
  }

  /// Parses a name from `name`.
  private static func address(_ name: String) -> Address? {
    guard name.utf8.count == 19, name.hasSuffix(".p") || name.hasSuffix(".r") else { return nil }
    let text = String(name.dropLast(2).map { $0 == "-" ? ":" : $0 })
    return Address(text + (name.hasSuffix(".p") ? "/public" : "/random"))
  }

  private static func bytes(_ value: some Durable) -> [UInt8] {
    var writer = ByteWriter()
    writer.put(version)
    writer.put(value.encoded)
    let sum = FNV1a.hash(writer.bytes)
    writer.put(sum)
    return writer.bytes
  }

  private enum Found<Value> {
    case whole(Value)
    case missing
    case damaged(String)
  }

  /// Reads a file. A file that is damaged or that another user may have written costs one bond.
  private static func read<Value: Durable>(_ type: Value.Type, _ path: String) -> Found<Value> {
    let bytes: [UInt8]
    do throws(SystemFailure) { bytes = try Files.readPrivate(path, limit: longest) } catch {
      return error.isMissing ? .missing : .damaged("\(error)")
    }
    guard bytes.count > 9, bytes.first == version else { return .damaged("\(path) is damaged, or of a newer version") }
    let content = Array(bytes.dropLast(8))
    let sum = bytes.suffix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    guard FNV1a.hash(content) == sum, let value = try? Value(encoded: Array(content.dropFirst()), name: "bond") else {
      return .damaged("\(path) is damaged")
    }
    return .whole(value)
  }
}
