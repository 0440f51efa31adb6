package import Keeper
package import Linux
package import Vocabulary

/// What a keeper leaves with its service manager, and how the next one takes it up.
package enum KeeperHandover {
  private static let adapter = "adapter"
  private static let memory = "memory"
  package static let listener = "listener"

  /// The keeper before this one as it was killed, with its links; nothing when there was none, or its adapter is gone, or it was another program.
  package static func takeOver(
    _ inherited: InheritedDescriptors, fingerprint: UInt64, seed: UInt64, at now: Instant, manager: ServiceManager?,
    opening: @escaping () throws(SystemFailure) -> any Transport
  ) -> KeeperEngine? {
    guard let socket = inherited[adapter], let memory = inherited[memory], let line = AdapterSocket(adopting: socket),
      let shared = try? SharedMemory(adopting: memory)
    else { return nil }
    return KeeperEngine(
      line: line, memory: KeeperMemory(shared, fingerprint: fingerprint), process: OwnProcess.number, seed: seed, at: now,
      opening: reopening(manager, nil, opening))
  }

  /// A new keeper. With a service manager it can be taken over: the manager holds its socket and its memory.
  package static func engine(
    _ keeper: Keeper, _ transport: any Transport, _ manager: ServiceManager?, fingerprint: UInt64,
    opening: @escaping () throws(SystemFailure) -> any Transport
  ) -> KeeperEngine {
    guard let manager, let descriptor = transport.interest?.descriptor, let line = AdapterSocket(duplicating: descriptor),
      let shared = try? SharedMemory(name: "tooth-keeper", size: KeeperMemory.size)
    else { return KeeperEngine(keeper: keeper, transport: transport) }
    manager.store(shared.descriptor, name: memory, isPolled: false)
    manager.store(line.descriptor, name: adapter)
    return KeeperEngine(
      keeper: keeper, line: line, memory: KeeperMemory(shared, fingerprint: fingerprint),
      opening: reopening(manager, transport, opening))
  }

  /// The way by which the adapter was opened: what it does when it goes, as giving the adapter back, it is not to do as long as we are here.
  private final class Origin {
    var transport: (any Transport)?

    init(_ transport: (any Transport)?) { self.transport = transport }
  }

  private static func reopening(
    _ manager: ServiceManager?, _ transport: (any Transport)?, _ opening: @escaping () throws(SystemFailure) -> any Transport
  )
    -> () throws(SystemFailure) -> any AdapterLine
  {
    let origin = Origin(transport)
    return { () throws(SystemFailure) -> any AdapterLine in
      manager?.remove(adapter)
      origin.transport = nil
      let transport = try opening()
      origin.transport = transport
      guard let descriptor = transport.interest?.descriptor, let line = AdapterSocket(duplicating: descriptor) else {
        throw SystemFailure("opening the adapter anew")
      }
      manager?.store(line.descriptor, name: adapter)
      return line
    }
  }

  /// Nobody is to take the adapter up.
  package static func forget(_ manager: ServiceManager?) {
    manager?.remove(adapter)
    manager?.remove(memory)
  }
}
