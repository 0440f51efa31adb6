import Exchange
import Packets
import Vocabulary

/// Read Using Characteristic UUID over the whole table (Vol 3, Part G, 4.8.2).
///
/// A server's answer ends before the first value of another length, one it may not read, or the end
/// of the PDU (Vol 3, Part F, 3.4.4.2): it does not say that there are no more. A name with a home
/// service is settled by one request; without one every candidate counts, so the requests go on to
/// the end of the table.
struct ReadByUUID: Procedure {
  let uuid: UUID
  /// Whether all candidates must be known.
  let isExhaustive: Bool
  let doing: String
  private(set) var found: [HandleValue] = []
  /// Where the next request starts; nothing behind the last handle.
  private var next: AttributeHandle? = .first

  /// Enough to list; more would only cost time.
  static let mostCandidates = 8

  init(uuid: UUID, isExhaustive: Bool, doing: String) {
    self.uuid = uuid
    self.isExhaustive = isExhaustive
    self.doing = doing
  }

  func start() -> Step<[HandleValue]> { goOn() }

  static func missing(_ doing: String) -> Failure {
    AttributeFailure.missing("\(doing): the device has no such characteristic", code: .attributeNotFound)
  }

  private func goOn() -> Step<[HandleValue]> {
    guard let next, found.count < Self.mostCandidates else { return .done(found) }
    return .send(.readByTypeRequest(HandleRange(next, .last), type: uuid))
  }

  /// Comes to an end: each answer moves the start on, or is the last.
  mutating func receive(_ answer: ATTPDU) -> Step<[HandleValue]> {
    switch answer {
    case .readByTypeResponse(let list):
      for entry in list {
        guard let least = next, entry.handle >= least else {
          return .failed(AttributeFailure.broken("handles that do not ascend"))
        }
        found.append(entry)
        next = entry.handle.next
      }
      return isExhaustive ? goOn() : .done(found)
    case .errorResponse(_, _, .attributeNotFound):
      if !found.isEmpty { return .done(found) }
      return .failed(Self.missing(doing))
    case .errorResponse(_, let handle, let code):
      guard !found.isEmpty else { return .failed(AttributeFailure.refused(code, doing)) }
      // One that cannot be read is a candidate all the same.
      if let least = next, handle >= least { found.append(HandleValue(handle, [])) }
      return .done(found)
    default: return .failed(AttributeFailure.unexpected(answer))
    }
  }
}

extension ReadByUUID: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    uuid = try reader.next()
    isExhaustive = try reader.next()
    doing = try reader.next()
    found = try reader.next()
    next = try reader.next()
  }

  func write(to writer: inout ByteWriter) { writer.put(all: uuid, isExhaustive, doing, found, next) }
}
