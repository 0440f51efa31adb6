/// The shared database, opened when it is first needed: never on the way to the first packet.
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
}
