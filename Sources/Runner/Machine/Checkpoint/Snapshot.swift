package import Exchange
import Vocabulary

/// The contents of a checkpoint, before a run is restored from it.
package struct Snapshot: Sendable {
  var header = Header()
  /// The variables, and the number of rows that have parts of a list: none in older checkpoints.
  var variables: [(name: String, value: Value, parts: Int)] = []
  var fibers: [Fiber] = []
  var devices: [Device] = []
  var caches: [(device: Int, cache: AttributeCache)] = []
  var timers: [TimerState] = []
  var queued: [(unit: Int, event: MachineEvent)] = []
  var kept: [MachineEvent] = []
  var held: [MachineEvent] = []
  var listens: [Listen] = []
  var seen: [SeenDevice] = []
  var server = ServerState()
  /// Values of the served attributes, by attribute number.
  var served: [[UInt8]] = []
  var output: PendingOutput?
  /// The entries of the prompt, in order.
  package private(set) var entries: [Entry] = []
  var pieces: [(fiber: UInt64, bytes: [UInt8])] = []
  /// In an edited recipe: handlers that the text did not have when the run started.
  var newHandlers: [Int] = []
  /// In an edited recipe: names that the older text declared with `remember`, and this one with
  /// `let`.
  var namesNotRemembered: [String] = []
  /// In an edited recipe: the numbers of attributes that the served peripheral did not have.
  var newAttributes: [Int] = []
  /// Whether the rows belong to another text, so that the first commit rewrites everything.
  var isAligned = false
  /// Whether found devices have rows of their own, unlike in older checkpoints.
  var hasFoundRows = false

  /// The value of a variable or an input; `nil` if the checkpoint does not contain it.
  package func value(of name: String) -> Value? { variables.first { $0.name == name }?.value }

  package init(rows: [Commit.Row]) throws(RestoreFailure) {
    var known = 0
    var found: [(fiber: UInt64, place: Int, entry: ScanWait.Found)] = []
    var lists: [(place: Int, number: UInt64)] = []
    var parts: [RowKey: [UInt8]] = [:]
    if let version = rows.first(where: { $0.key.kind == .header })?.value?.first, version != Header.version {
      throw RestoreFailure(
        "the checkpoint was written by another version of tooth (its format is \(version), this one reads \(Header.version))")
    }
    do throws(DecodeError) {
      // Sorted by key, so that devices have their numbers and events are in order.
      for row in rows.sorted(by: { $0.key < $1.key }) {
        guard let bytes = row.value else { continue }
        switch row.key.kind {
        case .header: header = try Header(encoded: bytes, name: "header")
        case .variable:
          var reader = bytes.span.bytes
          let name = try reader.readText()
          let value = try Value(reading: &reader)
          let count = reader.isAtEnd ? 0 : Int(clamping: try reader.readVarint())
          if count > 0 { lists.append((variables.count, row.key.number)) }
          variables.append((name, value, count))
        case .fiber:
          let fiber = try Fiber(encoded: bytes, name: "fiber")
          guard fiber.id == row.key.number else { throw .invalid("fiber number", row.key.number) }
          fibers.append(fiber)
        case .device:
          // The numbers of forgotten devices are gaps.
          guard row.key.number >= UInt64(devices.count), row.key.number - UInt64(known) <= UInt64(DeviceTable.gapLimit)
          else { throw .invalid("device number", row.key.number) }
          while UInt64(devices.count) < row.key.number { devices.append(.gone) }
          known += 1
          devices.append(try Device(encoded: bytes, name: "device"))
        case .attributeCache:
          guard row.key.number < UInt64(devices.count), !devices[Int(row.key.number)].isGone else {
            throw .invalid("device number", row.key.number)
          }
          caches.append((Int(row.key.number), try AttributeCache(encoded: bytes, name: "knowledge")))
        case .timer:
          let timer = try TimerState(encoded: bytes, name: "timer")
          guard timer.id == row.key.number else { throw .invalid("timer number", row.key.number) }
          timers.append(timer)
        case .queuedEvent:
          var reader = bytes.span.bytes
          let unit = Int(try reader.readUInt16())
          let event = try MachineEvent(reading: &reader)
          guard row.key == .queued(event, unit) else { throw .invalid("event number", row.key.number) }
          queued.append((unit, event))
        case .keptEvent, .heldEvent:
          let event = try MachineEvent(encoded: bytes, name: "event")
          guard event.sequence == row.key.number else { throw .invalid("event number", row.key.number) }
          if row.key.kind == .keptEvent { kept.append(event) } else { held.append(event) }
        case .found:
          let number = Int(row.key.number)
          let places = try FoundRow(encoded: bytes, name: "found").places
          guard number < devices.count else { throw .invalid("device number", UInt64(number)) }
          for place in places { found.append((place.fiber, place.place, ScanWait.Found(device: number, rssi: place.rssi))) }
        case .listen:
          let listen = try Listen(encoded: bytes, name: "listen")
          guard listen.operation.raw == row.key.number, !listens.contains(where: { $0.owner == listen.owner }) else {
            throw .invalid("number of a scan", row.key.number)
          }
          listens.append(listen)
        case .seen:
          let entry = try SeenDevice(encoded: bytes, name: "seen")
          guard entry.id == row.key.number else { throw .invalid("number of a device that was seen", row.key.number) }
          seen.append(entry)
        case .entry:
          guard row.key.number == UInt64(entries.count + 1) else { throw .invalid("entry number", row.key.number) }
          entries.append(try Entry(encoded: bytes, name: "entry"))
        case .server: server = try ServerState(encoded: bytes, name: "server")
        case .served:
          guard row.key.number == UInt64(served.count), bytes.count <= 512 else {
            throw .invalid("number of an attribute", row.key.number)
          }
          served.append(bytes)
        case .listPart: parts[row.key] = bytes
        case .pieces: pieces.append((row.key.number, bytes))
        case .output: output = try PendingOutput(encoded: bytes, name: "output")
        }
      }
      hasFoundRows = !found.isEmpty
      try take(found)
      for list in lists {
        let count = variables[list.place].parts
        guard count <= parts.count else { throw .invalid("number of parts of a list", UInt64(count)) }
        try join(list.place, (0..<count).map { parts.removeValue(forKey: .listPart($0, of: list.number)) })
      }
      guard parts.isEmpty else { throw .invalid("part of a list", parts.keys.first?.number ?? 0) }
    } catch {
      throw RestoreFailure("the checkpoint cannot be read: \(error)")
    }
  }

  /// Puts the parts of a list before its last elements.
  private mutating func join(_ place: Int, _ parts: [[UInt8]?]) throws(DecodeError) {
    guard case .list(let last) = variables[place].value else { throw .invalid("list", UInt64(place)) }
    var whole: [Value] = []
    whole.reserveCapacity(parts.count * Variables.part + last.count)
    for bytes in parts {
      guard let bytes, case .list(let part) = try Value(encoded: bytes, name: "list"), part.count == Variables.part else {
        throw .invalid("part of a list", UInt64(place))
      }
      whole += part
    }
    variables[place].value = .list(whole + last)
  }

  /// Puts found devices back into the lists of their scans.
  private mutating func take(_ found: [(fiber: UInt64, place: Int, entry: ScanWait.Found)]) throws(DecodeError) {
    var lists: [UInt64: [ScanWait.Found]] = [:]
    for (fiber, place, entry) in found.sorted(by: { ($0.fiber, $0.place) < ($1.fiber, $1.place) }) {
      guard place == lists[fiber]?.count ?? 0 else { throw .invalid("place in a scan", UInt64(place)) }
      lists[fiber, default: []].append(entry)
    }
    for index in fibers.indices {
      guard let list = lists.removeValue(forKey: fibers[index].id) else { continue }
      guard case .scan(var scan) = fibers[index].wait, scan.found.isEmpty else {
        throw .invalid("fiber of a scan", fibers[index].id)
      }
      scan.found = list
      fibers[index].wait = .scan(scan)
    }
    guard lists.isEmpty else { throw .invalid("fiber of a scan", lists.keys.min() ?? 0) }
  }

  /// The identity of the run at its keeper, their session, and the events covered so far; `nil` if
  /// it never had a keeper.
  package var keeper: (identity: [UInt8], session: UInt64, covered: EventNumber)? {
    header.keeperIdentity.isEmpty ? nil : (header.keeperIdentity, header.keeperSession, header.covered)
  }

  /// Whether there is nothing to continue.
  package var isEmpty: Bool { fibers.isEmpty }

  /// Whether the body has ended and entries are typed after it.
  package var isPrompt: Bool { !entries.isEmpty || fibers.contains { $0.wait == .prompt } }

  /// Whether an effect with an unknown outcome was in progress.
  package var isUnsure: Bool {
    fibers.contains { fiber in
      if case .command(let command) = fiber.wait { return command.policy == .fail }
      guard case .operation(let operation) = fiber.wait else { return false }
      return operation.mayHaveLeft && operation.policy == .fail
    }
  }

  /// Each device with its known facts, for `tooth runs show`.
  package var deviceLines: [String] {
    devices.filter { !$0.isGone }.map { device in
      var text = device.addressValue.description
      if let name = device.name { text += " \"\(name)\"" }
      if device.isWanted { text += ", wanted" }
      if device.wasLinked { text += ", was connected" }
      return text
    }
  }

  /// The devices with a known name.
  package var namedDevices: [(address: AddressValue, name: String)] {
    devices.compactMap { device in device.isGone ? nil : device.name.map { (device.addressValue, $0) } }
  }
}
