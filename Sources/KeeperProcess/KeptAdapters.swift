package import Linux
package import Vocabulary

/// The name under which a keeper owns an adapter of the kernel. Every way to name an adapter leads
/// to the same keeper, `hciN`.
package enum KeptAdapters {
  /// An adapter, and whether its keeper is running.
  package struct Found: Equatable {
    package var name: String
    package var isServed: Bool

    package init(name: String, isServed: Bool) {
      self.name = name
      self.isServed = isServed
    }
  }

  /// Finds the keeper of an adapter. `nil` if there is no such adapter and no keeper waits for it;
  /// opening it then reports why.
  ///
  /// - Parameters:
  ///   - others: Adapters that `any` excludes.
  ///   - listens: Whether a process listens on the socket of this name, as far as can be seen.
  ///   - runs: Whether the process of this keeper can be seen.
  ///   - isServed: Whether a process accepts connections. This starts a keeper whose socket a
  ///     service manager holds, so it is called only if nothing else decides.
  ///   - address: The address of the adapter that the keeper of this name has or waits for.
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
      // It may be unplugged, or back under another index; its keeper keeps its old name.
      let holder = keepers().first { AdapterName($0) != nil && runs($0) && isServed($0) && address($0)?.bits == bits }
      if let holder { return Found(name: holder, isServed: true) }
      return summary.map { Found(name: $0.name, isServed: false) }
    case .any:
      let names = keepers().filter { AdapterName($0) != nil && !others.contains($0) }
      let all = all()
      // A running keeper waits for its adapter, even if that is unplugged now.
      if let kept = names.first(where: { name in listens(name) && (runs(name) || all.contains { $0.name == name }) }) {
        return Found(name: kept, isServed: true)
      }
      let usable = all.filter {
        !others.contains($0.name) && $0.block == .none && $0.use != .program && $0.info?.supported.contains(.lowEnergy) ?? true
      }
      if let first = usable.min(by: { (AdapterClaim.rank($0), $0.index) < (AdapterClaim.rank($1), $1.index) }) {
        return Found(name: first.name, isServed: false)
      }
      // In a container neither adapters nor other processes can be seen.
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
      guard case .statusReport(let status)? = try? KeeperLink.ask(.status, KeeperPlace(adapter: keeper), patience: .seconds(2))
      else {
        return nil
      }
      return status.address
    }
  }

  /// The adapters that have or had a keeper.
  private static func names() -> [String] { Set(places().map(\.name)).sorted() }

  /// The places of the keepers that run. Connecting to another one, whose socket a service manager
  /// holds, would start it.
  package static func running() -> [KeeperPlace] {
    let listening = SocketFacts.listening()
    return places().filter { listening.contains($0.socket) && SocketFacts.isLocked($0.lock) }
  }

  /// The places of all keepers, whatever kind of adapter they have.
  package static func places() -> [KeeperPlace] {
    Set([KeeperPlace.folder(), KeeperPlace(adapter: "hci0").folder]).sorted().flatMap { folder in
      Files.names(in: folder).filter { $0.hasSuffix(".socket") }.sorted().map {
        KeeperPlace(folder: folder, name: String($0.dropLast(7)))
      }
    }
  }
}
