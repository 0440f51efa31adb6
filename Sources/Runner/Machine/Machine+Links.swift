import Exchange
import Recipe
import Vocabulary

extension Machine {
  static let connectTimeout = TimeSpan.seconds(30)
  /// The time limit of an attempt if attempts are counted.
  static let attemptTimeout = TimeSpan.seconds(30)

  // MARK: Devices

  func device(of value: Value) throws(Failure) -> Int {
    switch value {
    case .device(let index) where devices.indices.contains(index): return index
    case .address(let address):
      if let found = devices.index(of: address) { return found }
      throw .value("\(address) is not known here", hint: "connect to it, or scan for it, first")
    case .unset, .nothing:
      throw .value("not connected to anything here", hint: "`scan for …` and `connect` first")
    default: throw .value("this is \(value.typeName), not a device")
    }
  }

  func device(_ site: DeviceSite, _ fiber: borrowing Fiber, _ base: Int) throws(Failure) -> Int {
    switch site {
    case .current:
      let value = fiber.slots[base + 1]
      if value.isNothing, let sole = soleDevice { return sole }
      return try device(of: value)
    case .value(let operand): return try device(of: read(operand.raw, fiber, base))
    }
  }

  /// The device of an address, added if it is unknown.
  /// - Parameter isHeard: whether it is known only from an advertisement, which will be repeated.
  mutating func knownDevice(_ address: AddressValue, isHeard: Bool = false) -> Int {
    if let found = devices.index(of: address) {
      if devices[found].kind == nil, let kind = address.kind {
        devices[found].kind = kind
      }
      return found
    }
    let device = Device(bits: address.bits, kind: address.kind)
    let index = devices.insert(device, isHeard: isHeard)
    if index < surroundings.deviceNames.count {
      surroundings.deviceNames[index] = device.text
    } else {
      surroundings.deviceNames.append(device.text)
    }
    return index
  }

  func deviceIndex(_ address: Address) -> Int? { devices.index(of: AddressValue(address)) }

  // MARK: Statements

  mutating func connect(_ site: ConnectSite, _ fiber: inout Fiber, _ base: Int) throws(Failure) -> Stop? {
    let index: Int
    switch site.device {
    case .current: index = try device(of: fiber.slots[base + 1])
    case .value(let operand):
      let value = read(operand.raw, fiber, base)
      if case .address(let address) = value { index = knownDevice(address) } else { index = try device(of: value) }
    }
    let mtu = try site.mtu.map { (operand) throws(Failure) in try Self.mtu(read(operand.raw, fiber, base)) }
    fiber.slots[base + 1] = .device(index)
    let renews = renews(index, fiber.role)
    if !renews { hold(index, by: fiber) }
    if !devices[link: index].isLinked || mtu != nil { devices[index].mtu = mtu }
    if site.whenItAppears {
      devices[index].isWanted = true
      // Wait as long as necessary, even after an earlier `reconnect N times`.
      devices[index].policy.times = nil
    }
    if devices[link: index].isLinked {
      return nil
    }
    fiber.mark = header.value.sequence
    fiber.hasWritten = false
    // In a renewal, the set-up belongs to the device and not to this fiber.
    if !renews {
      devices[index].connector = fiber.id
      devices[index].wasReady = false
      devices[index].failedAttempts = 0
    }
    let limit = try limit(site.within, standard: site.whenItAppears ? nil : Self.connectTimeout, fiber, base)
    beginAttempt(index)
    return pause(&fiber, .link(device: index, limit))
  }

  private static func mtu(_ value: Value) throws(Failure) -> UInt16 {
    guard let number = value.whole, (23...517).contains(number) else {
      throw .value("an MTU must be 23 to 517, not \(TextRendering.brief(value))")
    }
    return UInt16(number)
  }

  mutating func reconnect(_ number: Int, _ fiber: inout Fiber, _ base: Int) throws(Failure) -> Stop? {
    let site = program.reconnects[number]
    var wanted: [Int] = []
    for target in site.devices { wanted.append(try device(target, fiber, base)) }
    if wanted.isEmpty {
      // All devices that this body has connected, whether linked now, earlier, or wanted.
      wanted = devices.indices.filter { devices[$0].wasLinked || devices[$0].isWanted || devices[$0].wasReady }
      if wanted.isEmpty, case .device(let index) = fiber.slots[base + 1] { wanted = [index] }
    }
    guard !wanted.isEmpty else { throw .value("there is nothing to reconnect to", hint: "`connect` first") }
    // The link is ready only after this fiber has ended.
    if case .setUp(let index, _) = root(of: fiber.role), wanted.contains(index) {
      throw .value(
        "`reconnect` in an `otherwise` of the set-up would wait for itself",
        hint: "tooth reconnects by itself when the `otherwise` has ended; `connect` waits for a link")
    }
    var policy = ReconnectPolicy()
    if let operand = site.times {
      guard let count = read(operand.raw, fiber, base).whole, count >= 1 else {
        throw .value("`reconnect … times` takes a whole number of at least 1")
      }
      policy.times = Int(clamping: count)
    }
    if let operand = site.waiting {
      guard case .duration(let span) = read(operand.raw, fiber, base), span > .zero else {
        throw .value("`waiting` takes a duration above zero")
      }
      policy.wait = span
      policy.ceiling = max(span, policy.ceiling)
    }
    if let operand = site.upTo {
      guard case .duration(let span) = read(operand.raw, fiber, base), span > .zero else {
        throw .value("`up to` takes a duration above zero")
      }
      policy.ceiling = max(span, policy.wait)
    }
    for index in wanted {
      devices[index].isWanted = true
      devices[index].policy = policy
      if devices[link: index].phase == .idle { beginAttempt(index) }
    }
    return pause(&fiber, .reconnect(site: number, devices: wanted))
  }

  mutating func disconnect(_ index: Int, _ fiber: inout Fiber) -> Stop? {
    devices[index].isWanted = false
    devices[index].holders = []
    devices[index].isHeldByRun = false
    releaseReconnects(index)
    switch devices[link: index].phase {
    case .idle: return nil
    case .closing: return pause(&fiber, .closing(device: index))
    case .locating, .connecting, .gated:
      withdrawAttempt(index)
      devices[index].wasLinked = false
      return nil
    case .kept, .settingUp, .firstSetUp, .onConnect, .ready:
      close(index)
      return pause(&fiber, .closing(device: index))
    }
  }

  /// Removes the bond and closes a link that it encrypts. The device is no longer wanted, unless
  /// the bond is being renewed.
  mutating func forget(_ site: DeviceSite, _ fiber: inout Fiber, _ base: Int) throws(Failure) -> Stop? {
    let index: Int
    // A device that was never connected may have a bond from another run.
    if case .value(let operand) = site, case .address(let address) = read(operand.raw, fiber, base) {
      index = knownDevice(address)
    } else {
      index = try device(site, fiber, base)
    }
    if !renews(index, fiber.role) {
      devices[index].isWanted = false
      devices[index].setUp.removeAll(where: \.isPairing)
      releaseReconnects(index)
    }
    switch devices[link: index].phase {
    case .locating, .connecting, .gated:
      withdrawAttempt(index)
      devices[index].wasLinked = false
    case .idle, .closing, .kept, .settingUp, .firstSetUp, .onConnect, .ready: break
    }
    // If the address type is unknown, remove the bonds of both.
    let named = devices[index].addressValue
    if named.kind == nil { request(nextOperation(), .forgetBond(Address(bits: named.bits, kind: .public))) }
    let operation = nextOperation()
    request(operation, .forgetBond(Address(bits: named.bits, kind: named.kind ?? .random)))
    return pause(&fiber, .forgetting(device: index, operation))
  }

  /// Closes the link; `disconnected` follows.
  mutating func close(_ index: Int) {
    guard let address = devices[index].address else { return }
    let operation = nextOperation()
    devices[link: index].phase = .closing(operation)
    request(operation, .disconnect(address))
  }

  /// Ends `reconnect forever` statements whose devices are all given up.
  mutating func releaseReconnects(_ given: Int) {
    for id in fibers.map(\.id) {
      guard let index = fibers.index(of: id), case .reconnect(_, let wanted) = fibers[index].wait, wanted.contains(given) else {
        continue
      }
      if wanted.allSatisfy({ !devices[$0].isWanted }) { complete(index) }
    }
  }
}
