package import Linux
package import Vocabulary

/// A controller of the kernel, used through its user channel. A helper process takes it and gives
/// it back, because this process has dropped its privileges.
///
/// When the controller is unplugged, the helper waits for its address, because its index may
/// change.
package final class KernelTransport: Transport {
  private let helper: AdapterGuard
  private var socket: HCISocket?
  /// The name by which to find it again.
  private var name: AdapterName
  /// Whether the user named no adapter, so that any other may replace it.
  private let isAny: Bool
  /// Adapters that have never worked and are skipped if the user named none.
  private var useless: [AdapterName] = []
  /// The controller that was taken last, and its state at that time.
  package private(set) var claim: AdapterClaim
  /// Its current name, such as `hci0`.
  package private(set) var label: String
  /// Whether the helper is waiting for it to come back.
  private var isAwaited = false
  /// The claim of a controller that came back and is not open yet.
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

  /// Takes over a controller from an earlier process, with its links. Another part of this process
  /// uses its socket. Keeps the helper of that process, or starts a new one if that helper is gone.
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

  /// Whether the helper of the earlier process was gone.
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
    if let socket { return Poll.Interest(socket.descriptor, writes: socket.hasPendingOutput) }
    return isAwaited ? Poll.Interest(helper.descriptor) : nil
  }

  package var ending: String? {
    // While the helper waits for the controller, the loop watches the helper.
    guard let socket else { return isAwaited || returned != nil ? nil : "\(label) is closed" }
    return switch socket.ending {
    case nil: nil
    case .gone: "\(label) was unplugged"
    case .broken(let failure): "\(label): \(failure.reason)"
    }
  }

  package var isBack: Bool { returned != nil }

  /// Checks whether the helper has found the controller.
  private func listen() {
    guard isAwaited, Poll.wait(for: [Poll.Interest(helper.descriptor)], until: Moment(nanoseconds: 0))[0].reads else { return }
    isAwaited = false
    // `reopen` reports an error that keeps it from being taken.
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

  /// Takes the same controller again. If the user named none and it is not available, takes
  /// another.
  private func take() throws(AdapterFault) -> AdapterClaim {
    do throws(AdapterFault) { return try helper.take(name, cutting: false) } catch {
      guard isAny else { throw error }
      do throws(AdapterFault) { return try helper.take(.any, except: useless, cutting: false) } catch let other {
        // The error of the controller that was in use helps the user more.
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
