import Exchange
import Vocabulary

/// The space in an advertisement and its scan response, 31 octets each (Vol 6, Part B, 2.3.1),
/// filled in the same order as the host fills it.
struct AdvertisingRoom {
  private var advertisement = 31
  private var response = 31
  /// Fields that do not fit, as text with their sizes.
  private(set) var leftOut: [String] = []
  private(set) var placed: [String] = []

  /// - Parameter octets: size including the length and type octets.
  mutating func place(_ octets: Int, _ what: String) {
    if octets <= advertisement {
      advertisement -= octets
    } else if octets <= response {
      response -= octets
    } else {
      leftOut.append("\(what) (\(octets) bytes)")
      return
    }
    placed.append("\(what) \(octets)")
  }

  /// UUIDs of one width share a structure if it fits as a whole.
  mutating func place(uuids: [(width: Int, text: String)], _ what: String) {
    for width in [2, 4, 16] {
      let group = uuids.filter { $0.width == width }
      if group.isEmpty { continue }
      let whole = 2 + width * group.count
      if max(advertisement, response) >= whole {
        place(whole, group.map { "\(what) \($0.text)" }.joined(separator: ", "))
      } else {
        for uuid in group { place(2 + width, "\(what) \(uuid.text)") }
      }
    }
  }

  /// How much of the name is sent, if it is shortened.
  private(set) var shortened: Int?

  /// A name that does not fit is shortened, but never to zero octets.
  mutating func place(name octets: Int) {
    let room = max(advertisement, response)
    if octets + 2 <= room {
      place(octets + 2, "name")
    } else if room < 3 {
      leftOut.append("name (\(octets + 2) bytes)")
    } else {
      shortened = room - 2
      place(room, "name")
    }
  }

  var octetsLeft: (advertisement: Int, response: Int) { (advertisement, response) }
}

extension UUID {
  /// Size of the UUID in an advertisement, in octets.
  var advertisedWidth: Int {
    if short != nil { return 2 }
    return low == UUID.baseLow && high & 0xFFFF_FFFF == UUID.baseHigh ? 4 : 16
  }
}

extension Checker {
  /// Reports data that is known before the run and does not fit into the advertisement.
  mutating func advertisingRoom(_ advertise: AdvertiseStatement, _ place: Place) {
    var room = AdvertisingRoom()
    room.place(3, "flags")
    room.place(uuids: advertise.targets.compactMap { advertisedUUID($0) }.map { ($0.uuid.advertisedWidth, $0.text) }, "service")
    var entries: [(key: String, value: ExpressionKind)] = []
    if case .record(let list)? = advertise.with?.kind {
      entries = list.map { ($0.key.text, meant($0.value, place)) }
    }
    func fields(_ wanted: String) -> [ExpressionKind] { entries.filter { $0.key == wanted }.map(\.value) }
    func member(_ kind: ExpressionKind, _ name: String) -> ExpressionKind? {
      guard case .record(let list) = kind, let found = list.first(where: { $0.key.text == name }) else { return nil }
      return meant(found.value, place)
    }
    for field in fields("manufacturer") {
      if case .bytes(let data)? = member(field, "data") { room.place(4 + data.count, "manufacturer data") }
    }
    for field in fields("service_data") {
      var width = 2
      if case .uuid(let uuid)? = member(field, "service") { width = uuid.advertisedWidth }
      if case .bytes(let data)? = member(field, "data") { room.place(2 + width + data.count, "service data") }
    }
    for field in fields("solicit") {
      guard case .list(let list) = field else { continue }
      room.place(
        uuids: list.map { element in
          if case .uuid(let uuid) = meant(element, place) { (uuid.advertisedWidth, uuid.description) } else { (2, "") }
        }, "solicited service")
    }
    if !fields("appearance").isEmpty { room.place(4, "appearance") }
    if !fields("tx_power").isEmpty { room.place(3, "tx_power") }
    var name: String? = place.peripheral.flatMap { $0.displayName?.plain ?? $0.name.text }
    var nameRange = place.peripheral.map { $0.displayName?.range ?? $0.name.range }
    if case .record(let list)? = advertise.with?.kind, let entry = list.last(where: { $0.key.text == "name" }) {
      nameRange = entry.value.range
      if case .string(let string) = meant(entry.value, place) { name = string.plain } else { name = nil }
    }
    if let name { room.place(name: name.utf8.count) }
    if let name, let room = room.shortened {
      var part = name
      while part.utf8.count > room { part.removeLast() }
      report(
        Diagnostic(
          "T258", "the advertised name is shortened", at: nameRange ?? .none,
          "it has \(name.utf8.count) bytes, but only \(room) fit: \"\(part)\"", severity: .warning,
          notes: ["a scan for the full name will not find it; `device_name` of generic_access still holds the full name"]))
    }
    guard !room.leftOut.isEmpty else { return }
    let range = advertise.targets.first.map { first in
      SourceRange(
        file: first.range.file, start: first.range.start,
        end: (advertise.with?.range ?? advertise.targets.last?.range ?? first.range).end)
    }
    report(
      Diagnostic(
        "T257", "not enough room to advertise \(room.leftOut.list(by: " and "))", at: range ?? .none,
        "an advertisement and its scan response hold 31 bytes each",
        notes: ["including two bytes of length and type each: \(room.placed.joined(separator: ", "))"]))
  }

  private func meant(_ value: Expression, _ place: Place) -> ExpressionKind {
    if case .name(let name) = value.kind { return (peripheralValue(name, place) ?? facts.value(name))?.kind ?? value.kind }
    return value.kind
  }

  private func advertisedUUID(_ target: TargetSyntax) -> (uuid: UUID, text: String)? {
    switch target.kind {
    case .uuid(let uuid): return (uuid, text(target.range))
    case .name(let name):
      if let constant = facts.value(name) { return Facts.uuid(constant).map { ($0, name) } }
      return AssignedNumbers.service(named: name).map { ($0, name) }
    case .address, .string: return nil
    }
  }
}
