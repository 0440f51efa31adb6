package import Linux
package import Vocabulary

/// One of the kernel's adapters, through its user channel. A helper process takes it and gives it
/// back; this one has given up its privileges.
///
/// When it is unplugged the helper looks out for it, by its address, for its number may be another
/// one afterwards.
package final class KernelTransport: Transport {
  private let helper: AdapterGuard
  private var socket: HCISocket?
  /// How it is found again.
  private var name: AdapterName
  /// Nobody has named it: where it is not there any more, any other one is as good.
  private let isAny: Bool
  /// Those that have never worked: where nobody has named one, they are as good as none.
  private var useless: [AdapterName] = []
  /// What was taken last, and how it was found.
  package private(set) var claim: AdapterClaim
  /// `hci0`, as it is called now.
  package private(set) var label: String
  /// The helper looks out for it.
  private var isAwaited = false
  /// It has come back, and nobody has opened it yet.
  private var returned: AdapterClaim?
  private var isOpen = true

  package init(_ name: AdapterName, cutting: Bool) throws(AdapterFault) {
    do throws(SystemFailure) { helper = try AdapterGuard() } catch { throw .system(error) }
    claim = try helper.take(name, cutting: cutting)
    socket = HCISocket(adopting: claim.descriptor)
    label = claim.name
    isAny = name == .any
    self.name = claim.address.map { .address($0.bits) } ?? .index(claim.index)
    do throws(SystemFailure) { try Privileges.drop() } catch { throw .system(error) }
  }

  /// What a process before this one has taken and left with its links: its socket is used by
  /// somebody else here. With the helper of that process, if it is still there, else with a new
  /// one.
  package init(inheriting earlier: AdapterClaim, helper inherited: Int32?) throws(AdapterFault) {
    var living = inherited.flatMap { AdapterGuard(adopting: $0) }
    if let helper = living, (try? helper.adopt(earlier)) == nil { living = nil }
    hasNewHelper = living == nil
    if let living {
      helper = living
    } else {
      do throws(SystemFailure) { helper = try AdapterGuard() } catch { throw .system(error) }
      try helper.adopt(earlier)
    }
    claim = earlier
    isAny = false
    label = earlier.name
    name = earlier.address.map { .address($0.bits) } ?? .index(earlier.index)
    do throws(SystemFailure) { try Privileges.drop() } catch { throw .system(error) }
  }

  /// The helper of the process before this one was gone.
  package private(set) var hasNewHelper = false

  /// The socket to the helper.
  package var helperDescriptor: Int32 { helper.descriptor }

  package func send(_ packet: [UInt8], at now: Instant) { socket?.send(packet) }

  package func receive(at now: Instant) -> [[UInt8]] {
    if let socket { return socket.receive() }
    listen()
    return []
  }

  package func takeFaults() -> [H4Stream.Fault] {
    guard let count = socket?.takeDropped(), count > 0 else { return [] }
    return [.packetsDropped(count)]
  }

  package func flush() { socket?.flush() }
  package var nextMoment: Moment? { nil }
  package var isKernels: Bool { true }
  package var mayBeAnother: Bool { isAny }

  package var interest: Poll.Interest? {
    if let socket { return Poll.Interest(socket.descriptor, writes: socket.wantsToWrite) }
    return isAwaited ? Poll.Interest(helper.descriptor) : nil
  }

  package var ending: String? {
    // While it is looked out for, the loop watches the helper.
    guard let socket else { return isAwaited || returned != nil ? nil : "\(label) is closed" }
    return switch socket.ending {
    case nil: nil
    case .gone: "\(label) was unplugged"
    case .broken(let failure): "\(label): \(failure.reason)"
    }
  }

  package var isBack: Bool { returned != nil }

  /// Whether the helper has found it.
  private func listen() {
    guard isAwaited, Poll.wait(for: [Poll.Interest(helper.descriptor)], until: Moment(nanoseconds: 0))[0].reads else { return }
    isAwaited = false
    // What keeps it from being taken is told when it is opened.
    returned = try? helper.receive()
  }

  package func reopen(at now: Instant) throws(SystemFailure) {
    socket = nil
    listen()
    if isAwaited { throw SystemFailure("waiting for \(label)", code: SystemFailure.noDevice) }
    do throws(AdapterFault) {
      let found: AdapterClaim
      if let returned { found = returned } else { found = try take() }
      returned = nil
      adopt(found)
    } catch {
      if error.isPassing, (try? helper.await(isAny ? .any : name, except: useless)) != nil { isAwaited = true }
      throw SystemFailure(error.message, code: SystemFailure.noDevice)
    }
  }

  /// The same one again, or where nobody has named it and it cannot be had, the next that can.
  private func take() throws(AdapterFault) -> AdapterClaim {
    do throws(AdapterFault) { return try helper.take(name, cutting: false) } catch {
      guard isAny else { throw error }
      do throws(AdapterFault) { return try helper.take(.any, except: useless, cutting: false) } catch let other {
        // Of the one that was at work it is worth knowing more.
        throw other.isPassing || !error.isPassing ? error : other
      }
    }
  }

  package func takeAnother(at now: Instant) throws(SystemFailure) -> String {
    guard isAny else { throw SystemFailure("taking another adapter than \(label)", code: SystemFailure.noDevice) }
    socket = nil
    useless.append(name)
    do throws(AdapterFault) { adopt(try helper.take(.any, except: useless, cutting: false)) } catch {
      throw SystemFailure(error.message, code: SystemFailure.noDevice)
    }
    return label
  }

  private func adopt(_ taken: AdapterClaim) {
    claim = taken
    socket = HCISocket(adopting: taken.descriptor)
    label = taken.name
    name = taken.address.map { .address($0.bits) } ?? .index(taken.index)
  }

  package func close() {
    guard isOpen else { return }
    isOpen = false
    socket = nil
    if let returned { _ = HCISocket(adopting: returned.descriptor) }
    returned = nil
    helper.release()
  }
}
