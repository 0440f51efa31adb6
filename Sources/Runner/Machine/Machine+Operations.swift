import Exchange
import Recipe
import Vocabulary

extension Machine {
  // MARK: Statements

  mutating func discover(_ site: DiscoverSite, _ fiber: inout Fiber, _ base: Int) throws(Failure) -> Stop? {
    let index = try device(site.device, fiber, base)
    var services: [UUID] = []
    for wanted in site.services { services.append(try uuid(wanted, fiber, base)) }
    return try begin(.discover(services), index, site.within, .harmless, &fiber, base)
  }

  mutating func pair(_ site: PairSite, _ fiber: inout Fiber, _ base: Int) throws(Failure) -> Stop? {
    let index = try device(site.device, fiber, base)
    return try begin(
      .pair(pairing(with: index), renews: false), index, site.within, .harmless, standard: Self.pairingTimeout, &fiber, base)
  }

  mutating func request(_ site: RequestSite, _ fiber: inout Fiber, _ base: Int) throws(Failure) -> Stop? {
    let index = try device(of: fiber.slots[base + 1])
    let wanted = try Self.linkRequest(site.setting, read(site.value.raw, fiber, base))
    return try begin(.adjust(wanted), index, .standard, .harmless, &fiber, base)
  }

  private static func linkRequest(_ setting: RequestSite.Setting, _ value: Value) throws(Failure) -> LinkRequest {
    let given = TextRendering.brief(value)
    switch setting {
    case .phy:
      guard case .text(let name) = value, let phy = LinkRequest.PHY(name: name) else {
        throw .value("a PHY is \"1M\", \"2M\" or \"coded\", not \(given)")
      }
      return .phy(phy)
    case .speed:
      switch value {
      case .text("fast"): return .interval(shortest: 6, longest: 12, latency: 0)
      case .text("balanced"): return .interval(shortest: 24, longest: 40, latency: 0)
      case .text("slow"): return .interval(shortest: 80, longest: 100, latency: 2)
      default: throw .value("a speed is \"fast\", \"balanced\" or \"slow\", not \(given)")
      }
    case .interval:
      guard case .duration(let span) = value, (7_500_000...4_000_000_000).contains(span.nanoseconds) else {
        throw .value("a connection interval is 7.5ms to 4s, not \(given)")
      }
      // In units of 1.25 ms, rounded to the nearest.
      let units = UInt16(clamping: (span.nanoseconds + 625_000) / 1_250_000)
      return .interval(shortest: units, longest: units, latency: 0)
    }
  }

  mutating func readAttribute(_ site: ReadSite, _ fiber: inout Fiber, _ base: Int) throws(Failure) -> Stop? {
    let index = try device(site.attribute.device, fiber, base)
    if case .rssi = site.attribute.form { return try begin(.readRSSI, index, site.within, .harmless, &fiber, base) }
    return try begin(.read(try path(site.attribute, fiber, base)), index, site.within, .harmless, &fiber, base)
  }

  mutating func write(_ site: WriteSite, _ fiber: inout Fiber, _ base: Int) throws(Failure) -> Stop? {
    let index = try device(site.attribute.device, fiber, base)
    let path = try path(site.attribute, fiber, base)
    let value = read(site.value.raw, fiber, base)
    let bytes = try encode(value, for: path, given(site.attribute, fiber, base))
    let isSecret = value.holdsSecret
    if !fiber.hasWritten {
      fiber.mark = max(fiber.mark, header.value.sequence)
      fiber.hasWritten = true
    }
    let pieces = try site.pieces.map { (place) throws(Failure) in
      try self.pieces(place, bytes, site, isSecret: isSecret, &fiber, base)
    }
    let whole = pieces == nil ? bytes : []
    if site.withoutResponse {
      return try begin(
        .writeWithoutResponse(path, whole), index, site.within, .skip, isSecret: isSecret, pieces: pieces, &fiber, base)
    }
    let policy: OperationWait.Policy =
      switch site.policy {
      case .fail: .fail
      case .repeat: .repeat
      case .verify: .verify
      case .skip: .skip
      }
    return try begin(.write(path, whole), index, site.within, policy, isSecret: isSecret, pieces: pieces, &fiber, base)
  }

  mutating func subscribe(_ site: SubscribeSite, _ fiber: inout Fiber, _ base: Int, on: Bool) throws(Failure) -> Stop? {
    let index = try device(site.attribute.device, fiber, base)
    let path = try path(site.attribute, fiber, base)
    if !on {
      devices[index].setUp.removeAll { $0.request == .subscribe(path) }
    }
    return try begin(on ? .subscribe(path) : .unsubscribe(path), index, site.within, .harmless, &fiber, base)
  }

  // MARK: Attributes

  func uuid(_ site: UUIDSite, _ fiber: borrowing Fiber, _ base: Int) throws(Failure) -> UUID {
    switch site {
    case .fixed(let uuid): return uuid
    case .value(let operand):
      guard case .uuid(let uuid) = read(operand.raw, fiber, base) else {
        throw .value("a UUID is needed here, not \(read(operand.raw, fiber, base).typeName)")
      }
      return uuid
    }
  }

  func path(_ site: AttributeSite, _ fiber: borrowing Fiber, _ base: Int) throws(Failure) -> AttributePath {
    switch site.form {
    case .fixed(let path): return path
    case .handle(let operand): return try Self.handlePath(read(operand.raw, fiber, base))
    case .value(let operand): return try Self.path(read(operand.raw, fiber, base))
    case .steps:
      // Values of computed instances and UUIDs.
      var values: [(Operand, Value)] = []
      func note(_ step: AttributeSite.Step?) {
        guard let step else { return }
        if case .value(let operand) = step.uuid { values.append((operand, read(operand.raw, fiber, base))) }
        if let operand = step.instance { values.append((operand, read(operand.raw, fiber, base))) }
      }
      if case .steps(let service, let characteristic, let descriptor) = site.form {
        note(service)
        note(characteristic)
        note(descriptor)
      }
      let found = AttributePath(fixing: site.form, text: site.text) { operand in
        values.first { $0.0 == operand }?.1
      }
      guard let found else { throw .value("`\(site.text)` needs a UUID and, in brackets, a whole number of at least 0") }
      return found
    case .rssi: throw .value("`rssi` can only be read")
    }
  }

  /// The attribute of a value in parentheses: a UUID, or a discovered characteristic. A number is
  /// refused, because handles are written as `handle N`.
  static func path(_ value: Value) throws(Failure) -> AttributePath {
    switch value {
    case .uuid(let uuid):
      return AttributePath(
        form: .named(service: nil, characteristic: .init(uuid, instance: nil), descriptor: nil),
        home: HomeService.of(characteristic: uuid),
        text: uuid.description)
    case .attribute(let attribute):
      guard attribute.handle != 0 else { throw .value("the handle of this attribute is not known") }
      return AttributePath(form: .handle(AttributeHandle(attribute.handle)), text: attribute.uuid.description)
    case .int(let number):
      throw .value("the number \(number) in parentheses is not an attribute", hint: "a handle is written `handle (\(number))`")
    case .unset: throw .value("the value in parentheses is not set yet")
    case let other:
      throw .value("the value in parentheses must be a UUID or a characteristic, not \(other.typeName)")
    }
  }

  static func handlePath(_ value: Value) throws(Failure) -> AttributePath {
    guard let number = value.whole, (1...0xFFFF).contains(number) else {
      throw .value("a handle is 0x0001 to 0xffff, not \(TextRendering.brief(value))")
    }
    let handle = AttributeHandle(UInt16(number))
    return AttributePath(form: .handle(handle), text: "handle \(handle)")
  }

  func formatUUID(_ path: AttributePath) -> UUID? {
    guard case .named(_, let characteristic, let descriptor) = path.form else { return nil }
    return descriptor?.uuid ?? characteristic.uuid
  }

  /// The bytes of a value: unchanged, by the characteristic's format, or text as UTF-8.
  func encode(_ value: Value, for path: AttributePath, _ given: UUID? = nil) throws(Failure) -> [UInt8] {
    if value.holdsSecret {
      let inner = try value.revealed()
      do throws(Failure) { return try encode(inner, for: path, given) } catch {
        throw error.withheld("write … to \(path.text)", [value])
      }
    }
    if case .bytes(let bytes) = value { return bytes }
    if let uuid = given ?? formatUUID(path), let bytes = try program.formats.encode(uuid, value, zone: environment.timeZone) {
      return bytes
    }
    switch value {
    case .text(let text): return Array(text.utf8)
    case .int:
      throw .value(
        "the number needs a size: `\(path.text)` has no format", hint: "`u8(1)`, `u16(1)` … or give it a format")
    default:
      throw .value(
        "\(value.typeName) cannot be written to `\(path.text)`, which has no format", hint: "write bytes: `hex \"01 ff\"`")
    }
  }

  // MARK: Sending and completing

  private mutating func begin(
    _ request: GattRequest, _ index: Int, _ within: WithinSite, _ policy: OperationWait.Policy, isSecret: Bool = false,
    pieces: OperationWait.Pieces? = nil, standard: TimeSpan? = nil, _ fiber: inout Fiber, _ base: Int
  ) throws(Failure) -> Stop? {
    let limit = try limit(within, standard: standard ?? TimeSpan(nanoseconds: program.settings.operationTimeout), fiber, base)
    if devices[link: index].phase == .idle, !devices[index].isWanted, devices[link: index].resumeLimit == nil {
      throw disconnected(index)
    }
    var operation = OperationWait(device: index, request: request, limit: limit, policy: policy, isSecret: isSecret)
    operation.pieces = pieces
    if pieces != nil { cutPiece(&operation, of: fiber.id) }
    if fiber.isInDoubt { operation.lost = .maybe }
    fiber.isInDoubt = false
    send(&operation, for: fiber.id, fiber.role)
    fiber.wait = .operation(operation)
    return .waits
  }

  /// Sends the operation to the host, if the device's state allows it for this fiber.
  mutating func send(_ operation: inout OperationWait, for fiber: UInt64, _ role: Fiber.Role) {
    let index = operation.device
    guard operation.sent == nil, let address = devices[index].address else { return }
    switch devices[link: index].phase {
    case .ready: break
    case .firstSetUp: guard devices[index].connector == fiber else { return }
    case .onConnect: guard case .connect(_, index) = root(of: role) else { return }
    case .settingUp(let item, _): guard case .setUp(index, item) = root(of: role) else { return }
    case .idle, .kept, .locating, .connecting, .gated, .closing: return
    }
    if operation.pieces != nil { cutPiece(&operation, of: fiber) }
    let number = nextOperation()
    operation.sent = number
    if operation.lost != nil, operation.policy == .verify, case .write = operation.request { operation.isVerifying = true }
    if let path = operation.unrepeatablePath, !devices[link: index].located.contains(path) {
      // Finding the attribute may be repeated. Only the write itself must not, so its intent is
      // committed right before it.
      operation.isLocating = true
    }
    let command = operation.command
    if case .write = operation.request, !operation.isLocating, operation.policy == .fail { mustSync = true }
    request(number, .gatt(address, command))
  }

  /// Sends the operations that waited for this device, in order.
  mutating func sendQueued(_ index: Int) {
    for id in fibers.map(\.id) {
      guard let place = fibers.index(of: id), case .operation(var operation) = fibers[place].wait, operation.device == index,
        operation.sent == nil, mayGoOn(place)
      else { continue }
      send(&operation, for: id, fibers[place].role)
      if operation.sent != nil {
        fibers[place].wait = .operation(operation)
      }
    }
  }

  mutating func withdraw(_ operation: OperationWait) {
    if let sent = operation.sent { request(nextOperation(), .cancel(sent)) }
  }

  mutating func operationCompleted(_ number: OperationID, _ result: Result<Outcome, Failure>) -> Bool {
    guard
      let place = fibers.firstIndex(where: { fiber in
        if case .operation(let operation) = fiber.wait { operation.sent == number } else { false }
      }), case .operation(var operation) = fibers[place].wait
    else { return false }
    let index = operation.device
    devices[link: index].discoveryEnds = nil
    if case .pair = operation.request { settleAnswers(about: index) }
    switch result {
    case .success(let outcome):
      if devices[link: index].phase == .ready || devices[link: index].phase == .onConnect { wasOfUse(index) }
      if case .attempt? = operation.cut {
        settleCut(place, operation, .notSent)
      } else if operation.isLocating {
        located(place, &operation)
      } else if operation.isVerifying {
        verified(place, &operation, outcome)
      } else {
        succeeded(place, operation, outcome)
      }
    case .failure(let failure):
      operationFailed(place, operation, operation.isSecret && !operation.isLocating ? failure.withoutValue() : failure)
    }
    return true
  }

  private mutating func succeeded(_ place: Int, _ operation: OperationWait, _ outcome: Exchange.Outcome) {
    let index = operation.device
    let pc = fibers[place].frames.last?.pc ?? 0
    let op = program.code[pc]
    switch outcome {
    case .done:
      if op.code == .discover || op.code == .request { join(index, operation.request, of: place) }
      written(place, operation)
    case .outOfBand: complete(place)
    case .subscribed:
      if op.code == .subscribe { join(index, operation.request, of: place) }
      complete(place)
    case .paired:
      if op.code == .pair { join(index, operation.request, of: place) }
      complete(place)
    case .rssi(let value):
      devices[link: index].rssi = value
      complete(place, .int(Int64(value)), into: op.code == .read ? program.reads[Int(op.a)].destination : nil)
    case .value(let bytes, let reference):
      guard op.code == .read else { return complete(place) }
      let site = program.reads[Int(op.a)]
      let uuid =
        given(site.attribute, fibers[place], fibers[place].frames.last?.base ?? 0) ?? reference.descriptor
        ?? reference.characteristic
      do throws(Failure) {
        let value = site.raw ? .bytes(bytes) : try program.formats.decode(uuid, bytes, zone: environment.timeZone)
        if !site.raw { received(value, from: bytes, of: uuid, by: fibers[place]) }
        complete(place, value, into: site.destination)
      } catch {
        fail(place, error, device: index)
      }
    }
  }

  /// The UUID of an attribute that is given as a value, as in `read (c)`. Its path has only the
  /// handle.
  private func given(_ site: AttributeSite, _ fiber: borrowing Fiber, _ base: Int) -> UUID? {
    guard case .value(let operand) = site.form, case .attribute(let attribute) = read(operand.raw, fiber, base) else { return nil }
    return attribute.descriptor ?? attribute.characteristic
  }

  /// Adds a completed request to the set-up list, to be repeated on every later connection.
  private mutating func join(_ index: Int, _ request: GattRequest, of place: Int) {
    guard let frame = fibers[place].frames.last else { return }
    if case .pair = request { return joinPairing(index, request, of: place) }
    let statement = Int(program.statementOf[frame.pc])
    guard !devices[index].setUp.contains(where: { $0.request == request }) else { return }
    // Repeat only the latest value of a parameter.
    if case .adjust(let wanted) = request {
      devices[index].setUp.removeAll { if case .adjust(let other) = $0.request { other.isSameKind(as: wanted) } else { false } }
    }
    var item = SetUpItem(request: request, statement: statement)
    if frame.unit != Program.body, rescue(of: statement) != nil { item.locals = Array(fibers[place].slots[frame.base...]) }
    devices[index].setUp.append(item)
  }

  /// A `pair` replaces the previous one but keeps that one's `otherwise`. A `pair` inside such an
  /// `otherwise` counts as the outer one, so that its `otherwise` also serves the next time.
  private mutating func joinPairing(_ index: Int, _ request: GattRequest, of place: Int) {
    if renews(index, fibers[place].role), devices[index].setUp.contains(where: \.isPairing) { return }
    let frames = fibers[place].frames
    guard var depth = frames.indices.last else { return }
    var statement = Int(program.statementOf[frames[depth].pc])
    search: for outer in frames.indices {
      for attempt in frames[outer].tries where attempt.rescued != nil {
        guard let found = program.pairing(of: program.tries[attempt.site]) else { continue }
        (depth, statement) = (outer, found)
        break search
      }
    }
    var item = SetUpItem(request: request, statement: statement)
    let old = devices[index].setUp.firstIndex(where: \.isPairing)
    if let old, devices[index].setUp[old].statement != statement, rescue(of: devices[index].setUp[old].statement) != nil { return }
    if frames[depth].unit != Program.body, rescue(of: statement) != nil {
      let end = depth + 1 < frames.count ? frames[depth + 1].base : fibers[place].slots.count
      item.locals = Array(fibers[place].slots[frames[depth].base..<end])
    }
    if let old {
      devices[index].setUp[old] = item
    } else {
      devices[index].setUp.append(item)
    }
  }

  /// Sends the write itself after its attribute is found.
  private mutating func located(_ place: Int, _ operation: inout OperationWait) {
    let index = operation.device
    if let path = operation.unrepeatablePath {
      if devices[link: index].located.count >= 64 { devices[link: index].located.removeFirst() }
      devices[link: index].located.append(path)
    }
    operation.isLocating = false
    operation.sent = nil
    send(&operation, for: fibers[place].id, fibers[place].role)
    fibers[place].wait = .operation(operation)
  }

  private mutating func verified(_ place: Int, _ operation: inout OperationWait, _ outcome: Exchange.Outcome) {
    guard case .write(_, let wanted) = operation.request, case .value(let found, _) = outcome else {
      return written(place, operation)
    }
    if found == wanted { return written(place, operation) }
    operation.isVerifying = false
    operation.lost = nil
    operation.sent = nil
    send(&operation, for: fibers[place].id, fibers[place].role)
    fibers[place].wait = .operation(operation)
  }
}
