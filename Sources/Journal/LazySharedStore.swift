import Glibc

/// The shared database, opened when it is first needed, and made when there is first something to
/// keep: never on the way to the first packet.
package final class LazySharedStore {
  private let directory: StateDirectory
  private var store: SharedStore?
  /// The file that was opened: what is kept in one that was removed or replaced meanwhile, nobody
  /// finds.
  private var file: StoreFiles.File?

  package init(in directory: StateDirectory) { self.directory = directory }

  package func open() throws(JournalFailure) -> SharedStore {
    if let store, let file, file.displacement == nil { return store }
    (store, file) = (nil, nil)
    let opened = try SharedStore(in: directory)
    (store, file) = (opened, opened.file)
    return opened
  }

  /// Nothing when nobody has kept anything there yet.
  package func existing() throws(JournalFailure) -> SharedStore? {
    if access(directory.shared, F_OK) != 0 { return nil }
    return try open()
  }
}
