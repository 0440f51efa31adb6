import Glibc

/// The shared database, opened when it is first needed, and made when there is first something to keep: never on the way to the first packet.
package final class LazySharedStore {
  private let directory: StateDirectory
  private var store: SharedStore?

  package init(in directory: StateDirectory) { self.directory = directory }

  package func open() throws(JournalFailure) -> SharedStore {
    if let store { return store }
    let opened = try SharedStore(in: directory)
    store = opened
    return opened
  }

  /// Nothing when nobody has kept anything there yet.
  package func existing() throws(JournalFailure) -> SharedStore? {
    if store == nil, access(directory.shared, F_OK) != 0 { return nil }
    return try open()
  }
}
