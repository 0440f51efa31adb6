import Exchange
import Recipe
import Vocabulary

/// `write … in pieces`: consecutive operations, each with its own intent.
extension Machine {
  /// Stores a value that is written in pieces.
  mutating func pieces(
    _ site: PieceSite, _ bytes: [UInt8], _ write: WriteSite, isSecret: Bool, _ fiber: inout Fiber, _ base: Int
  ) throws(Failure) -> OperationWait.Pieces {
    var size: Int?
    if case .of(let operand) = site {
      let value = read(operand.raw, fiber, base)
      guard let number = value.whole, (1...0xFFFF).contains(number) else {
        throw .value("a piece has 1 to 65535 bytes, not \(TextRendering.brief(value))")
      }
      size = Int(number)
    }
    self.pieces.set(bytes, of: fiber.id, isSecret: isSecret)
    // Clear a temporary, so that the value is not stored twice.
    let slot = write.value.index
    let keys = program.units[fiber.frames[fiber.frames.count - 1].unit].localKeys
    if write.value.isLocal, keys.indices.contains(slot), keys[slot] == .temporary { fiber.slots[base + slot] = .nothing }
    return OperationWait.Pieces(offset: 0, total: bytes.count, size: size, renewsLimit: write.within == .standard)
  }

  /// Cuts the next piece to the current size of the link. A piece that may already have arrived
  /// keeps its size.
  func cutPiece(_ operation: inout OperationWait, of fiber: UInt64) {
    guard operation.lost == nil, let place = operation.pieces, let bytes = pieces.bytes(of: fiber) else { return }
    // An attribute has at most 512 octets, regardless of the MTU.
    let size = place.size ?? min(max(1, Int(devices[link: operation.device].info?.mtu ?? 23) - 3), 512)
    let piece = Array(bytes[min(place.offset, bytes.count)..<min(place.offset + size, bytes.count)])
    switch operation.request {
    case .write(let path, _): operation.request = .write(path, piece)
    case .writeWithoutResponse(let path, _): operation.request = .writeWithoutResponse(path, piece)
    default: break
    }
  }

  /// Handles the end of a write or of one of its pieces.
  mutating func written(_ place: Int, _ given: OperationWait) {
    var operation = given
    guard operation.takeNextPiece(at: now.moment) else { return complete(place) }
    send(&operation, for: fibers[place].id, fibers[place].role)
    fibers[place].wait = .operation(operation)
  }
}

extension OperationWait {
  /// The progress of a write in pieces.
  struct Pieces: Equatable, Sendable {
    /// The offset of the current piece.
    var offset: Int
    var total: Int
    /// The size of a piece; `nil` for the largest that the link allows.
    var size: Int?
    /// Whether each piece has its own limit, because the statement specifies none.
    var renewsLimit: Bool
  }

  /// Moves to the next piece. Returns false if there is none.
  mutating func takeNextPiece(at now: Moment) -> Bool {
    guard var place = pieces else { return false }
    switch request {
    case .write(_, let piece), .writeWithoutResponse(_, let piece): place.offset += piece.count
    default: return false
    }
    guard place.offset < place.total else { return false }
    pieces = place
    if place.renewsLimit, let span = limit?.span { limit = Limit(span: span, due: now + span) }
    sent = nil
    lost = nil
    givenUp = nil
    cut = nil
    isLocating = false
    isVerifying = false
    return true
  }
}

extension OperationWait.Pieces: Durable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    offset = Int(try reader.readUInt32())
    total = Int(try reader.readUInt32())
    let given = Int(try reader.readUInt16())
    size = given == 0 ? nil : given
    renewsLimit = try reader.readBool()
    guard offset <= total else { throw .invalid("place of a piece", UInt64(offset)) }
  }

  func write(to writer: inout ByteWriter) {
    writer.put(UInt32(truncatingIfNeeded: offset))
    writer.put(UInt32(truncatingIfNeeded: total))
    writer.put(UInt16(truncatingIfNeeded: size ?? 0))
    writer.put(renewsLimit)
  }
}
