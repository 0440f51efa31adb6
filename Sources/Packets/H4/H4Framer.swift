package import Vocabulary

/// Cuts what arrives into H4 packets, and survives what a line does to octets.
///
/// Out of step it throws everything away up to the answer to the next HCI Reset (Vol 4, Part A, 4),
/// which whoever reads the fault has to send; half a packet whose rest does not come is given up.
package struct H4Framer: Hashable, Sendable {
  package enum Item: Hashable, Sendable {
    /// A whole packet, its type octet first.
    case packet([UInt8])
    case fault(H4Fault)
  }

  /// A packet whose next octet does not come within this is given up. At 9600 baud an octet takes a
  /// millisecond.
  package static let patience = TimeSpan.seconds(1)

  private var reader: H4Reader
  private var isOutOfStep: Bool
  /// What `reader.discarded` was when that began.
  private var discardedBefore = 0
  /// When the first octet came that has been thrown away since; nothing when none has, or when that
  /// was told.
  private var strayedAt: Moment?
  private var lastOctet: Moment?

  /// - Parameter isOutOfStep: somebody may have been talking for long: nothing counts before the
  ///   answer to Reset.
  package init(isFromController: Bool, isOutOfStep: Bool = false) {
    reader = H4Reader(isFromController: isFromController)
    self.isOutOfStep = isOutOfStep
  }

  /// Octets that wait for the rest of their packet.
  package var pending: Int { reader.pending }

  package mutating func push(_ bytes: ArraySlice<UInt8>, at now: Moment?) {
    if isOutOfStep, reader.discarded == discardedBefore { strayedAt = now }
    lastOctet = now
    reader.push(bytes)
  }

  /// What has come, in order; nothing when more has to come first.
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
      // the first octet that begins no packet is not looked at again
      let bytes: [UInt8] =
        switch error {
        case .unknownType(let octet): [octet]
        case .implausible(let bytes), .malformed(let bytes, _): bytes
        }
      distrust()
      return .fault(.outOfStep(bytes))
    }
  }

  /// Up to the answer to the next Reset, nothing that comes counts.
  package mutating func distrust() {
    isOutOfStep = true
    discardedBefore = reader.discarded
    strayedAt = lastOctet
  }

  /// When half a packet is given up.
  package var halfPacketDue: Moment? {
    guard !isOutOfStep, reader.pending > 0, let lastOctet else { return nil }
    return lastOctet + Self.patience
  }

  /// When a controller that has not answered Reset is told of.
  package var answerDue: Moment? { isOutOfStep ? strayedAt.map { $0 + Self.patience } : nil }

  /// Gives up what `halfPacketDue` or `answerDue` waited for.
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
