import Exchange
import Recipe
package import Vocabulary

/// Cancelling an entry, and the state that a prompt displays.
extension Machine {
  /// Cancels the current entry and withdraws its requests. Effects that may have happened anyway
  /// are reported.
  /// - Returns: whether the outcome of a write or program is unknown, and the devices that stay
  ///   wanted after a `reconnect`; `nil` if there is no entry.
  package mutating func cancelEntry(at now: Instant) -> (number: Int, isUnsure: Bool, stayWanted: [String])? {
    self.now = now
    guard life == .running, entryUnderWay != nil, let index = fibers.firstIndex(where: { isEntry($0) }), !fibers[index].isFileWait
    else { return nil }
    let id = fibers[index].id
    var isUnsure = false
    var stayWanted: [String] = []
    switch fibers[index].wait {
    case .reconnect(_, let wanted):
      stayWanted = wanted.filter { devices.indices.contains($0) && devices[$0].isWanted }.map { devices[$0].text }
    case .operation(let operation):
      withdraw(operation)
      isUnsure = operation.policy == .fail && (operation.mayHaveLeft || operation.lost != nil) && operation.lost != .notSent
    case .command(let command): isUnsure = command.policy == .fail
    case .branches:
      // The branches' ends must not continue the loop.
      fibers[index].wait = .forever
      isUnsure = cancelBranches(of: id, reportsUnsure: false)
    default: break
    }
    guard let place = fibers.index(of: id) else { return nil }
    if case .link(let device, _) = fibers[place].wait, devices[device].isWanted, !devices[link: device].isLinked {
      // After `connect … when it appears`, the device is no longer wanted.
      devices[device].isWanted = false
    }
    cancelWait(place)
    lead(place, to: .cancelled, with: .unset)
    fibers.release(id)
    return (entries.list.last?.number ?? 0, isUnsure, stayWanted)
  }

  // MARK: For display at a prompt

  /// The state of the link to the current device.
  package enum DeviceSign: Equatable, Sendable { case linked, onItsWay, away }

  private func sign(_ index: Int) -> DeviceSign {
    if devices[link: index].isLinked { return .linked }
    return devices[index].isWanted || devices[link: index].phase != .idle ? .onItsWay : .away
  }

  package var promptDevice: (name: String, sign: DeviceSign)? {
    guard case .device(let index)? = bodyValues?.device, devices.indices.contains(index) else { return nil }
    return (devices[index].text, sign(index))
  }

  /// Whether this is the device of `promptDevice`.
  package func isPromptDevice(_ peer: Address) -> Bool {
    guard case .device(let index)? = bodyValues?.device else { return false }
    return deviceIndex(peer) == index
  }

  /// Devices that were found, connected or named, with their addresses.
  package var knownDevices: [(name: String, address: String, sign: DeviceSign)] {
    devices.indices.filter { !devices[$0].isGone }.map { (devices[$0].text, devices[$0].addressValue.description, sign($0)) }
  }

  /// The name of a device, if known.
  package func deviceName(_ peer: Address) -> String? { deviceIndex(peer).map { devices[$0].text } }

  /// A service of the current device, or one of its attributes.
  package struct PromptService: Sendable {
    package struct Attribute: Sendable {
      package var name: String
      package var handle: UInt16
      package var uuid: UUID
      /// The operations that its properties allow.
      package var can: [String]
    }

    package var name: String
    package var handle: UInt16
    package var uuid: UUID
    package var attributes: [Attribute]
  }

  /// The discovered services of the current device.
  package var promptServices: [PromptService] {
    guard case .device(let index)? = bodyValues?.device, devices.indices.contains(index) else { return [] }
    return discoveredServices(of: index)
  }

  private func discoveredServices(of index: Int) -> [PromptService] {
    guard let cache = devices[cache: index] else { return [] }
    return cache.services.map { service in
      PromptService(
        name: AssignedNumbers.name(of: service.uuid, kind: .service) ?? "-", handle: service.start.raw, uuid: service.uuid,
        attributes: service.characteristics.map { one in
          PromptService.Attribute(
            name: AssignedNumbers.name(ofCharacteristic: one.uuid) ?? "-", handle: one.value.raw, uuid: one.uuid,
            can: AttributeValue.names(ofProperties: one.properties))
        })
    }
  }

  /// A description of the device with this displayed name: its link in words, and its services.
  package func sight(ofDevice name: String) -> (facts: [String], services: [PromptService])? {
    guard let index = devices.indices.last(where: { devices[$0].text == name && devices[link: $0].isLinked }) else { return nil }
    var facts = [devices[index].addressValue.description]
    if let rssi = devices[link: index].rssi { facts.append("\(rssi) dBm") }
    if let info = devices[link: index].info {
      facts += ["MTU \(info.mtu)", "every \(TextRendering.text(of: .duration(info.interval), surroundings))", info.phy]
    }
    return (facts, discoveredServices(of: index))
  }

  /// Names with their values.
  package var promptNames: [(name: String, text: String, type: String)] {
    program.variables.indices.compactMap { index in
      // A secret does not outlive its process.
      guard variables[index] != .unset, let shown = try? outward(variables[index]) else { return nil }
      return (program.variables[index].name, TextRendering.brief(shown), variables[index].typeName)
    }
  }

  /// The fields of a value at the prompt: of `device`, `it`, a name, or a field of one.
  /// - Parameter settable: Only those that `set` can change.
  package func promptFields(of path: String, settable: Bool = false) -> [String] {
    var steps = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    let name = steps.removeFirst()
    var value: Value?
    switch name {
    case "device": value = bodyValues?.device
    case "it": value = bodyValues?.it
    default: value = program.variables.firstIndex { $0.name == name }.map { variables[$0] }
    }
    for step in steps {
      guard case .record(let record)? = value else { return [] }
      value = record[step]
    }
    switch value {
    case .device(let index)?:
      let own = devices.indices.contains(index) ? devices[index].fields.fields.map(\.key) : []
      return settable ? own : DeviceFields.all + own
    case .record(let record)?: return record.fields.map(\.key).filter { Words.isName($0) }
    default: return []
    }
  }

  /// The names at the prompt that stand for a device, for an attribute, and for any value.
  package var completableNames: (devices: [String], attributes: [String], values: [String]) {
    var names: (devices: [String], attributes: [String], values: [String]) = ([], [], [])
    for index in program.variables.indices where variables[index] != .unset {
      let name = program.variables[index].name
      names.values.append(name)
      switch variables[index] {
      case .device, .address: names.devices.append(name)
      case .uuid, .attribute: names.attributes.append(name)
      default: break
      }
    }
    return names
  }

  /// The active handlers and timers.
  package var promptHandlers: [(place: String, text: String)] {
    activeHandlers.compactMap { handler in
      guard let owner = program.units[handler.unit].owner, program.statements.indices.contains(owner) else { return nil }
      let line = program.line(of: owner)
      return (program.lines.text(of: line), program.lines.quote(program.statements[owner].range))
    }
  }
}
