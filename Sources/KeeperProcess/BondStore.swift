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

  mutating func load(_ own: Address, _ entropy: inout Entropy) -> ComputationResult {
    switch self {
    case .memory(var memory):
      let identity = memory.identity ?? LocalIdentity(address: own, key: entropy.octets(16))
      memory.identity = identity
      self = .memory(memory)
      return .bonds(identity, memory.bonds)
    case .folder(var folder):
      let result = folder.load(own, &entropy)
      self = .folder(folder)
      return result
    }
  }

  mutating func keep(_ bond: Bond) -> ComputationResult {
    switch self {
    case .memory(var memory):
      memory.bonds.removeAll { $0.identity == bond.identity }
      memory.bonds.append(bond)
      self = .memory(memory)
      return .done
    case .folder(let folder): return folder.keep(bond)
    }
  }

  mutating func forget(_ identity: Address) -> ComputationResult {
    switch self {
    case .memory(var memory):
      memory.bonds.removeAll { $0.identity == identity }
      self = .memory(memory)
      return .done
    case .folder(let folder): return folder.forget(identity)
    }
  }
}

package struct BondMemory: Sendable {
  var identity: LocalIdentity?
  var bonds: [Bond] = []

  package init() {}
}

/// Bonds on disk: a file for each peer, one for ourselves, in a folder for each identity of ours.
/// Each file is replaced in one step and synced; no other user can read them.
package struct BondFolder: Sendable {
  private let root: String
  /// Of the identity that was loaded last.
  private var path: String?

  /// - Parameter state: the folder of what outlives a process, as `~/.local/state/tooth`.
  package init(state: String) { root = "\(state)/bonds" }

  private static let version: UInt8 = 1
  private static let longest = 4096

  mutating func load(_ own: Address, _ entropy: inout Entropy) -> ComputationResult {
    let folder = "\(root)/\(Self.name(own))"
    do throws(SystemFailure) {
      try Files.makePrivateFolder(folder)
      path = folder
      let identity: LocalIdentity
      if let found = Self.read(LocalIdentity.self, "\(folder)/local") {
        identity = found
      } else {
        identity = LocalIdentity(address: own, key: entropy.octets(16))
        try saveFile("\(folder)/local", Self.bytes(identity), mode: 0o600)
      }
      let bonds = Files.names(in: folder).filter { $0.hasSuffix(".p") || $0.hasSuffix(".r") }.sorted()
        .compactMap { Self.read(Bond.self, "\(folder)/\($0)") }
      return .bonds(identity, bonds)
    } catch {
      path = nil
      return .unavailable
    }
  }

  func keep(_ bond: Bond) -> ComputationResult {
    guard let path else { return .unavailable }
    return (try? saveFile("\(path)/\(Self.name(bond.identity))", Self.bytes(bond), mode: 0o600)) == nil ? .unavailable : .done
  }

  func forget(_ identity: Address) -> ComputationResult {
    guard let path else { return .unavailable }
    return Files.removeSynced("\(path)/\(Self.name(identity))") ? .done : .unavailable
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

  /// Nothing when it is damaged: that costs one bond.
  private static func read<Value: Storable>(_ type: Value.Type, _ path: String) -> Value? {
    guard let bytes = try? readFile(path, limit: longest), bytes.count > 9, bytes.first == version else { return nil }
    let content = Array(bytes.dropLast(8))
    let sum = bytes.suffix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    guard FNV1a.hash(content) == sum else { return nil }
    return try? decode(type, from: Array(content.dropFirst()), name: "bond")
  }
}
