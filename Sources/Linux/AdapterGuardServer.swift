import CBluez
import Glibc
import Vocabulary

/// The helper's side of `AdapterGuard`.
struct AdapterGuardServer {
  /// The first octet of the answer to an adopted claim. Other answers start with 0 or 1.
  static let adopted: UInt8 = 2

  let socket: Int32
  private var management: ManagementSocket?
  /// The current claim, with the adapter's original state.
  private var claim: AdapterClaim?
  private var awaited: AdapterName?
  /// The adapters that `any` excludes.
  private var others: [AdapterName] = []
  /// The most exceptions in a message.
  static let exceptions = 32

  init(socket: Int32) { self.socket = socket }

  /// Serves until the other side is gone.
  mutating func run() {
    while true {
      var interests = [Poll.Interest(socket)]
      if awaited != nil, let management { interests.append(Poll.Interest(management.descriptor)) }
      let deadline = awaited == nil ? nil : SystemClock.now().moment + .milliseconds(500)
      let ready = Poll.wait(for: interests, until: deadline)
      if ready[0].reads {
        let goesOn = listen()
        // Only now, because root may see which process holds an adapter.
        _ = cbluez_drop_capabilities(1)
        guard goesOn else { break }
        continue
      }
      _ = management?.takeEvents()
      if let awaited { takeAwaited(awaited) }
    }
    if let claim, let management { claim.giveBack(management) }
  }

  private mutating func listen() -> Bool {
    var block = [UInt8](repeating: 0, count: 512)
    let count = recv(socket, &block, block.count, 0)
    if count < 0, errno == EINTR { return true }
    guard count > 0 else { return false }
    var reader = block.span.bytes.extracting(first: count)
    guard let order = try? reader.readUInt8() else { return false }
    switch order {
    case 1, 2:
      guard let cutting = try? reader.readUInt8(), let name = try? AdapterName(reading: &reader),
        let count = try? reader.readUInt8()
      else { return false }
      others = []
      for _ in 0..<count {
        guard let other = try? AdapterName(reading: &reader) else { return false }
        others.append(other)
      }
      awaited = nil
      if order == 2 {
        awaited = name
        takeAwaited(name)
        return true
      }
      do throws(AdapterFault) {
        return answer(try take(name, cutting: cutting == 1))
      } catch {
        return answer(error)
      }
    case 4:
      guard let earlier = try? AdapterClaim(reading: &reader) else { return false }
      awaited = nil
      if claim == nil {
        claim = earlier
        claim?.lock = AdapterLock(earlier.index)
      }
      if management == nil { management = try? ManagementSocket() }
      return cbluez_send_descriptor(socket, [Self.adopted], 1, -1) == 1
    case 3:
      // The end: closing the socket is the answer.
      return false
    default: return false
    }
  }

  private mutating func take(_ name: AdapterName, cutting: Bool) throws(AdapterFault) -> AdapterClaim {
    let channel: ManagementSocket
    if let management {
      channel = management
    } else {
      do throws(SystemFailure) { channel = try ManagementSocket() } catch { throw AdapterFault(opening: error) }
      management = channel
    }
    _ = channel.takeEvents()
    var taken = try AdapterClaim.take(name, except: others, cutting: cutting, holding: claim?.lock, channel)
    if let claim {
      // After an unplugging, the state before it is the original one. If another adapter replaces
      // it, give this one back if it still exists.
      if claim.address == taken.address {
        taken.wasPowered = claim.wasPowered
      } else if (try? AdapterSummary.all(channel))?.contains(where: { $0.address == claim.address }) == true {
        claim.giveBack(channel)
      }
    }
    claim = taken
    return taken
  }

  private mutating func takeAwaited(_ name: AdapterName) {
    do throws(AdapterFault) {
      let taken = try take(name, cutting: false)
      awaited = nil
      _ = answer(taken)
    } catch {
      // Another adapter may get its number.
      claim?.lock = nil
      guard !error.isPassing else { return }
      awaited = nil
      _ = answer(error)
    }
  }

  private func answer(_ claim: AdapterClaim) -> Bool {
    var writer = ByteWriter()
    writer.put(1 as UInt8)
    writer.put(claim.index)
    writer.put(claim.wasPowered)
    writer.put(all: claim.address)
    let sent = cbluez_send_descriptor(socket, writer.bytes, writer.bytes.count, claim.descriptor)
    // The other side has its own descriptor. An open one here would keep the adapter from being
    // given back.
    close(claim.descriptor)
    return sent == writer.bytes.count
  }

  private func answer(_ fault: AdapterFault) -> Bool {
    var writer = ByteWriter()
    writer.put(0 as UInt8)
    fault.write(to: &writer)
    return cbluez_send_descriptor(socket, writer.bytes, writer.bytes.count, -1) == writer.bytes.count
  }
}
