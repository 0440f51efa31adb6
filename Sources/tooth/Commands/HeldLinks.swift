import Adapters
import Host
import Journal
import Keeper
import KeeperProcess
import Linux
import Runner
import Session
import Vocabulary

/// The links of a keeper with the names of their devices, as the keeper heard them, or as known to
/// its clients or from `tooth scan`.
struct HeldLinks {
  struct Device {
    var address: Address
    var name: String?
    /// The names of its clients.
    var clients: [String]
  }

  let devices: [Device]

  /// Reads a keeper's status. The client name of a run is the ID of the run, whose checkpoint
  /// contains the names of devices.
  init(_ status: KeeperStatus, _ state: StateDirectory?) {
    var names: [(address: AddressValue, name: String)] = []
    if let state, status.links.contains(where: { $0.name == nil }) {
      for client in status.clients where !client.links.isEmpty {
        guard let id = RunID(client.name), let found = try? RunStore.peek(id, in: state),
          let snapshot = try? Snapshot(rows: found.rows)
        else { continue }
        names += snapshot.namedDevices
      }
      let isNameless = status.links.contains { link in !names.contains { $0.address.isSame(as: AddressValue(link.peer)) } }
      for heard in isNameless ? (try? LazySharedStore(in: state).existing()?.heardDevices()) ?? [] : [] {
        if let address = AddressValue(heard.address), !heard.name.isEmpty { names.append((address, heard.name)) }
      }
    }
    devices = status.links.map { link in
      let address = AddressValue(link.peer)
      return Device(
        address: link.peer, name: link.name ?? names.first { $0.address.isSame(as: address) }?.name,
        clients: status.clients.filter { $0.links.contains(link.peer) }.map(\.name))
    }
  }

  /// Asks the keeper that this command would use; `nil` if there is none, or if it does not answer
  /// in time.
  init?(_ arguments: Arguments, _ chosen: AdapterChoice? = nil, patience: TimeSpan = .seconds(5)) {
    guard !arguments.has("direct") else { return nil }
    let choice = chosen ?? AdapterChoice(arguments.value("adapter"))
    let name: String?
    switch choice {
    case .kernel(let named): name = KeptAdapters.find(named).flatMap { $0.isServed ? $0.name : nil }
    case .stream, .simulated, .unknown: name = choice.keeperName(in: workingDirectory())
    }
    guard let name, KeeperPlace(adapter: name).hasSocket,
      case .statusReport(let status)? = try? KeeperLink.ask(.status, KeeperPlace(adapter: name), patience: patience)
    else { return nil }
    self.init(status, try? StateDirectory.choose(option: arguments.value("state"), environment: environment))
  }

  /// The link to an address that was given without its type.
  func link(to address: AddressValue) -> Address? { devices.first { AddressValue($0.address).isSame(as: address) }?.address }

  /// The links whose device name matches a pattern with `*` and `?`.
  func named(_ pattern: String) -> [Device] {
    devices.filter { $0.name.map { Glob.matches(pattern, $0) } ?? false }
  }
}
