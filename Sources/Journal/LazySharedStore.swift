import Glibc

/// The shared database. It is opened when first needed and created when first written, never before
/// the first packet.
package final class LazySharedStore {
  private let directory: StateDirectory
  private var store: SharedStore?
  /// The opened file. If it was removed or replaced meanwhile, its contents would be lost.
  private var file: StoreFiles.File?

  package init(in directory: StateDirectory) { self.directory = directory }

  package func open() throws(JournalFailure) -> SharedStore {
    if let store, let file, file.displacement == nil { return store }
    (store, file) = (nil, nil)
    let opened = try SharedStore(in: directory)
    (store, file) = (opened, opened.file)
    return opened
  }

  /// The database; `nil` if it does not exist yet.
  package func existing() throws(JournalFailure) -> SharedStore? {
    if access(directory.shared, F_OK) != 0 { return nil }
    return try open()
  }
}
