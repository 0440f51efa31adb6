import Exchange
import Host
import Linux
package import Vocabulary

/// Copies bonds between folders: from and to those of bluetoothd, or from another state folder.
/// Existing bonds stay unless they are to be replaced.
package struct BondTransfer: Sendable {
  package enum Form: Sendable { case tooth, bluez }

  /// A bond, and our identity in it.
  struct TransferredBond: Sendable {
    var bond: Bond
    var own: Address
    /// Our IRK, if the source folder has it.
    var ownKey: [UInt8]?
  }

  var carried: [TransferredBond] = []
  /// What could not be copied. Each entry is one device, and the others are copied.
  package private(set) var refusals: [String] = []
  /// The number of bonds that already exist unchanged.
  package private(set) var known = 0
  /// Whether a single device was named, by its folder or its file.
  package private(set) var isOfOneDevice = false
  package private(set) var remarks: [String] = []
  package private(set) var done: [BondSummary] = []

  private static let layout =
    "import takes ADAPTER/DEVICE/info, whose folders are named by their addresses, a folder of such folders, or a state folder of tooth"
  private static let longest = 65536
  private static let most = 256

  // MARK: Reading

  /// Reads all bonds of a state folder.
  package init(state: String) {
    (carried, refusals) = BondFolder(state: state).contents()
    noteMissingKeys()
    if carried.isEmpty, refusals.isEmpty { refusals.append("\(state): it contains no bonds") }
  }

  /// Reads all bonds below a path: `/var/lib/bluetooth`, an adapter or a device in it, its `info`,
  /// or a state folder of tooth.
  package init(reading path: String, at now: WallTime) {
    let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    if Files.isFolder("\(path)/bonds", followsLinks: true) {
      let (carried, refusals) = BondFolder(state: path).contents()
      (self.carried, self.refusals) = (carried, refusals)
      noteMissingKeys()
    } else if fileName(of: path) == "info" || Self.hasInfo(path) {
      isOfOneDevice = true
      take(device: fileName(of: path) == "info" ? parent(of: path) : path, at: now)
    } else if Self.address(fileName(of: path)) != nil, Self.address(fileName(of: parent(of: path))) != nil {
      isOfOneDevice = true
      take(device: path, at: now)
    } else if Self.address(fileName(of: path)) != nil {
      take(adapter: path, at: now)
    } else {
      for name in Files.names(in: path).sorted() where Self.address(name) != nil { take(adapter: "\(path)/\(name)", at: now) }
    }
    if carried.isEmpty, refusals.isEmpty {
      refusals.append("\(path): \(remarks.isEmpty ? Self.reason(path) : "no bond in it can be used")")
    }
  }

  /// Notes devices that know us by a key that was lost with our `local` file.
  private mutating func noteMissingKeys() {
    for one in carried where one.bond.hasOurs && one.ownKey == nil {
      let remark =
        "the key of the private addresses of \(one.own) is missing and not copied: "
        + "pair again what was paired with --private-address"
      if !remarks.contains(remark) { remarks.append(remark) }
    }
  }

  /// Why a path has no bonds.
  private static func reason(_ path: String) -> String {
    if Files.isFolder(path, followsLinks: true) {
      for folder in [path, "\(path)/bonds"] where Files.isFolder(folder, followsLinks: true) && !Files.mayRead(folder: folder) {
        return "this user may not read \(folder)"
      }
      return "it contains no bonds; \(layout)"
    }
    return Files.kind(of: path) == nil ? "there is no such file or folder" : "it is not an info file; \(layout)"
  }

  private mutating func take(adapter: String, at now: WallTime) {
    guard Files.mayRead(folder: adapter) else { return refusals.append("\(adapter): this user may not read it") }
    for name in Files.names(in: adapter).sorted() where Self.address(name) != nil { take(device: "\(adapter)/\(name)", at: now) }
  }

  private mutating func take(device folder: String, at now: WallTime) {
    let adapter = parent(of: folder)
    guard let device = Self.address(fileName(of: folder)), let own = Self.address(fileName(of: adapter)) else {
      refusals.append("\(folder)/info: its folders do not show whose bond it is; \(Self.layout)")
      return
    }
    // A device that was only seen, not paired.
    guard Self.hasInfo(folder) || !Files.isFolder(folder) else {
      refusals.append("\(folder): it contains no info file")
      return
    }
    do throws(SystemFailure) {
      let text = try Self.text("\(folder)/info")
      var key: [UInt8]?
      if let text = try? Self.text("\(adapter)/identity") { key = BlueZBonds.identityKey(in: text) }
      do throws(BlueZBonds.Refusal) {
        let found = try BlueZBonds.read(text, device: device, at: now)
        remarks += found.remarks.map { "\(folder)/info: \($0)" }
        if var bond = found.bond {
          bond.hasOurs = key != nil
          carried.append(TransferredBond(bond: bond, own: own, ownKey: key))
        } else {
          remarks.append("\(folder)/info: it contains no LE key")
        }
      } catch { refusals.append("\(folder)/info: \(error.reason)") }
    } catch { refusals.append("\(error)") }
  }

  private static func hasInfo(_ folder: String) -> Bool {
    Files.kind(of: "\(folder)/info").map { $0 != .folder } ?? false
  }

  private static func text(_ path: String) throws(SystemFailure) -> String {
    String(decoding: try Files.readOwned(path, limit: longest), as: UTF8.self)
  }

  private static func address(_ name: String) -> Address? { name.utf8.count == 17 ? Address(name) : nil }

  // MARK: Writing to a state folder

  package mutating func keep(in folder: BondFolder, replacing: Bool) {
    var entropy = Entropy.system
    for one in carried {
      let loaded = folder.load(one.own, &entropy)
      guard case .bonds(var identity, let bonds, let unusable, _, _, _) = loaded else {
        refusals.append("nothing is added to the bonds of \(one.own): \(loaded.refusal ?? "they cannot be read")")
        continue
      }
      var bond = one.bond
      let old = bonds.first { $0.identity == bond.identity }
      // Another level of the same keys counts only if it is wanted.
      let isSame = old?.keys == bond.keys && old?.identityKey == bond.identityKey
      if isSame, !replacing || old?.isAuthenticated == bond.isAuthenticated {
        known += 1
        remarks.append("\(bond.identity.withKind): this bond already exists")
        continue
      }
      guard replacing || (old == nil && !unusable.contains { $0.identity == bond.identity }) else {
        refusals.append("\(bond.identity.withKind): there is already another bond with it; --replace replaces it")
        continue
      }
      guard old != nil || bonds.count < Self.most else {
        refusals.append("\(bond.identity.withKind): there are \(Self.most) bonds, and there is no room for another")
        continue
      }
      if let key = one.ownKey, key != identity.key, !bonds.contains(where: \.hasOurs) {
        // No device has the existing key yet, so it can be replaced.
        identity.key = key
        if case .refused(let reason) = folder.keep(identity) {
          refusals.append(reason)
          continue
        }
      }
      bond.hasOurs = one.bond.hasOurs && one.ownKey == identity.key
      if let reason = folder.keep(bond, of: identity).refusal {
        refusals.append(reason)
      } else {
        done.append(BondSummary(bond, of: one.own))
      }
    }
  }

  // MARK: Writing to a folder of bluetoothd

  package mutating func write(to path: String, as form: Form, replacing: Bool) {
    if let file = Self.obstacle(to: path) {
      let place = file == path ? "" : "; \(path) cannot be created"
      refusals.append("\(file) is not a folder\(place): export writes into a folder, which it creates if needed")
      return
    }
    if form == .tooth { return keep(in: BondFolder(state: path), replacing: replacing) }
    for one in carried {
      let adapter = "\(path)/\(one.own)"
      let folder = "\(adapter)/\(one.bond.identity)"
      do throws(SystemFailure) {
        try Files.makePrivateFolder(adapter)
        try Files.makePrivateFolder(folder)
        if let taken = Files.kind(of: "\(folder)/info"), !replacing || taken != .file {
          let cure = taken == .file ? "; --replace replaces it" : ", and no file"
          refusals.append("\(folder)/info: it already exists\(cure)")
          continue
        }
        try saveFile("\(folder)/info", Array(BlueZBonds.write(one.bond).utf8), mode: 0o600)
        if one.bond.hasOurs, let key = one.ownKey { try write(key, to: "\(adapter)/identity", of: one.own) }
        done.append(BondSummary(one.bond, of: one.own))
      } catch { refusals.append("\(error)") }
    }
  }

  /// The part of a path that is not a folder, which keeps it from being created.
  private static func obstacle(to path: String) -> String? {
    var part = path
    while Files.kind(of: part) == nil, part != "/", part != "." { part = parent(of: part) }
    return Files.isFolder(part, followsLinks: true) ? nil : part
  }

  private mutating func write(_ key: [UInt8], to path: String, of own: Address) throws(SystemFailure) {
    guard Files.kind(of: path) != nil else {
      return try saveFile(path, Array(BlueZBonds.write(identityKey: key).utf8), mode: 0o600)
    }
    let known = (try? Self.text(path)).flatMap(BlueZBonds.identityKey)
    let remark = "\(path): another key of \(own) is there; devices do not resolve private addresses that are made with it"
    if known != key, !remarks.contains(remark) { remarks.append(remark) }
  }
}

extension ComputationResult {
  fileprivate var refusal: String? {
    switch self {
    case .refused(let reason), .unreadable(let reason): reason
    default: nil
    }
  }
}
