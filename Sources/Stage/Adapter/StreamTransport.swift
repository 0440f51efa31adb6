package import Linux
package import Vocabulary

/// H4 over a socket.
package final class StreamTransport: Transport {
  private let stream: H4Stream
  private let name: String

  package init(_ stream: H4Stream, name: String) {
    self.stream = stream
    self.name = name
  }

  package func send(_ packet: [UInt8], at now: Instant) { stream.send(packet) }
  package func receive(at now: Instant) -> [[UInt8]] { stream.receive() }
  package func flush() { stream.flush() }
  package var nextMoment: Moment? { nil }
  package var interest: Poll.Interest? { Poll.Interest(stream.descriptor, writes: stream.wantsToWrite) }

  package var ending: String? {
    switch stream.ending {
    case nil: nil
    case .closed: "\(name) closed the connection"
    case .broken(let failure): "\(name): \(failure.reason)"
    case .outOfStep(let octet): "\(name) sent an octet that begins no packet: \(Hex.text(octet))"
    }
  }
}
