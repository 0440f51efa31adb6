import Exchange
import Host
import Linux
import Vocabulary

/// Where bonds outlive the process, or do not.
package enum BondStore: Sendable {
  /// Of a simulation.
  case memory(BondMemory)
  /// A folder with one for each identity of ours.
  case folder(BondFolder)
  /// There is no place for them, for this reason: nothing is paired.
  case nowhere(String)

  mutating func load(_ own: Address, _ entropy: inout Entropy) -> ComputationResult {
    switch self {
    case .memory(var memory):
      let identity = memory.identity ?? LocalIdentity(address: own, key: entropy.octets(16))
      memory.identity = identity
      self = .memory(memory)
      return .bonds(identity, memory.bonds, remarks: [])
    case .folder(var folder):
      let result = folder.load(own, &entropy)
      self = .folder(folder)
      return result
    case .nowhere(let reason): return .refused(reason)
    }
  }

  mutating func keep(_ bond: Bond) -> ComputationResult {
    switch self {
    case .memory(var memory):
      memory.bonds.removeAll { $0.identity == bond.identity }
      memory.bonds.append(bond)
      self = .memory(memory)
      return .done
    case .folder(var folder):
      defer { self = .folder(folder) }
      return folder.keep(bond)
    case .nowhere(let reason): return .refused(reason)
    }
  }

  mutating func forget(_ identity: Address) -> ComputationResult {
    switch self {
    case .memory(var memory):
      memory.bonds.removeAll { $0.identity == identity }
      self = .memory(memory)
      return .done
    case .folder(let folder): return folder.forget(identity)
    case .nowhere(let reason): return .refused(reason)
    }
  }
}

package struct BondMemory: Sendable {
  var identity: LocalIdentity?
  var bonds: [Bond] = []

  package init() {}
}

/// Bonds on disk: a file for each peer, one for ourselves, in a folder for each identity of ours.
/// Each file is replaced in one step and synced; no other user can read them. Nothing is written
/// before there is a bond.
package struct BondFolder: Sendable {
  private let root: String
  /// Of the identity that was loaded last.
  private var path: String?
  /// It goes to disk before the first bond that it is part of.
  private var unsaved: LocalIdentity?

  /// - Parameter state: the folder of what outlives a process, as `~/.local/state/tooth`.
  package init(state: String) { root = "\(state)/bonds" }

  private static let version: UInt8 = 1
  private static let longest = 4096

  mutating func load(_ own: Address, _ entropy: inout Entropy) -> ComputationResult {
    let folder = "\(root)/\(Self.name(own))"
    path = nil
    unsaved = nil
    do throws(SystemFailure) {
      let isThere = try Files.closeFolder(root)
      if isThere { _ = try Files.closeFolder(folder) }
      let identity: LocalIdentity
      switch Self.read(LocalIdentity.self, "\(folder)/local") {
      case .whole(let found): identity = found
      // a new one would make a stranger of us to every device that is paired
      case .damaged(let why): return .refused(why)
      case .missing:
        identity = LocalIdentity(address: own, key: entropy.octets(16))
        unsaved = identity
      }
      path = folder
      guard isThere else { return .bonds(identity, [], remarks: []) }
      var bonds: [Bond] = []
      var remarks: [String] = []
      for name in Files.names(in: folder).sorted() where name.hasSuffix(".p") || name.hasSuffix(".r") {
        switch Self.read(Bond.self, "\(folder)/\(name)") {
        case .whole(let bond) where Self.name(bond.identity) == name: bonds.append(bond)
        case .whole: remarks.append("\(folder)/\(name) is the bond of another device, and is not used")
        case .damaged(let why): remarks.append("\(why): this bond is not used")
        case .missing: break
        }
      }
      if bonds.isEmpty, let other = others(than: own) { remarks.append(other) }
      return .bonds(identity, bonds, remarks: remarks)
    } catch { return .refused("\(error)") }
  }

  /// Bonds belong to an identity of ours; those of another adapter are of no use here.
  private func others(than own: Address) -> String? {
    for name in Files.names(in: root).sorted() where name != Self.name(own) {
      let count = Files.names(in: "\(root)/\(name)").count { $0.hasSuffix(".p") || $0.hasSuffix(".r") }
      if count > 0 {
        let address = String(name.prefix(17).map { $0 == "-" ? ":" : $0 })
        return "\(count) bond\(count == 1 ? " is" : "s are") of \(address), and this adapter is \(own)"
      }
    }
    return nil
  }

  mutating func keep(_ bond: Bond) -> ComputationResult {
    guard let path else { return .refused("there is no folder for bonds") }
    do throws(SystemFailure) {
      if let identity = unsaved {
        try Files.makePrivateFolder(root)
        try Files.makePrivateFolder(path)
        try saveFile("\(path)/local", Self.bytes(identity), mode: 0o600)
        unsaved = nil
      }
      try saveFile("\(path)/\(Self.name(bond.identity))", Self.bytes(bond), mode: 0o600)
      try Files.sync(path)
      return .done
    } catch { return .refused("\(error)") }
  }

  func forget(_ identity: Address) -> ComputationResult {
    guard let path else { return .refused("there is no folder for bonds") }
    if unsaved != nil { return .done }
    do throws(SystemFailure) {
      try Files.removeSynced("\(path)/\(Self.name(identity))")
      return .done
    } catch { return .refused("\(error)") }
  }

  /// `C4-7C-8D-6A-12-0F.r`: `p` for public, `r` for random.
  static func name(_ address: Address) -> String {
    var name = ""
    for letter in address.description { name.append(letter == ":" ? "-" : letter) }
    return name + (address.kind == .public ? ".p" : ".r")
  }

  private static func bytes(_ value: some Storable) -> [UInt8] {
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

  /// A damaged file costs one bond; one that another user can have written is as bad.
  private static func read<Value: Storable>(_ type: Value.Type, _ path: String) -> Found<Value> {
    let bytes: [UInt8]
    do throws(SystemFailure) { bytes = try Files.readPrivate(path, limit: longest) } catch {
      return error.isMissing ? .missing : .damaged("\(error)")
    }
    guard bytes.count > 9, bytes.first == version else { return .damaged("\(path) is damaged, or of a newer version") }
    let content = Array(bytes.dropLast(8))
    let sum = bytes.suffix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    guard FNV1a.hash(content) == sum, let value = try? decode(type, from: Array(content.dropFirst()), name: "bond") else {
      return .damaged("\(path) is damaged")
    }
    return .whole(value)
  }
}
