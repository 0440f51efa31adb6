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
  /// Held by the helper only.
  var lock: AdapterLock?

  package var name: String { "hci\(index)" }

  package init(index: UInt16, address: Address?, wasPowered: Bool, descriptor: Int32, lock: AdapterLock? = nil) {
    self.index = index
    self.address = address
    self.wasPowered = wasPowered
    self.descriptor = descriptor
    self.lock = lock
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
  /// - Parameter lock: The caller's lock of the adapter that it took last.
  package static func take(
    _ name: AdapterName, except others: [AdapterName] = [], cutting: Bool, holding lock: AdapterLock? = nil,
    _ management: ManagementSocket
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
        do throws(AdapterFault) { return try take(summary, cutting: cutting, lock, management) } catch {
          if first == nil { first = error }
        }
      }
      throw first ?? .noAdapter
    case .index, .address:
      guard let summary = name.find(among: all) else { throw .missing(name, others: all) }
      return try take(summary, cutting: cutting, lock, management)
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

  /// The time in which another tooth gives an adapter back, or takes it. Closing a channel waits
  /// for the controller's pending answers.
  package static let handover = TimeSpan.seconds(10)

  private enum Obstacle: Error {
    case refusal(ManagementSocket.Refusal)
    case code(Int32)
    case links([Address])
  }

  private static func take(
    _ summary: AdapterSummary, cutting: Bool, _ held: AdapterLock?, _ management: ManagementSocket
  ) throws(AdapterFault) -> AdapterClaim {
    if let info = summary.info, !info.supported.contains(.lowEnergy) { throw .classicOnly(summary.name) }
    var lock = held?.index == summary.index ? held : AdapterLock(summary.index)
    var summary = summary
    let limit = SystemClock.now().moment + handover
    while lock == nil, SystemClock.now().moment < limit {
      guard summary.use != .program else { throw .lent(summary.name, by: SocketHolder.ofUserChannels()) }
      usleep(100_000)
      lock = AdapterLock(summary.index)
      // It may have been given back, and switched on.
      summary = try AdapterSummary.all(management).first { $0.index == summary.index } ?? summary
    }
    var wasPowered = summary.isPowered
    var isOff = !wasPowered
    var mayCut = cutting
    var attempt = 1
    while true {
      let code: Int32
      do throws(Obstacle) {
        let descriptor = try channel(of: summary, isOff: &isOff, mayCut: &mayCut, management)
        return AdapterClaim(
          index: summary.index, address: summary.address, wasPowered: wasPowered, descriptor: descriptor, lock: lock)
      } catch {
        switch error {
        case .links(let peers): throw .linked(summary.name, peers)
        case .refusal(let refusal): throw explained(refusal, summary, management)
        case .code(let number): code = number
        }
      }
      let now = (try? AdapterSummary.all(management))?.first { $0.index == summary.index }
      guard code == EBUSY, let now, now.use != .program, attempt < attempts else {
        if wasPowered, isOff { try? management.setPowered(summary.index, true) }
        throw explained(code, summary, management)
      }
      // It was switched on meanwhile, or is being set up. A moment later its state may differ.
      attempt += 1
      usleep(250_000)
      isOff = (try? AdapterSummary.all(management))?.first { $0.index == summary.index }?.isPowered != true
      if !isOff { wasPowered = true }
    }
  }

  /// Switches an adapter off, if necessary, and binds its user channel.
  private static func channel(
    of summary: AdapterSummary, isOff: inout Bool, mayCut: inout Bool, _ management: ManagementSocket
  ) throws(Obstacle) -> Int32 {
    if !isOff {
      var peers: [ControllerConnections.Peer] = []
      do throws(ManagementSocket.Refusal) {
        if !mayCut { peers = try management.connections(of: summary.index) }
        if peers.isEmpty { try management.setPowered(summary.index, false) }
      } catch { throw .refusal(error) }
      guard peers.isEmpty else { throw .links(peers.map(\.address)) }
      // A daemon may switch it on again, but has no links yet.
      mayCut = true
      isOff = true
    }
    do throws(SystemFailure) { return try HCISocket.bound(to: summary.index) } catch { throw .code(error.code) }
  }

  private static func explained(_ refusal: ManagementSocket.Refusal, _ summary: AdapterSummary, _ management: ManagementSocket)
    -> AdapterFault
  {
    switch refusal {
    // It is gone, or its user channel is in use.
    case .status(.invalidIndex):
      explained(
        (try? AdapterSummary.all(management))?.contains { $0.index == summary.index } == true ? EUSERS : ENODEV, summary, management
      )
    case .status(.permissionDenied):
      .notPermitted(summary.name, program: Privileges.program, isAdministrator: Privileges.canAdministerNetwork)
    case .status(.blocked): .blocked(summary)
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

  /// The time in which a daemon may switch the adapter on.
  private static let patience = TimeSpan.milliseconds(2500)

  /// Gives the adapter back in its original state. The user channel must be closed.
  package func giveBack(_ management: ManagementSocket) {
    var deadline = SystemClock.now().moment + Self.handover
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
