import Exchange
import Recipe
import Vocabulary

extension Machine {
  mutating func beginScan(_ number: Int, _ fiber: inout Fiber, _ base: Int) throws(Failure) -> Stop? {
    let site = program.scans[number]
    let standard: TimeSpan = site.mode == .first ? .seconds(30) : .seconds(10)
    var scan = ScanWait(site: number, limit: try limit(site.within, standard: standard, fiber, base))
    if scan.limit == nil, site.mode != .first {
      throw .value("`scan for \(site.mode == .all ? "all" : "strongest")` needs a time: `within 10s`")
    }
    startListening(&scan, fiber)
    effects.append(.progressed(ProgressReport(.scanning, device: nil, text: "scanning for \(site.text)")))
    return pause(&fiber, .scan(scan))
  }

  mutating func startListening(_ scan: inout ScanWait, _ fiber: borrowing Fiber) {
    let operation = nextOperation()
    runningScans.begin(operation, insteadOf: scan.operation, found: scan.found)
    scan.operation = operation
    request(operation, .scan(ScanRequest(duty: duty(.full), filter: filter(of: scan.site, fiber))))
  }

  /// The place of this scan in `runningScans`.
  private mutating func runningScan(of operation: OperationID, _ place: Int) -> Int {
    runningScans.index(of: operation) ?? runningScans.resume(operation, found: fibers[place].wait.found, isStored: false)
  }

  mutating func advertisementReceived(_ operation: OperationID, _ advertisement: Advertisement, _ at: Instant) {
    if let index = devices.active.first(where: { isListening($0, operation) }) { return heard(index, advertisement, at) }
    guard let place = fibers.index(scanning: operation), let number = fibers[place].wait.scanSite
    else { return }
    let running = runningScan(of: operation, place)
    let site = program.scans[number]
    runningScans.remember(advertisement, at: running)
    var failure: Failure?
    var isMatch = false
    askingFiber(place) { machine, fiber in
      do throws(Failure) {
        isMatch = try machine.matches(advertisement, site, &fiber)
      } catch {
        failure = error
      }
    }
    if let failure {
      endScan(operation)
      return fail(place, failure)
    }
    guard isMatch else { return }
    let index = knownDevice(AddressValue(advertisement.address), isHeard: true)
    learn(index, advertisement, at)
    if site.mode == .first {
      endScan(operation)
      found(place, site, [index])
      return
    }
    var list = fibers.takeFound(place)
    runningScans.note(index, advertisement.rssi ?? -127, at: running, in: &list, isOne: site.mode == .strongest, now.moment)
    fibers.putFound(list, place)
  }

  private func isListening(_ index: Int, _ operation: OperationID) -> Bool {
    switch devices[link: index].phase {
    case .locating(operation, _), .gated(_, operation?): true
    default: false
    }
  }

  /// Handles an advertisement of a device that an attempt waits for.
  private mutating func heard(_ index: Int, _ advertisement: Advertisement, _ at: Instant) {
    guard advertisement.address.bits == devices[index].bits,
      devices[index].kind == nil || devices[index].kind == advertisement.address.kind
    else { return }
    // Save the type, because the next request is for this address and the run may be killed.
    if devices[index].kind == nil { devices[index].kind = advertisement.address.kind }
    learn(index, advertisement, at)
    if case .locating(let operation, _) = devices[link: index].phase {
      request(nextOperation(), .cancel(operation))
      devices[link: index].phase = .idle
    }
    beginAttempt(index)
  }

  mutating func learn(_ index: Int, _ advertisement: Advertisement, _ at: Instant) {
    noteHeard(index, at)
    let isNamed = advertisement.name != nil && advertisement.name != devices[index].name
    let isOther = devices[index].kind != advertisement.address.kind || isNamed
    let hasServices = !advertisement.services.isEmpty && advertisement.services != devices[index].services
    if isOther || hasServices {
      Self.learn(advertisement, &devices[heard: index])
      if let rssi = advertisement.rssi { devices[link: index].rssi = rssi }
      runningScans.note(now.moment)
      if isOther, surroundings.deviceNames.indices.contains(index) { surroundings.deviceNames[index] = devices[index].text }
    } else if let rssi = advertisement.rssi, rssi != devices[link: index].rssi {
      // Not saved, because it changes with each report.
      devices[link: index].rssi = rssi
    }
  }

  /// Static, because otherwise the whole table would be copied.
  private static func learn(_ advertisement: Advertisement, _ device: inout Device) {
    device.kind = advertisement.address.kind
    if let name = advertisement.name { device.name = name }
    if !advertisement.services.isEmpty { device.services = advertisement.services }
  }

  /// Ends a scan and drops what it has heard.
  mutating func endScan(_ operation: OperationID) {
    runningScans.end(operation)
    request(nextOperation(), .cancel(operation))
  }

  private mutating func found(_ place: Int, _ site: ScanSite, _ list: [Int]) {
    withFiber(place) { machine, fiber in
      let base = fiber.frames[fiber.frames.count - 1].base
      let value: Value = site.mode == .all ? .list(list.map { .device($0) }) : .device(list[0])
      if site.mode != .all { fiber.slots[base + 1] = value }
      if let destination = site.destination { machine.store(value, destination.raw, &fiber, base) }
    }
    complete(place)
  }

  mutating func scanEnded(_ place: Int, _ scan: ScanWait) {
    let heard = runningScans.heard(by: scan.operation)
    if let operation = scan.operation { endScan(operation) }
    let site = program.scans[scan.site]
    if site.mode == .all, !scan.found.isEmpty { return found(place, site, scan.found.map(\.device)) }
    if site.mode == .strongest, let best = scan.found.max(by: { $0.rssi < $1.rssi }) { return found(place, site, [best.device]) }
    fail(place, nothingFound(site, scan, heard))
  }

  private func nothingFound(_ site: ScanSite, _ scan: ScanWait, _ heard: [RunningScan.Heard]) -> Failure {
    let span = scan.limit.map { " in \($0.span)" } ?? ""
    let wanted = site.text + (site.predicate == nil ? "" : " and the condition after `where`")
    if heard.isEmpty {
      // The scan did not run, at least not until the end.
      if let trouble = adapter.trouble { return trouble }
      return Failure(
        .notFound, "no device was heard\(span), so none matches \(wanted)", blame: .radio, layer: .hci,
        hint: "is it on and near? Some devices advertise only while they are worn or in pairing mode")
    }
    let count = heard.count == 1 ? "1 device was" : "\(heard.count) devices were"
    var message = "\(count) heard\(span), but none matches \(wanted)"
    if let closest = heard.filter({ $0.name != nil }).max(by: { ($0.rssi ?? -127) < ($1.rssi ?? -127) }),
      let name = closest.name
    {
      let rssi = closest.rssi.map { " (\($0) dBm)" } ?? ""
      let services = closest.services.map { AssignedNumbers.name(ofService: $0) ?? $0.description }.joined(separator: ", ")
      message += ". Strongest with a name: \"\(name)\"\(rssi)" + (services.isEmpty ? "" : " advertises \(services)")
    }
    let hint = similarName(site, heard).map { "did you mean \"\($0)\"? Upper and lower case, spaces and punctuation matter" }
    let isFiltered = !site.named.isEmpty || !site.strongerThan.isEmpty || !site.madeBy.isEmpty || !site.soliciting.isEmpty
    let offers = heard.contains { device in
      site.targets.contains { if case .service(let uuid) = $0 { device.services.contains(uuid) } else { false } }
    }
    let seeksService = site.targets.contains { if case .service = $0 { true } else { false } }
    let usual =
      offers && (isFiltered || site.predicate != nil)
      ? "a device with this service was heard: the rest of the filter excludes it"
      : "many devices advertise \(seeksService ? "their service only" : "only") while in use"
    return Failure(.notFound, message, blame: .radio, layer: .hci, hint: hint ?? usual)
  }

  /// The name of a heard device that was probably meant.
  private func similarName(_ site: ScanSite, _ heard: [RunningScan.Heard]) -> String? {
    let names = heard.compactMap(\.name)
    let wanted = site.named + site.targets.compactMap { if case .name(let pattern) = $0 { pattern } else { nil } }
    for pattern in wanted {
      if let name = Spelling.nearest(to: pattern, among: names) { return name }
    }
    return nil
  }

  // MARK: Matching

  mutating func matches(_ advertisement: Advertisement, _ site: ScanSite, _ fiber: inout Fiber) throws(Failure) -> Bool {
    let base = fiber.frames[fiber.frames.count - 1].base
    if !site.targets.isEmpty {
      var isTarget = false
      for target in site.targets where !isTarget { isTarget = try self.isTarget(advertisement, target, fiber, base) }
      if !isTarget { return false }
    }
    for pattern in site.named {
      guard let name = advertisement.name, Glob.matches(pattern, name) else { return false }
    }
    for operand in site.strongerThan {
      guard let wanted = read(operand.raw, fiber, base).whole else { throw .value("`stronger than` takes a number in dBm") }
      guard let rssi = advertisement.rssi, Int64(rssi) > wanted else { return false }
    }
    for service in site.soliciting {
      guard advertisement.solicited.contains(try uuid(service, fiber, base)) else { return false }
    }
    if !site.madeBy.isEmpty {
      guard advertisement.manufacturer.contains(where: { site.madeBy.contains($0.company) }) else { return false }
    }
    if let predicate = site.predicate {
      return try Value.truth(of: try evaluate(predicate, &fiber, it: advertisementValue(advertisement, site)))
    }
    return true
  }

  private func isTarget(
    _ advertisement: Advertisement, _ target: ScanSite.Target, _ fiber: borrowing Fiber, _ base: Int
  ) throws(Failure) -> Bool {
    switch target {
    case .service(let uuid):
      return advertisement.services.contains(uuid) || advertisement.serviceData.contains { $0.service == uuid }
    case .name(let pattern): return advertisement.name.map { Glob.matches(pattern, $0) } ?? false
    case .address(let address): return address.isSame(as: AddressValue(advertisement.address))
    case .format(let number): return program.formats.decode(advertisement, by: number, zone: environment.timeZone) != nil
    case .value(let operand):
      switch read(operand.raw, fiber, base) {
      case .uuid(let uuid): return advertisement.services.contains(uuid)
      case .text(let pattern): return advertisement.name.map { Glob.matches(pattern, $0) } ?? false
      case .address(let address): return address.isSame(as: AddressValue(advertisement.address))
      case let other: throw .value("a scan looks for a service, a name or an address, not \(other.typeName)")
      }
    }
  }

  /// The value of an advertisement for `as`, `it` and `where`.
  func advertisementValue(_ advertisement: Advertisement, _ site: ScanSite) -> Value {
    // If there are several, use the one that the scan looked for.
    var (manufacturer, serviceData) = (advertisement.manufacturer.first, advertisement.serviceData.first)
    if let wanted = advertisement.manufacturer.first(where: { site.madeBy.contains($0.company) }) { manufacturer = wanted }
    var value = Value.nothing
    for target in site.targets {
      switch target {
      case .service(let uuid):
        if let wanted = advertisement.serviceData.first(where: { $0.service == uuid }) { serviceData = wanted }
      case .format(let number):
        guard let found = program.formats.decode(advertisement, by: number, zone: environment.timeZone) else { continue }
        value = found.value
        switch program.formats.advertised[number].source {
        case .serviceData(let uuid): serviceData = .init(service: uuid, data: found.data)
        case .manufacturer(let company): manufacturer = .init(company: company, data: found.data)
        }
      case .name, .address, .value: continue
      }
      if !value.isNothing { break }
    }
    // The keys are unique, so skip the search for duplicates.
    return .record(
      Record([
        .init("address", Value(advertisement.address)),
        .init("name", advertisement.name.map { .text($0) } ?? .nothing),
        .init("rssi", advertisement.rssi.map { .int(Int64($0)) } ?? .nothing),
        .init("services", .list(advertisement.services.map { .uuid($0) })),
        .init("solicited", .list(advertisement.solicited.map { .uuid($0) })),
        .init(
          "manufacturer", manufacturer.map { .record(["company": .int(Int64($0.company)), "data": .bytes($0.data)]) } ?? .nothing),
        .init("service_data", serviceData.map { .record(["service": .uuid($0.service), "data": .bytes($0.data)]) } ?? .nothing),
        .init("tx_power", advertisement.txPower.map { .int(Int64($0)) } ?? .nothing),
        .init("connectable", .bool(advertisement.connectable)),
        .init("value", value),
      ]))
  }
}
