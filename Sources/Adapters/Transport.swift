package import Linux
package import Vocabulary

/// A way to a controller. Packets pass in both directions, each with its H4 type octet first.
package protocol Transport: AnyObject {
  func send(_ packet: [UInt8], at now: Instant)
  /// Returns the packets that have arrived.
  func receive(at now: Instant) -> [[UInt8]]
  /// Returns each fault in the incoming octets once. The packets that `receive` returned earlier
  /// arrived before the faults.
  func takeFaults() -> [H4Stream.Fault]
  /// When something happens that no descriptor signals.
  var nextMoment: Moment? { get }
  /// The descriptor for the loop to watch.
  var interest: Poll.Interest? { get }
  /// Whether the controller can stop answering.
  var canHang: Bool { get }
  /// Whether the controller belongs to the kernel.
  var isKernels: Bool { get }
  /// Why no more packets will arrive; `nil` while the way is open.
  var ending: String? { get }
  /// Writes pending packets to the socket.
  func flush()
  /// Closes the way and opens it again. Pending packets are dropped.
  func reopen(at now: Instant) throws(SystemFailure)
  /// Whether the user named no controller, so that another may replace it.
  var mayBeAnother: Bool { get }
  /// Opens another controller in place of this one, which has never worked, and returns its name.
  func takeAnother(at now: Instant) throws(SystemFailure) -> String
  /// Whether a controller that was gone can be opened again.
  var isBack: Bool { get }
  /// Closes the way for the last time and gives the controller back in its original state.
  func close()
}

extension Transport {
  package var canHang: Bool { true }
  package var isKernels: Bool { false }
  // A way inside the process loses nothing and is always open.
  package func takeFaults() -> [H4Stream.Fault] { [] }
  package func reopen(at now: Instant) throws(SystemFailure) {}
  package var mayBeAnother: Bool { false }
  package func takeAnother(at now: Instant) throws(SystemFailure) -> String {
    throw SystemFailure("taking another adapter", code: SystemFailure.noDevice)
  }
  package var isBack: Bool { false }
  package func close() {}
}

extension H4Stream.Fault {
  /// One sentence for the log, or for the reason of a failure.
  package var text: String {
    switch self {
    case .outOfStep(let bytes): "no packet begins with \(Hex.text(bytes))"
    case .packetsDropped(let count): "the kernel had to drop \(count) packet\(count == 1 ? "" : "s")"
    case .noAnswer(let count):
      "\(count) octet\(count == 1 ? "" : "s") came from the controller, but the answer to Reset is not among them"
    case .backInStep(let dropped):
      "host and controller are in sync again; \(dropped) octet\(dropped == 1 ? " was" : "s were") discarded"
    case .halfPacket(let count, let whole):
      "\(count) octet\(count == 1 ? "" : "s")\(whole.map { " of a packet of \($0)" } ?? " of a packet") came from the controller, and no more followed within \(H4Stream.patience): dropped"
    }
  }
}
