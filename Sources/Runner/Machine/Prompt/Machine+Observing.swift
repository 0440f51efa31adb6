import Exchange
import Recipe
import Vocabulary

/// Events that no handler takes, displayed at a prompt.
extension Machine {
  mutating func observe(_ event: MachineEvent) {
    // An entry that waits for an event displays its result.
    let isAwaited = fibers.contains { if case .event = $0.wait { true } else { false } }
    guard life == .running, !isAwaited, devices.indices.contains(event.device) else { return }
    let device = devices[event.device].text
    switch event.kind {
    case .notified(let reference, let bytes):
      let uuid = reference.descriptor ?? reference.characteristic
      let name = AssignedNumbers.name(ofCharacteristic: uuid) ?? "\(uuid)"
      guard let more = observed.admit("\(event.device) \(name)", at: now.moment) else { return }
      let unit = program.formats.unit(of: uuid).map { " \($0)" } ?? ""
      let value = TextRendering.brief(observedValue(uuid, bytes), limit: 400) + unit
      note(.log, "\(device): \(name) \(value)" + (more == 0 ? "" : " (and \(more) more)"))
    case .disconnected(let reason): if reason != .asked { note(.log, "\(device) lost: \(reason.text)") }
    default: break
    }
  }

  private func observedValue(_ uuid: UUID, _ bytes: [UInt8]) -> Value {
    let known = (try? program.formats.decode(uuid, bytes, zone: environment.timeZone)) ?? .bytes(bytes)
    guard case .bytes = known, let plan = FormatCatalog.plan(forCharacteristic: uuid) else { return known }
    return plan.match(bytes, zone: environment.timeZone) ?? known
  }
}

/// A value of an attribute with what was received.
struct ReceivedValue: Sendable {
  var statement: Int
  var value: Value
  var octets: [UInt8]
  var unit: String?
}

/// Limits the reports of unhandled events: ten per second and attribute; the rest are counted.
struct ObservedEvents: Sendable {
  /// The value that an entry received last. It is not stored: after a kill, it is displayed without
  /// its octets.
  var received: ReceivedValue?
  private var entries: [(key: String, since: Moment, shown: Int, left: Int)] = []
  private static let most = 10
  private static let attributes = 64

  init() {}

  /// The number of events left out before this one; `nil` if this one is left out, too.
  mutating func admit(_ key: String, at now: Moment) -> Int? {
    guard let place = entries.firstIndex(where: { $0.key == key }) else {
      if entries.count == Self.attributes { entries.removeFirst() }
      entries.append((key, now, 1, 0))
      return 0
    }
    if now - entries[place].since >= .seconds(1) {
      let left = entries[place].left
      entries[place] = (key, now, 1, 0)
      return left
    }
    if entries[place].shown < Self.most {
      entries[place].shown += 1
      return 0
    }
    entries[place].left += 1
    return nil
  }
}
