import Exchange
import Vocabulary

/// A GATT operation of a statement.
struct OperationWait: Equatable, Sendable {
  var device: Int
  var request: GattRequest
  var limit: Limit?
  var policy: Policy
  /// The number of the host command; `nil` while it waits for the device.
  var sent: OperationID?
  /// Whether the attribute of a write that must not repeat is still being found, which is harmless.
  var isLocating = false
  /// `when unsure verify`: whether the deciding read is in progress.
  var isVerifying = false
  /// Whether the bytes hold a secret. They are not saved, so the statement repeats after a kill.
  var isSecret = false
  /// Set if it was sent on a link that has ended.
  var lost: Failure.Delivery?
  /// The state of `write … in pieces`; `request` has the current piece.
  var pieces: Pieces?

  /// The host's failure when it gave up on the answer; the end of the link will be reported, too.
  var givenUp: Failure?  // unsaved: a kill ends the link as well
  /// Set if its time ran out while in progress. It is withdrawn, and the host reports whether it
  /// was sent.
  var cut: Cut?  // unsaved: the time limit of a resumed run starts again

  /// The limit that has expired.
  enum Cut: Equatable, Sendable {
    case statement
    /// The `within` of an enclosing `try`, by its frame and its index there.
    case attempt(frame: Int, place: Int)
  }

  /// Whether an operation that must not silently repeat is in progress.
  var mayHaveLeft: Bool { sent != nil && !isLocating }

  /// The command sent to the host.
  var command: GattRequest {
    if isLocating, let path = unrepeatablePath { return .locate(path) }
    let plain: GattRequest = if isVerifying, case .write(let path, _) = request { .read(path) } else { request }
    return isSecret ? .hidden(plain) : plain
  }

  /// The attribute of a write whose policy depends on whether it was sent; `nil` if the write may
  /// repeat.
  var unrepeatablePath: AttributePath? {
    guard policy == .fail || policy == .skip else { return nil }
    switch request {
    case .write(let path, _), .writeWithoutResponse(let path, _): return path
    default: return nil
    }
  }

  /// What to do if the outcome is unknown.
  enum Policy: UInt8, Sendable {
    /// Reads and subscriptions are repeated.
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
