import Journal
import Linux
import Recipe
import Session
import Vocabulary

/// The names given to devices by `tooth alias`. Reading them creates no directory and no database.
struct AliasBook {
  let all: [(name: String, device: String)]

  /// - Parameter words: possible aliases; if there are none, nothing is read.
  init(_ arguments: Arguments, among words: [String]) {
    guard words.contains(where: { AliasBook.isName($0) }), let store = AliasBook.store(arguments) else {
      all = []
      return
    }
    all = (try? store.aliases()) ?? []
  }

  static func store(_ arguments: Arguments) -> SharedStore? {
    guard let state = try? StateDirectory.choose(option: arguments.value("state"), environment: environment) else { return nil }
    return try? LazySharedStore(in: state).existing()
  }

  /// Saves what a scan has heard, for completion. Creates no directory, and ignores errors, because
  /// the scan itself has succeeded.
  static func hear(_ devices: [(address: String, name: String)], _ arguments: Arguments, at now: WallTime) {
    guard !devices.isEmpty, let state = try? StateDirectory.choose(option: arguments.value("state"), environment: environment),
      realPath(state.path) != nil
    else { return }
    try? LazySharedStore(in: state).open().hear(devices, at: now)
  }

  static func isName(_ word: String) -> Bool { Words.isName(word) && word.utf8.allSatisfy { OneShotPiece.isWord($0) } }
}
