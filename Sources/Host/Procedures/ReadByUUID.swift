import Exchange
import Packets
import Vocabulary

/// Read Using Characteristic UUID over the whole table (Vol 3, Part G, 4.8.2).
///
/// A response ends before the first value of another length, an unreadable value or the end of the
/// PDU (Vol 3, Part F, 3.4.4.2). It does not show whether there are more. For a name with a home
/// service one request is enough; without one every candidate counts, so the requests continue to
/// the end of the table.
struct ReadByUUID: Procedure {
  let uuid: UUID
  /// Whether all candidates must be found.
  let isExhaustive: Bool
  let doing: String
  private(set) var found: [HandleValue] = []
  /// The start of the next request; `nil` after the last handle.
  private var next: AttributeHandle? = .first

  /// Enough for a list of candidates.
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

  /// Takes a response. It terminates, because each one advances the start or is the last.
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
      // An unreadable value is a candidate too.
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
