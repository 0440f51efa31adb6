package import Linux
package import Vocabulary

/// Under which name an adapter of the kernel is kept: every way to name one leads to the same
/// keeper, `hciN`.
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

  /// Nothing when there is no such adapter and no keeper that waits for it: who opens it will be
  /// told why.
  ///
  /// - Parameters:
  ///   - others: what any adapter is not.
  ///   - isServed: whether the keeper of this name answers.
  ///   - address: of the adapter that the keeper of this name has, or waits for.
  package static func find(
    _ name: AdapterName, except others: [String] = [], among all: @autoclosure () -> [AdapterSummary],
    keepers: @autoclosure () -> [String],
    isServed: (String) -> Bool, address: (String) -> Address?
  ) -> Found? {
    switch name {
    case .index:
      if isServed("\(name)") { return Found(name: "\(name)", isServed: true) }
      return name.find(among: all()).map { Found(name: $0.name, isServed: false) }
    case .address(let bits):
      let summary = name.find(among: all())
      if let summary, isServed(summary.name) { return Found(name: summary.name, isServed: true) }
      // Unplugged now, or back under another number: its keeper keeps the name that it had.
      let holder = keepers().first { AdapterName($0) != nil && isServed($0) && address($0)?.bits == bits }
      if let holder { return Found(name: holder, isServed: true) }
      return summary.map { Found(name: $0.name, isServed: false) }
    case .any:
      // Also one whose adapter is unplugged now: it is waited for.
      if let served = keepers().first(where: { AdapterName($0) != nil && !others.contains($0) && isServed($0) }) {
        return Found(name: served, isServed: true)
      }
      let usable = all().filter {
        !others.contains($0.name) && $0.block == .none && $0.use != .program && $0.info?.supported.contains(.lowEnergy) ?? true
      }
      guard let first = usable.min(by: { (AdapterClaim.rank($0), $0.index) < (AdapterClaim.rank($1), $1.index) }) else {
        return nil
      }
      return Found(name: first.name, isServed: false)
    }
  }

  package static func find(_ name: AdapterName, except others: [String] = []) -> Found? {
    find(name, except: others, among: AdapterSummary.all(), keepers: names(), isServed: { KeeperPlace(adapter: $0).isServed }) {
      keeper in
      guard case .told(let status)? = try? KeeperLink.ask(.status, KeeperPlace(adapter: keeper), patience: .seconds(2)) else {
        return nil
      }
      return status.address
    }
  }

  /// Adapters that have, or had, a keeper.
  private static func names() -> [String] {
    let folders = Set([KeeperPlace.folder(), KeeperPlace(adapter: "hci0").folder])
    let files = folders.flatMap { Files.names(in: $0) }.filter { $0.hasSuffix(".socket") }
    return Set(files.map { String($0.dropLast(7)) }).sorted()
  }
}
