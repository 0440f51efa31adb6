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
  ///   - listens: whether somebody stands at the socket of this name, as far as a look tells.
  ///   - runs: whether the process of this keeper can be seen.
  ///   - isServed: whether somebody takes a connection there. That starts a keeper whose socket a
  ///     service manager holds, so it is asked of those only that nothing else can be said of.
  ///   - address: of the adapter that the keeper of this name has, or waits for.
  package static func find(
    _ name: AdapterName, except others: [String] = [], among all: @autoclosure () -> [AdapterSummary],
    keepers: @autoclosure () -> [String], listens: (String) -> Bool, runs: (String) -> Bool,
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
      let holder = keepers().first { AdapterName($0) != nil && runs($0) && isServed($0) && address($0)?.bits == bits }
      if let holder { return Found(name: holder, isServed: true) }
      return summary.map { Found(name: $0.name, isServed: false) }
    case .any:
      let names = keepers().filter { AdapterName($0) != nil && !others.contains($0) }
      let all = all()
      // Also one whose adapter is unplugged now, if it runs: it is waited for.
      if let kept = names.first(where: { name in listens(name) && (runs(name) || all.contains { $0.name == name }) }) {
        return Found(name: kept, isServed: true)
      }
      let usable = all.filter {
        !others.contains($0.name) && $0.block == .none && $0.use != .program && $0.info?.supported.contains(.lowEnergy) ?? true
      }
      if let first = usable.min(by: { (AdapterClaim.rank($0), $0.index) < (AdapterClaim.rank($1), $1.index) }) {
        return Found(name: first.name, isServed: false)
      }
      // In a container neither adapters nor the processes of others can be seen.
      return names.first(where: isServed).map { Found(name: $0, isServed: true) }
    }
  }

  package static func find(_ name: AdapterName, except others: [String] = []) -> Found? {
    let listening = name == .any ? SocketFacts.listening() : []
    return find(
      name, except: others, among: AdapterSummary.all(), keepers: names(),
      listens: { listening.contains(KeeperPlace(adapter: $0).socket) },
      runs: { SocketFacts.isLocked(KeeperPlace(adapter: $0).lock) },
      isServed: { KeeperPlace(adapter: $0).isServed }
    ) { keeper in
      guard case .told(let status)? = try? KeeperLink.ask(.status, KeeperPlace(adapter: keeper), patience: .seconds(2)) else {
        return nil
      }
      return status.address
    }
  }

  /// Adapters that have, or had, a keeper.
  private static func names() -> [String] { Set(places().map(\.name)).sorted() }

  /// The same as places, whatever kind of adapter it is.
  package static func places() -> [KeeperPlace] {
    Set([KeeperPlace.folder(), KeeperPlace(adapter: "hci0").folder]).sorted().flatMap { folder in
      Files.names(in: folder).filter { $0.hasSuffix(".socket") }.sorted().map {
        KeeperPlace(folder: folder, name: String($0.dropLast(7)))
      }
    }
  }
}
