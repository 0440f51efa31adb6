import CBluez
import Glibc
import Packets
package import Vocabulary

/// An adapter that was taken from the kernel: its user channel, and its original state.
package struct AdapterClaim: Sendable {
  package var index: UInt16
  package var address: Address?
  package var wasPowered: Bool
  package var descriptor: Int32

  package var name: String { "hci\(index)" }

  package init(index: UInt16, address: Address?, wasPowered: Bool, descriptor: Int32) {
    self.index = index
    self.address = address
    self.wasPowered = wasPowered
    self.descriptor = descriptor
  }

  /// Reads a claim without its socket, for messages between our own processes.
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(
      index: try reader.readUInt16(), address: try reader.next(Address?.self), wasPowered: try reader.readBool(),
      descriptor: -1)
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(index)
    writer.put(all: address)
    writer.put(wasPowered)
  }

  /// The number of attempts. A daemon may switch an adapter on once more after it was switched off.
  private static let attempts = 4

  /// Takes the named adapter: finds it, switches it off through the management channel, and binds
  /// its user channel.
  package static func take(
    _ name: AdapterName, except others: [AdapterName] = [], cutting: Bool, _ management: ManagementSocket
  ) throws(AdapterFault) -> AdapterClaim {
    var all = try AdapterSummary.all(management)
    switch name {
    case .any:
      all.removeAll { summary in others.contains { $0.find(among: [summary]) != nil } }
      guard !all.isEmpty else { throw .noAdapter }
      var first: AdapterFault?
      // Take the first that can be taken. One with links of other programs cannot, unless
      // `cutting`.
      for summary in all.sorted(by: { rank($0) < rank($1) }) {
        do throws(AdapterFault) { return try take(summary, cutting: cutting, management) } catch {
          if first == nil { first = error }
        }
      }
      throw first ?? .noAdapter
    case .index, .address:
      guard let summary = name.find(among: all) else { throw .missing(name, others: all) }
      return try take(summary, cutting: cutting, management)
    }
  }

  /// The order in which to try adapters: the most promising first.
  package static func rank(_ summary: AdapterSummary) -> Int {
    if summary.block != .none { return 3 }
    switch summary.use {
    case .free, .kernel: return 0
    case .settingUp: return 1
    case .program: return 2
    }
  }

  private static func take(
    _ summary: AdapterSummary, cutting: Bool, _ management: ManagementSocket
  ) throws(AdapterFault) -> AdapterClaim {
    if let info = summary.info, !info.supported.contains(.lowEnergy) { throw .classicOnly(summary.name) }
    let wasPowered = summary.isPowered
    if wasPowered, !cutting {
      let peers: [ControllerConnections.Peer]
      do throws(ManagementSocket.Refusal) { peers = try management.connections(of: summary.index) } catch {
        throw explained(error, summary)
      }
      guard peers.isEmpty else { throw .linked(summary.name, peers.map(\.address)) }
    }
    var isOff = !wasPowered
    var last = EBUSY
    for attempt in 0..<attempts {
      if !isOff {
        do throws(ManagementSocket.Refusal) { try management.setPowered(summary.index, false) } catch {
          throw explained(error, summary)
        }
        isOff = true
      }
      do throws(SystemFailure) {
        return AdapterClaim(
          index: summary.index, address: summary.address, wasPowered: wasPowered, descriptor: try HCISocket.bound(to: summary.index)
        )
      } catch {
        last = error.code
        guard error.code == EBUSY else { break }
        // It was switched on meanwhile, or is being set up. A moment later its state may differ.
        if attempt + 1 < attempts { usleep(250_000) }
        guard let now = try? AdapterSummary.all(management).first(where: { $0.index == summary.index }) else { break }
        if now.use == .program { break }
        isOff = !now.isPowered
      }
    }
    if wasPowered { try? management.setPowered(summary.index, true) }
    throw explained(last, summary, management)
  }

  private static func explained(_ refusal: ManagementSocket.Refusal, _ summary: AdapterSummary) -> AdapterFault {
    switch refusal {
    case .status(.permissionDenied):
      .notPermitted(summary.name, program: Privileges.program, isAdministrator: Privileges.canAdministerNetwork)
    case .status(.blocked): .blocked(summary)
    case .status(.invalidIndex): .missing(.index(summary.index), others: [])
    case .status(.busy): .busy(summary.name, daemon: SocketHolder.daemon)
    case .status, .system: AdapterFault(refusal)
    }
  }

  private static func explained(_ code: Int32, _ summary: AdapterSummary, _ management: ManagementSocket) -> AdapterFault {
    switch code {
    case EPERM, EACCES:
      return .notPermitted(summary.name, program: Privileges.program, isAdministrator: Privileges.canAdministerNetwork)
    case ENODEV:
      return .missing(
        .index(summary.index), others: ((try? AdapterSummary.all(management)) ?? []).filter { $0.index != summary.index })
    case ERFKILL: return .blocked(summary)
    case EUSERS: return .held(summary.name, by: SocketHolder.ofUserChannels())
    case EBUSY:
      let now = (try? AdapterSummary.all(management))?.first { $0.index == summary.index }
      switch now?.use {
      case .program: return .held(summary.name, by: SocketHolder.ofUserChannels())
      case .settingUp: return .settingUp(summary.name)
      case .free, .kernel, nil: return .busy(summary.name, daemon: SocketHolder.daemon)
      }
    case ETIMEDOUT:
      return AdapterFault(
        .settingUp, "\(summary.name) does not answer the kernel", hint: "unplug it and plug it back in, or reload its driver")
    default: return .system(SystemFailure("taking \(summary.name)", code: code))
    }
  }

  /// The time in which the kernel must list the adapter again. Closing the channel waits for the
  /// controller's pending answers.
  private static let closing = TimeSpan.seconds(10)
  /// The time in which a daemon may switch the adapter on.
  private static let patience = TimeSpan.milliseconds(2500)

  /// Gives the adapter back in its original state. The user channel must be closed.
  package func giveBack(_ management: ManagementSocket) {
    var deadline = SystemClock.now().moment + Self.closing
    // The kernel lists it again once the channel is closed. If not, another process holds it or it
    // is gone.
    while !((try? management.indexes()) ?? []).contains(index) {
      let isHere = ((try? AdapterSummary.all(management)) ?? []).contains { $0.index == index }
      guard isHere, SystemClock.now().moment < deadline else { return }
      _ = Poll.wait(for: [Poll.Interest(management.descriptor)], until: min(deadline, SystemClock.now().moment + .milliseconds(50)))
      _ = management.takeEvents()
    }
    deadline = SystemClock.now().moment + Self.patience
    // A daemon sets adapters up and switches them on by itself. Let it, and restore the original
    // state afterwards.
    let hasDaemon = SocketHolder.daemon != nil
    while hasDaemon, SystemClock.now().moment < deadline {
      guard let info = try? management.info(of: index) else { return }
      if info.current.contains(.powered) { break }
      _ = Poll.wait(for: [Poll.Interest(management.descriptor)], until: min(deadline, SystemClock.now().moment + .milliseconds(50)))
      _ = management.takeEvents()
    }
    guard let info = try? management.info(of: index), info.current.contains(.powered) != wasPowered else { return }
    try? management.setPowered(index, wasPowered)
  }
}
