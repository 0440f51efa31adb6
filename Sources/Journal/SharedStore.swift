package import Exchange
import Glibc
package import Vocabulary

/// The database shared by all runs of a state directory: attribute caches, and `remember`ed values
/// of dropped runs.
package final class SharedStore {
  private let database: Database
  /// The file when it was opened.
  let file: StoreFiles.File?

  package init(in directory: StateDirectory) throws(JournalFailure) {
    try StoreFiles.makePrivate(directory.shared)
    file = StoreFiles.File(directory.shared)
    database = try Database(path: directory.shared)
    try database.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL")
    switch try database.number("PRAGMA user_version") {
    case 2: break
    case 0, 1:
      // Two first starts may run at once, and the second finds the tables.
      try database.execute(
        """
        BEGIN IMMEDIATE;
        CREATE TABLE IF NOT EXISTS knowledge(address INTEGER NOT NULL, kind INTEGER NOT NULL, value BLOB NOT NULL, at INTEGER NOT NULL,
          PRIMARY KEY(address, kind)) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS kept(owner TEXT NOT NULL, name TEXT NOT NULL, value BLOB NOT NULL, at INTEGER NOT NULL,
          PRIMARY KEY(owner, name)) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS alias(name TEXT NOT NULL PRIMARY KEY, device TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS heard(address TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID;
        PRAGMA user_version = 2;
        COMMIT
        """)
    default:
      throw JournalFailure(
        .newer, "\(directory.shared) was written by a newer tooth", hint: "use that tooth, or choose another place with --state DIR"
      )
    }
  }

  deinit { database.close() }

  // MARK: Attribute caches

  /// The age after which a device without a Database Hash is asked for one again, because its
  /// firmware may have been updated.
  package static let hashlessAge = TimeSpan.days(7)

  /// Returns the attribute cache of a device. The host validates it before use. Unreadable bytes
  /// count as none.
  package func attributeCache(of address: Address, at now: WallTime) throws(JournalFailure) -> AttributeCache? {
    let statement = try database.prepare("SELECT value, at FROM knowledge WHERE address = ?1 AND kind = ?2")
    statement.bind(1, Int64(address.bits))
    statement.bind(2, Int64(address.kind.rawValue))
    guard try statement.step() else { return nil }
    let bytes = statement.bytes(0)
    let at = WallTime(nanoseconds: statement.integer(1))
    statement.reset()
    guard let attributeCache = try? AttributeCache(encoded: bytes) else { return nil }
    if attributeCache.databaseHash == nil, !(TimeSpan.zero...Self.hashlessAge).contains(now - at) { return nil }
    return attributeCache
  }

  /// Stores a cache that a Database Hash can confirm, joined with what other runs have found in the
  /// same table, so that a part never replaces the whole. Of a device without a hash, only that
  /// fact is stored.
  package func keep(_ found: AttributeCache, of address: Address, at now: WallTime) throws(JournalFailure) {
    var attributeCache = found
    if found.databaseHash == nil {
      guard found.lacksHash else { return }
      attributeCache = AttributeCache()
      attributeCache.lacksHash = true
      attributeCache.findsByType = found.findsByType
      // A run that relied on this has not asked again, so its age continues.
      if try self.attributeCache(of: address, at: now) == attributeCache { return }
    }
    try database.execute("BEGIN IMMEDIATE")
    do throws(JournalFailure) {
      if let known = try self.attributeCache(of: address, at: now), let joined = attributeCache.joined(with: known) {
        attributeCache = joined
      }
      try write(attributeCache, of: address, at: now)
      try database.execute("COMMIT")
    } catch {
      database.rollback()
      throw error
    }
  }

  private func write(_ attributeCache: AttributeCache, of address: Address, at now: WallTime) throws(JournalFailure) {
    let statement = try database.prepare("INSERT OR REPLACE INTO knowledge VALUES(?1, ?2, ?3, ?4)")
    statement.bind(1, Int64(address.bits))
    statement.bind(2, Int64(address.kind.rawValue))
    statement.bind(3, attributeCache.encoded)
    statement.bind(4, now.nanoseconds)
    try statement.run()
  }

  package func forget(_ address: Address) throws(JournalFailure) {
    let statement = try database.prepare("DELETE FROM knowledge WHERE address = ?1 AND kind = ?2")
    statement.bind(1, Int64(address.bits))
    statement.bind(2, Int64(address.kind.rawValue))
    try statement.run()
  }

  // MARK: Values of dropped runs

  package func keep(_ entries: [Remembered], of owner: String) throws(JournalFailure) {
    let statement = try database.prepare(
      """
      INSERT INTO kept VALUES(?1, ?2, ?3, ?4)
      ON CONFLICT(owner, name) DO UPDATE SET value = excluded.value, at = excluded.at WHERE excluded.at > at
      """)
    for entry in entries {
      statement.bind(1, owner)
      statement.bind(2, entry.name)
      statement.bind(3, entry.value)
      statement.bind(4, entry.at.nanoseconds)
      try statement.run()
    }
  }

  package func kept(of owner: String) throws(JournalFailure) -> [Remembered] {
    let statement = try database.prepare("SELECT name, value, at FROM kept WHERE owner = ?1 ORDER BY name")
    statement.bind(1, owner)
    var list: [Remembered] = []
    while try statement.step() {
      list.append(Remembered(name: statement.text(0), value: statement.bytes(1), at: WallTime(nanoseconds: statement.integer(2))))
    }
    return list
  }

  // MARK: Names of devices

  /// The aliases of devices, by name. A device is an address or a name, as typed.
  package func aliases() throws(JournalFailure) -> [(name: String, device: String)] {
    let statement = try database.prepare("SELECT name, device FROM alias ORDER BY name")
    var list: [(name: String, device: String)] = []
    while try statement.step() { list.append((statement.text(0), statement.text(1))) }
    return list
  }

  package func setAlias(_ name: String, of device: String) throws(JournalFailure) {
    let statement = try database.prepare("INSERT OR REPLACE INTO alias VALUES(?1, ?2)")
    statement.bind(1, name)
    statement.bind(2, device)
    try statement.run()
  }

  package func dropAlias(_ name: String) throws(JournalFailure) {
    let statement = try database.prepare("DELETE FROM alias WHERE name = ?1")
    statement.bind(1, name)
    try statement.run()
  }

  /// The most devices remembered for completion.
  package static let heardLimit = 256

  /// Adds named devices from a scan; the newest are kept.
  package func hear(_ devices: [(address: String, name: String)], at now: WallTime) throws(JournalFailure) {
    guard !devices.isEmpty else { return }
    let statement = try database.prepare("INSERT OR REPLACE INTO heard VALUES(?1, ?2, ?3)")
    try database.execute("BEGIN IMMEDIATE")
    do throws(JournalFailure) {
      for device in devices.suffix(Self.heardLimit) {
        statement.bind(1, device.address)
        statement.bind(2, device.name)
        statement.bind(3, now.nanoseconds)
        try statement.run()
      }
      try database.execute(
        "DELETE FROM heard WHERE address NOT IN (SELECT address FROM heard ORDER BY at DESC, address LIMIT \(Self.heardLimit))")
      try database.execute("COMMIT")
    } catch {
      database.rollback()
      throw error
    }
  }

  /// The remembered devices, the newest first.
  package func heardDevices() throws(JournalFailure) -> [(address: String, name: String)] {
    let statement = try database.prepare("SELECT address, name FROM heard ORDER BY at DESC, name")
    var list: [(address: String, name: String)] = []
    while try statement.step() { list.append((statement.text(0), statement.text(1))) }
    return list
  }

  /// All attribute caches, for completion.
  package func allAttributeCaches() throws(JournalFailure) -> [(address: Address, attributeCache: AttributeCache)] {
    let statement = try database.prepare("SELECT address, kind, value FROM knowledge ORDER BY at DESC LIMIT \(Self.heardLimit)")
    var list: [(address: Address, attributeCache: AttributeCache)] = []
    while try statement.step() {
      guard let kind = UInt8(exactly: statement.integer(1)).flatMap({ Address.Kind(rawValue: $0) }),
        let attributeCache = try? AttributeCache(encoded: statement.bytes(2))
      else { continue }
      list.append((Address(bits: UInt64(truncatingIfNeeded: statement.integer(0)), kind: kind), attributeCache))
    }
    return list
  }
}
