package import Linux
package import Vocabulary

/// H4 over a socket or a serial port.
package final class StreamTransport: Transport {
  private let address: H4Address
  private var stream: H4Stream?
  private var refusal: SystemFailure?

  /// A short limit, because a run does nothing else while it connects.
  private static let patience = TimeSpan.seconds(1)

  package init(connectingTo address: H4Address) throws(SystemFailure) {
    self.address = address
    stream = try H4Stream(connectingTo: address)
  }

  package func send(_ packet: [UInt8], at now: Instant) { stream?.send(packet) }
  package func receive(at now: Instant) -> [[UInt8]] { stream?.receive(at: now.moment) ?? [] }
  package func takeFaults() -> [H4Stream.Fault] { stream?.takeFaults() ?? [] }
  package func flush() { stream?.flush() }
  package var nextMoment: Moment? { stream?.nextMoment }
  package var interest: Poll.Interest? { stream.map { Poll.Interest($0.descriptor, writes: $0.hasPendingOutput) } }

  package func reopen(at now: Instant) throws(SystemFailure) {
    // Close the old one first: a serial port can be open only once.
    stream = nil
    do throws(SystemFailure) {
      stream = try H4Stream(connectingTo: address, patience: Self.patience)
      refusal = nil
    } catch {
      refusal = error
      throw error
    }
  }

  package var ending: String? {
    guard let stream else { return refusal.map { "\($0)" } ?? "\(address) is closed" }
    return switch stream.ending {
    case nil: nil
    case .closed: address.isSerial ? "\(address) is gone" : "\(address) closed the connection"
    case .broken(let failure): "\(address): \(failure.reason)"
    case .outOfStep(let octet): "\(address) sent an octet that does not begin a packet: \(Hex.text(octet))"
    }
  }
}
