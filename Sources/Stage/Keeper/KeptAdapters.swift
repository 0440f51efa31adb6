package import Linux
import Vocabulary

/// Under which name an adapter of the kernel is kept: every way to name one leads to the same keeper, `hciN`.
package enum KeptAdapters {
  /// An adapter and whether its keeper is here.
  package struct Found: Equatable {
    package var name: String
    package var isServed: Bool

    package init(name: String, isServed: Bool) {
      self.name = name
      self.isServed = isServed
    }
  }

  /// Nothing when there is no such adapter and no keeper that waits for it: who opens it will be told why.
  ///
  /// - Parameter isServed: whether the keeper of this name answers.
  package static func find(
    _ name: AdapterName, among all: @autoclosure () -> [AdapterSummary], keepers: @autoclosure () -> [String],
    isServed: (String) -> Bool
  ) -> Found? {
    switch name {
    case .index:
      if isServed("\(name)") { return Found(name: "\(name)", isServed: true) }
      return name.find(among: all()).map { Found(name: $0.name, isServed: false) }
    case .address:
      guard let summary = name.find(among: all()) else { return nil }
      return Found(name: summary.name, isServed: isServed(summary.name))
    case .any:
      // Also one whose adapter is unplugged now: it is waited for.
      if let served = keepers().first(where: { AdapterName($0) != nil && isServed($0) }) {
        return Found(name: served, isServed: true)
      }
      let usable = all().filter { $0.block == .none && $0.use != .program && $0.info?.supported.contains(.lowEnergy) ?? true }
      guard let first = usable.min(by: { (AdapterClaim.rank($0), $0.index) < (AdapterClaim.rank($1), $1.index) }) else {
        return nil
      }
      return Found(name: first.name, isServed: false)
    }
  }

  package static func find(_ name: AdapterName) -> Found? {
    find(name, among: AdapterSummary.all(), keepers: names()) { KeeperPlace(adapter: $0).isServed }
  }

  /// Adapters that have, or had, a keeper.
  private static func names() -> [String] {
    let folders = Set([KeeperPlace.folder(), KeeperPlace(adapter: "hci0").folder])
    let files = folders.flatMap { Files.names(in: $0) }.filter { $0.hasSuffix(".socket") }
    return Set(files.map { String($0.dropLast(7)) }).sorted()
  }
}
