package import Adapters
package import Keeper
package import Linux
package import Vocabulary

/// A keeper's process with its service manager: what it leaves there, and how the next one takes it
/// up.
///
/// The manager holds the adapter's socket, the memory, and of one of the kernel's adapters the end
/// of the socket to the helper that gives it back: so the helper stays as long as anybody may take
/// the adapter up, and gives it back when the manager lets go.
package final class KeeperHandover {
  private static let adapter = "adapter"
  private static let memory = "memory"
  private static let helper = "helper"
  package static let listener = "listener"

  private let manager: ServiceManager?
  private let opening: () throws(SystemFailure) -> any Transport
  /// The way by which the adapter was opened: what it does when it goes, as giving the adapter
  /// back, it is not to do as long as we are here.
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

  /// The keeper before this one as it was killed, with its links; nothing when there was none, or
  /// it was another program, or its adapter is gone and cannot be waited for. Then nothing is left
  /// of it.
  package func takeOver(
    _ inherited: InheritedDescriptors, fingerprint: UInt64, seed: UInt64, at now: Instant
  ) -> KeeperEngine? {
    if let engine = successor(inherited, fingerprint, seed, now) {
      kept = engine
      return engine
    }
    forget()
    // An adapter is given back before it is taken again: so it is known how it was.
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
    // One that is left open would keep the adapter from being opened anew.
    for name in [Self.adapter, Self.memory] { if let descriptor = inherited[name] { OwnProcess.closeDescriptor(descriptor) } }
    guard let shared else { return nil }
    let line: any AdapterLine
    if let socket {
      line = socket
    } else if inherited[Self.adapter] == nil, inherited[Self.helper] != nil {
      // The manager lets go of a socket whose adapter was unplugged.
      line = GoneLine("it was unplugged while no keeper was running")
    } else {
      return nil
    }
    return KeeperEngine(
      line: line, memory: KeeperMemory(shared, fingerprint: fingerprint), process: OwnProcess.number, seed: seed, at: now,
      opening: reopen, lookout: { self.transport }, belongings: belongings,
      inheriting: { self.inherit($0, inherited[Self.helper]) }, toolbox: toolbox)
  }

  /// Of one of the kernel's adapters: the helper of the process before this one, or a new one that
  /// is told how the adapter was found.
  private func inherit(_ belongings: [UInt8], _ helper: Int32?) -> Bool {
    if belongings.isEmpty { return true }
    var reader = belongings.span.bytes
    guard let claim = try? AdapterClaim(reading: &reader), let kernel = try? KernelTransport(inheriting: claim, helper: helper)
    else { return false }
    transport = kernel
    if kernel.hasNewHelper {
      manager?.remove(Self.helper)
      manager?.store(kernel.helperDescriptor, name: Self.helper)
    }
    return true
  }

  /// A new keeper. With a service manager it can be taken over.
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
      lookout: { self.transport }, belongings: belongings, toolbox: toolbox)
    kept = engine
    return engine
  }

  private func belongings() -> [UInt8]? {
    guard let kernel = transport as? KernelTransport else { return nil }
    var writer = ByteWriter()
    kernel.claim.write(to: &writer)
    return writer.bytes
  }

  private func reopen() throws(SystemFailure) -> any AdapterLine {
    manager?.remove(Self.adapter)
    // Held by the manager it cannot be taken again.
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

  /// The end: nobody is to take the adapter up, and it is given back as it was found.
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
