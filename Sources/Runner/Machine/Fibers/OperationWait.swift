import Exchange
import Vocabulary

/// A GATT operation of a statement.
struct OperationWait: Equatable, Sendable {
  var device: Int
  var request: GattRequest
  var limit: Limit?
  var policy: Policy
  /// The number of the command that was handed to the host; nothing while it waits for the device.
  var sent: OperationID?
  /// Before a write that must not be repeated its attribute is found: what is under way is harmless
  /// yet.
  var isLocating = false
  /// `when unsure verify`: the read that decides is under way.
  var isVerifying = false
  /// The bytes hold a secret and are not saved: the statement is done anew after a kill.
  var isSecret = false
  /// It was sent on a link that is gone.
  var lost: Failure.Delivery?
  /// Of `write … in pieces`: `request` has one of them.
  var pieces: Pieces?

  /// What the host said when it gave up on the answer; the end of the link is still to be told.
  var givenUp: Failure?  // unsaved: a kill ends the link as well
  /// Its time was over while it was under way: it is withdrawn, and the host says whether it had
  /// left.
  var cut: Cut?  // unsaved: the time of a resumed run begins anew

  /// Whose time was over.
  enum Cut: Equatable, Sendable {
    case statement
    /// The `within` of a `try` around it, by its frame and its place there.
    case attempt(frame: Int, place: Int)
  }

  /// Something is under way that may not be repeated without asking.
  var mayHaveLeft: Bool { sent != nil && !isLocating }

  /// What is asked of the host under the number that it was sent with.
  var command: GattRequest {
    if isLocating, let path = unrepeatablePath { return .locate(path) }
    let plain: GattRequest = if isVerifying, case .write(let path, _) = request { .read(path) } else { request }
    return isSecret ? .hidden(plain) : plain
  }

  /// The attribute of a write whose policy needs to know whether it has left: not of one that may
  /// be repeated.
  var unrepeatablePath: AttributePath? {
    guard policy == .fail || policy == .skip else { return nil }
    switch request {
    case .write(let path, _), .writeWithoutResponse(let path, _): return path
    default: return nil
    }
  }

  /// What to do when the outcome is not known.
  enum Policy: UInt8, Sendable {
    /// Reads, subscriptions: done again.
    case harmless
    case fail, `repeat`, verify, skip
  }
}

extension OperationWait: Durable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    device = Int(try reader.readUInt32())
    request = try GattRequest(reading: &reader)
    limit = try reader.next(Limit?.self)
    let raw = try reader.readUInt8()
    guard let policy = Policy(rawValue: raw) else { throw .invalid("when unsure", UInt64(raw)) }
    self.policy = policy
    sent = try reader.next(OperationID?.self)
    isLocating = try reader.readBool()
    isVerifying = try reader.readBool()
    isSecret = try reader.readBool()
    let delivery = try reader.readUInt8()
    guard delivery <= 3 else { throw .invalid("delivery", UInt64(delivery)) }
    lost = delivery == 0 ? nil : Failure.Delivery(rawValue: delivery - 1)
    pieces = try reader.next(Pieces?.self)
  }

  func write(to writer: inout ByteWriter) {
    writer.put(UInt32(truncatingIfNeeded: device))
    request.write(to: &writer)
    writer.put(all: limit)
    writer.put(policy.rawValue)
    writer.put(all: sent)
    writer.put(isLocating)
    writer.put(isVerifying)
    writer.put(isSecret)
    writer.put(lost.map { $0.rawValue + 1 } ?? 0)
    writer.put(all: pieces)
  }
}
