package import Vocabulary

/// Splits received octets into H4 packets and recovers from transmission errors.
///
/// Out of step, it drops everything up to the answer to the next HCI Reset (Vol 4, Part A, 4),
/// which the reader of the fault must send. It gives up an incomplete packet whose rest does not
/// arrive.
package struct H4Framer: Hashable, Sendable {
  package enum Item: Hashable, Sendable {
    /// A complete packet, its type octet first.
    case packet([UInt8])
    case fault(H4Fault)
  }

  /// The time in which the next octet of a packet must arrive. At 9600 baud an octet takes a
  /// millisecond.
  package static let patience = TimeSpan.seconds(1)

  private var reader: H4Reader
  private var isOutOfStep: Bool
  /// The value of `reader.discarded` when it got out of step.
  private var discardedBefore = 0
  /// When the first dropped octet arrived; `nil` if there is none or it was reported.
  private var strayedAt: Moment?
  private var lastOctet: Moment?

  /// - Parameter isOutOfStep: Whether to drop everything before the answer to Reset, because the
  ///   controller may have been sending for long.
  package init(isFromController: Bool, isOutOfStep: Bool = false) {
    reader = H4Reader(isFromController: isFromController)
    self.isOutOfStep = isOutOfStep
  }

  /// The octets of an incomplete packet.
  package var pending: Int { reader.pending }

  package mutating func push(_ bytes: ArraySlice<UInt8>, at now: Moment?) {
    if isOutOfStep, reader.discarded == discardedBefore { strayedAt = now }
    lastOctet = now
    reader.push(bytes)
  }

  /// Returns the next packet or fault; `nil` if more octets are needed.
  package mutating func next() -> Item? {
    if isOutOfStep {
      guard reader.resync() else { return nil }
      isOutOfStep = false
      strayedAt = nil
      let dropped = reader.discarded &- discardedBefore
      if dropped > 0 { return .fault(.backInStep(dropped: dropped)) }
    }
    do throws(H4Error) {
      return try reader.nextFrame().map { .packet($0) }
    } catch {
      // The first octet starts no packet and is skipped.
      let bytes: [UInt8] =
        switch error {
        case .unknownType(let octet): [octet]
        case .implausible(let bytes), .malformed(let bytes, _): bytes
        }
      distrust()
      return .fault(.outOfStep(bytes))
    }
  }

  /// Drops everything up to the answer to the next Reset.
  package mutating func distrust() {
    isOutOfStep = true
    discardedBefore = reader.discarded
    strayedAt = lastOctet
  }

  /// When an incomplete packet is given up.
  package var halfPacketDue: Moment? {
    guard !isOutOfStep, reader.pending > 0, let lastOctet else { return nil }
    return lastOctet + Self.patience
  }

  /// When a missing answer to Reset is reported.
  package var answerDue: Moment? { isOutOfStep ? strayedAt.map { $0 + Self.patience } : nil }

  /// Gives up waiting, at `halfPacketDue` or `answerDue`.
  package mutating func giveUp() -> H4Fault {
    if isOutOfStep {
      strayedAt = nil
      return .noAnswer(count: reader.discarded &- discardedBefore &+ reader.pending)
    }
    let (count, whole) = reader.dropPending()
    return .halfPacket(count: count, of: whole)
  }
}

extension H4Framer: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self.reader = try reader.next()
    isOutOfStep = try reader.next()
    discardedBefore = try reader.next()
    strayedAt = try reader.next()
    lastOctet = try reader.next()
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(all: reader, isOutOfStep, discardedBefore, strayedAt, lastOctet)
  }
}
