package import Adapters
package import Keeper
package import Linux
package import Vocabulary

/// What a keeper stores with its service manager, and how its successor takes over.
///
/// The manager holds the adapter's socket, the memory and, for an adapter of the kernel, the socket
/// to the helper that gives the adapter back. The helper therefore stays as long as a keeper may
/// take over, and gives the adapter back when the manager closes the socket.
package final class KeeperHandover {
  private static let adapter = "adapter"
  private static let memory = "memory"
  private static let helper = "helper"
  package static let listener = "listener"

  private let manager: ServiceManager?
  private let opening: () throws(SystemFailure) -> any Transport
  /// The transport that opened the adapter. It is kept so that it does not give the adapter back on
  /// its deinitialisation.
  private var transport: (any Transport)?
  private var kept: KeeperEngine?

  private let toolbox: Toolbox

  package init(
    _ manager: ServiceManager?, toolbox: Toolbox = Toolbox(), opening: @escaping () throws(SystemFailure) -> any Transport
  ) {
    self.manager = manager
    self.toolbox = toolbox
    self.opening = opening
  }

  /// Takes over from a killed keeper with its links. `nil` if there was none, it was another
  /// program, or its adapter is gone and cannot be waited for; then everything of it is released.
  package func takeOver(
    _ inherited: InheritedDescriptors, fingerprint: UInt64, seed: UInt64, at now: Instant
  ) -> KeeperEngine? {
    if let engine = successor(inherited, fingerprint, seed, now) {
      kept = engine
      return engine
    }
    forget()
    // The adapter must be given back before it is taken again, so that its original state is known.
    if let kernel = transport {
      kernel.close()
      transport = nil
    } else if let descriptor = inherited[Self.helper] {
      AdapterGuard(adopting: descriptor)?.release()
    }
    return nil
  }

  private func successor(
    _ inherited: InheritedDescriptors, _ fingerprint: UInt64, _ seed: UInt64, _ now: Instant
  ) -> KeeperEngine? {
    let shared = inherited[Self.memory].flatMap { try? SharedMemory(duplicating: $0) }
    let socket = inherited[Self.adapter].flatMap { AdapterSocket(duplicating: $0) }
    // An open descriptor would keep the adapter from being reopened.
    for name in [Self.adapter, Self.memory] { if let descriptor = inherited[name] { CurrentProcess.closeDescriptor(descriptor) } }
    guard let shared else { return nil }
    let line: any AdapterLine
    if let socket {
      line = socket
    } else if inherited[Self.adapter] == nil, inherited[Self.helper] != nil {
      // The manager closes a socket whose adapter was unplugged.
      line = ClosedAdapterLine("it was unplugged while no keeper was running")
    } else {
      return nil
    }
    return KeeperEngine(
      line: line, memory: KeeperMemory(shared, fingerprint: fingerprint), process: CurrentProcess.number, seed: seed, at: now,
      opening: reopen, findTransport: { self.transport }, adapterState: adapterState,
      inheriting: { self.inherit($0, inherited[Self.helper]) }, toolbox: toolbox)
  }

  /// For an adapter of the kernel, takes over the helper of the earlier process, or starts a new
  /// one with the adapter's original state.
  private func inherit(_ state: [UInt8], _ helper: Int32?) -> Bool {
    if state.isEmpty { return true }
    var reader = state.span.bytes
    guard let claim = try? AdapterClaim(reading: &reader), let kernel = try? KernelTransport(inheriting: claim, helper: helper)
    else { return false }
    transport = kernel
    if kernel.hasNewHelper {
      manager?.remove(Self.helper)
      manager?.store(kernel.helperDescriptor, name: Self.helper)
    }
    return true
  }

  /// Starts a new keeper, which a successor can take over if there is a service manager.
  package func begin(_ keeper: Keeper, _ transport: any Transport, fingerprint: UInt64) -> KeeperEngine {
    self.transport = transport
    guard let manager, let descriptor = transport.interest?.descriptor, let line = AdapterSocket(duplicating: descriptor),
      let shared = try? SharedMemory(name: "tooth-keeper", size: KeeperMemory.size)
    else { return KeeperEngine(keeper: keeper, transport: transport, toolbox: toolbox) }
    manager.store(shared.descriptor, name: Self.memory, isPolled: false)
    manager.store(line.descriptor, name: Self.adapter)
    if let kernel = transport as? KernelTransport { manager.store(kernel.helperDescriptor, name: Self.helper) }
    let engine = KeeperEngine(
      keeper: keeper, line: line, memory: KeeperMemory(shared, fingerprint: fingerprint), opening: reopen,
      findTransport: { self.transport }, adapterState: adapterState, toolbox: toolbox)
    kept = engine
    return engine
  }

  private func adapterState() -> [UInt8]? {
    guard let kernel = transport as? KernelTransport else { return nil }
    var writer = ByteWriter()
    kernel.claim.write(to: &writer)
    return writer.bytes
  }

  private func reopen() throws(SystemFailure) -> any AdapterLine {
    manager?.remove(Self.adapter)
    // The adapter cannot be taken again while the manager holds its socket.
    manager?.barrier()
    if let kernel = transport as? KernelTransport {
      try kernel.reopen(at: SystemClock.now())
    } else {
      transport = nil
      transport = try opening()
    }
    guard let descriptor = transport?.interest?.descriptor, let line = AdapterSocket(duplicating: descriptor) else {
      throw SystemFailure("opening the adapter again")
    }
    manager?.store(line.descriptor, name: Self.adapter)
    return line
  }

  /// Ends the handover: no successor may take over, and the adapter is given back in its original
  /// state.
  package func close() {
    kept?.close()
    kept = nil
    forget()
    if transport?.isKernels ?? false { manager?.barrier() }
    transport?.close()
    transport = nil
  }

  private func forget() { for name in [Self.adapter, Self.memory, Self.helper] { manager?.remove(name) } }
}
