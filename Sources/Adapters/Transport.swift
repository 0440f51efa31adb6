package import Linux
package import Vocabulary

/// The way to a controller: packets in both directions, H4 type octet first.
package protocol Transport: AnyObject {
  func send(_ packet: [UInt8], at now: Instant)
  /// What has arrived up to now.
  func receive(at now: Instant) -> [[UInt8]]
  /// What was wrong with the octets that came, each told once. What `receive` gave before this came
  /// before it.
  func takeFaults() -> [H4Stream.Fault]
  /// When something happens by itself, without a descriptor that tells.
  var nextMoment: Moment? { get }
  /// What the loop has to watch.
  var interest: Poll.Interest? { get }
  /// Whether the controller at its end can fall silent.
  var canHang: Bool { get }
  /// Whether the controller is one of the kernel's.
  var isKernels: Bool { get }
  /// Why nothing comes any more.
  var ending: String? { get }
  /// Gives the socket what waits.
  func flush()
  /// Closes the way and opens it anew; what waits in it is thrown away.
  func reopen(at now: Instant) throws(SystemFailure)
  /// Whether nobody has named the controller.
  var mayBeAnother: Bool { get }
  /// Opens the way to another controller in place of this one, which has never worked, and says
  /// which.
  func takeAnother(at now: Instant) throws(SystemFailure) -> String
  /// What was gone can be opened again.
  var isBack: Bool { get }
  /// The end: what was taken is given back as it was found.
  func close()
}

extension Transport {
  package var canHang: Bool { true }
  package var isKernels: Bool { false }
  // A way inside the process loses nothing, and is always open.
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
  /// For the log, or as the reason of what follows from it.
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
