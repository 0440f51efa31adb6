import Exchange
import Recipe
import Vocabulary

extension Machine {
  /// What is served now.
  var served: ServerTemplate? { server.site.map { program.servers[$0] } }

  // MARK: `serve` and `stop serving`

  /// The `let`s of the peripheral have their values: it goes on the air. The statement ends when it
  /// advertises.
  mutating func serve(_ index: Int, _ fiber: inout Fiber) throws(Failure) -> Stop? {
    try beginServing(index, at: fiber.frames[fiber.frames.count - 1].pc)
    for unit in program.servers[index].handlers { try enterHandler(ActiveHandler(unit: unit)) }
    publishServer()
    guard let last = server.lastOrder else { return nil }
    return pause(&fiber, .published(last))
  }

  /// Whether this peripheral is served already. An adapter has one table and one advertising set.
  func isServing(_ index: Int) throws(Failure) -> Bool {
    guard let site = server.site else { return false }
    if site == index { return true }
    let holder = program.servers[site].peripheral
    throw Failure(
      .adapter, "the adapter serves `\(holder)` already", blame: .adapter, layer: .os,
      hint: "`stop serving \(holder)` first, or serve the other one from a recipe with an adapter of its own",
      delivered: .notSent)
  }

  /// Sets up the values that the peripheral begins with.
  mutating func beginServing(_ index: Int, at pc: Int) throws(Failure) {
    let template = program.servers[index]
    var values: [[UInt8]] = Array(repeating: [], count: template.attributes.count)
    for attribute in template.attributes {
      guard let start = attribute.initial else { continue }
      values[attribute.id.raw] = try encode(evaluate(unit: template.unit, at: start), for: attribute.path)
    }
    _ = try fixedPasskey(of: template)
    server.state = ServerState(name: template.peripheral)
    server.replace(values)
    server.site = index
    if program.isPeripheral { publishTable() }
    guard let start = template.advertise else { return }
    do throws(Failure) {
      _ = try evaluate(unit: template.unit, at: start)
    } catch {
      server.removeAll()
      throw error
    }
  }

  /// The table with its values as they are now.
  private func currentTable(_ template: ServerTemplate) -> ServerTable {
    var table = template.table
    // A run that hosts itself stores a value before its central is told that it was: what a kill
    // loses was not confirmed. A keeper outlives the run and answers by itself.
    table.confirmsWrites = !program.isPeripheral && header.value.keeperSession == 0
    for service in table.services.indices {
      for index in table.services[service].characteristics.indices {
        let id = table.services[service].characteristics[index].id
        table.services[service].characteristics[index].value = server.values[id.raw]
        for descriptor in table.services[service].characteristics[index].descriptors.indices {
          let id = table.services[service].characteristics[index].descriptors[descriptor].id
          table.services[service].characteristics[index].descriptors[descriptor].value = server.values[id.raw]
        }
      }
    }
    return table
  }

  private mutating func publishTable() {
    guard let template = served else { return }
    var table = currentTable(template)
    table.pairing = serverPairing(template)
    if program.isPeripheral { server.table = table }
    order(.publish, .publish(table))
    server.tableOrder = server.lastOrder
  }

  /// The host gets the table, and what is advertised.
  private mutating func publishServer() {
    server.mustPublish = false
    guard server.site != nil else { return }
    server.state.orders = []
    publishTable()
    if let plan = server.state.plan { order(.advertise, .advertise(plan)) }
  }

  /// After `on restore`, or for another keeper.
  mutating func arrangeServer() {
    guard server.mustPublish, !isRestoring, life == .running || isDraining else { return }
    publishServer()
  }

  /// Something asked of the host for the server. A keeper is asked again by a run that comes back.
  private mutating func order(_ kind: ServerState.Order.Kind, _ command: HostCommand) {
    let operation = nextOperation()
    server.lastOrder = operation
    request(operation, command)
    guard header.value.keeperSession != 0, !program.isPeripheral else { return }
    if case .update = kind { server.state.orders.removeAll { $0.kind == kind } }
    server.state.orders.append(ServerState.Order(operation: operation, kind: kind))
  }

  mutating func serverOrderCompleted(_ operation: OperationID) {
    guard let place = server.state.orders.firstIndex(where: { $0.operation == operation }) else { return }
    server.state.orders.remove(at: place)
  }

  /// The end of what a fiber waits for: its value has left, or what it serves is on the air.
  mutating func publicationEnded(_ place: Int, _ result: Result<Outcome, Failure>) {
    guard case .failure(let failure) = result else { return complete(place) }
    let pc = fibers[place].frames.last?.pc ?? 0
    if program.code.indices.contains(pc), program.code[pc].code == .serve {
      leaveAir()
      forgetServer()
    }
    fail(place, failure)
  }

  mutating func stopServing(_ index: Int, _ fiber: inout Fiber) -> Stop? {
    guard server.site == index else { return nil }
    leaveAir()
    let last = server.lastOrder
    forgetServer()
    // It ends when nothing is advertised any more.
    guard let last else { return nil }
    return pause(&fiber, .published(last))
  }

  /// The host is told that nothing is served, and links of centrals are closed.
  mutating func leaveAir() {
    guard server.site != nil, !program.isPeripheral else { return }
    for index in server.state.centrals {
      if let address = devices[index].address { request(nextOperation(), .disconnect(address)) }
    }
    server.state.orders = []
    order(.publish, .publish(ServerTable(name: "tooth", services: [])))
    order(.stopAdvertising, .stopAdvertising)
  }

  private mutating func forgetServer() {
    guard let template = served else { return }
    for unit in template.handlers { leaveHandler(ActiveHandler(unit: unit)) }
    for index in server.state.centrals {
      devices[link: index].phase = .idle
      devices[link: index].info = nil
    }
    let orders = server.state.orders
    server.state = ServerState()
    server.state.orders = orders
    server.replace([])
    server.site = nil
    server.mustPublish = false
  }

  mutating func stopAdvertising() {
    server.state.plan = nil
    order(.stopAdvertising, .stopAdvertising)
  }

  // MARK: After a kill

  /// What the checkpoint says of the server, before any event.
  mutating func takeUpServed(_ snapshot: Snapshot, _ past: PastRun) {
    guard let name = snapshot.server.name, let site = program.servers.firstIndex(where: { $0.peripheral == name }) else {
      server = Server(stored: ServerState(), values: [])
      return
    }
    server = Server(stored: snapshot.server, values: snapshot.served)
    server.site = site
    let count = program.servers[site].attributes.count
    // An edited recipe may have other attributes.
    if snapshot.served.count != count {
      server.replace(Array(snapshot.served.prefix(count)) + Array(repeating: [], count: max(0, count - snapshot.served.count)))
    }
    if past.kept == nil {
      for index in fibers.indices where fibers[index].serverRequest != nil {
        fibers[index].serverRequest?.request = ServerActivation.gone
      }
    }
    server.mustPublish = past.kept == nil || snapshot.isAligned
  }

  /// `on restore` is over. A keeper has gone on serving, and is asked again for what it may not
  /// have heard; else the centrals of the last process are gone.
  mutating func takeUpServer() {
    guard past?.kept == nil else {
      for index in server.state.centrals {
        devices[link: index].phase = .ready
        devices[link: index].info = past?.kept?.centrals.first { $0.peer == devices[index].address }?.info
      }
      for order in server.state.orders {
        switch order.kind {
        case .publish:
          if let template = served {
            var table = currentTable(template)
            table.pairing = serverPairing(template)
            request(order.operation, .publish(table))
          }
        case .advertise: if let plan = server.state.plan { request(order.operation, .advertise(plan)) }
        case .stopAdvertising: request(order.operation, .stopAdvertising)
        case .update(let attribute):
          guard server.values.indices.contains(attribute.raw) else { break }
          request(order.operation, .update(attribute: attribute, value: server.values[attribute.raw]))
        case .answer(let asked, let answer): request(order.operation, .answer(asked, answer))
        }
      }
      return
    }
    if !server.state.orders.isEmpty { server.state.orders = [] }
    for subscriber in server.state.subscribers { deliver(.unsubscribed(subscriber.attribute), device: subscriber.device) }
    for index in server.state.centrals { deliver(.centralDisconnected(.goneWhileAway), device: index) }
    guard !server.state.centrals.isEmpty || !server.state.subscribers.isEmpty else { return }
    server.state.centrals = []
    server.state.subscribers = []
  }

  /// A value was on its way when the run was killed: the keeper is asked for the same under the
  /// same number.
  mutating func publishAgain(_ index: Int, _ operation: OperationID) {
    guard let frame = fibers[index].frames.last, program.code.indices.contains(frame.pc) else { return }
    let op = program.code[frame.pc]
    // What else waits so is among the orders.
    guard op.code == .publish else {
      if !server.state.orders.contains(where: { $0.operation == operation }) { complete(index) }
      return
    }
    let site = program.publishes[Int(op.a)]
    var found: ServerTemplate.Attribute?
    var target: Address?
    askingFiber(index) { machine, fiber in
      found = try? machine.serverAttribute(site.attribute, fiber)
      if case .value(let operand) = site.attribute.device,
        let device = try? machine.device(of: machine.read(operand.raw, fiber, frame.base))
      {
        target = machine.devices[device].address
      }
    }
    guard let found, server.values.indices.contains(found.id.raw) else { return complete(index) }
    request(
      operation,
      .publishValue(
        attribute: found.id, value: server.values[found.id.raw], kind: site.indicate ? .indicate : .notify, to: target))
  }

  /// The keeper has refused it on our behalf.
  mutating func requestExpired(_ request: ServerRequestID) {
    for index in fibers.indices where fibers[index].serverRequest?.request == request {
      fibers[index].serverRequest?.request = ServerActivation.gone
    }
  }

  // MARK: Advertising

  mutating func advertise(_ site: AdvertiseSite, _ fiber: borrowing Fiber, _ base: Int) throws(Failure) {
    var services: [UUID] = []
    for wanted in site.services { services.append(try uuid(wanted, fiber, base)) }
    var plan = AdvertisingPlan(services: services, name: served?.table.name)
    if let operand = site.every {
      guard case .duration(let span) = read(operand.raw, fiber, base), span >= .milliseconds(20), span <= .milliseconds(10_240)
      else {
        throw .value("advertising repeats every 20ms to 10.24s")
      }
      plan.interval = span
    }
    if let operand = site.with {
      guard case .record(let record) = read(operand.raw, fiber, base) else { throw .value("`advertise … with` takes a record") }
      try fill(&plan, record)
    }
    server.state.plan = plan
    // `serve` asks for it behind the table.
    if program.isPeripheral || !isAsking { order(.advertise, .advertise(plan)) }
  }

  /// A number is a UUID of 16 bits, as everywhere.
  private static func service(_ value: Value) -> UUID? {
    switch value {
    case .uuid(let uuid): uuid
    default: value.whole.flatMap { UInt16(exactly: $0) }.map { UUID($0) }
    }
  }

  private func fill(_ plan: inout AdvertisingPlan, _ record: Record) throws(Failure) {
    for field in record.fields {
      switch (field.key, field.value) {
      case ("name", .text(let name)): plan.name = name
      case ("name", .nothing): plan.name = nil
      case ("connectable", .bool(let flag)): plan.connectable = flag
      case ("tx_power", .int(let power)) where (-127...20).contains(power): plan.txPower = Int(power)
      case ("appearance", .int(let number)) where (0...0xFFFF).contains(number): plan.appearance = UInt16(number)
      case ("appearance", .text(let name)):
        guard let number = AssignedNumbers.appearance(named: name) else { throw .value("no appearance is called `\(name)`") }
        plan.appearance = number
      case ("manufacturer", .record(let data)):
        guard let company = data["company"]?.whole, (0...0xFFFF).contains(company), case .bytes(let bytes)? = data["data"] else {
          throw .value("`manufacturer` is a record: {company: 0x004c, data: hex \"01 02\"}")
        }
        plan.manufacturer.append(.init(company: UInt16(company), data: bytes))
      case ("service_data", .record(let data)):
        guard let uuid = data["service"].flatMap(Self.service), case .bytes(let bytes)? = data["data"] else {
          throw .value("`service_data` is a record: {service: heart_rate, data: hex \"01 02\"}")
        }
        plan.serviceData.append(.init(service: uuid, data: bytes))
      case ("solicit", .list(let list)):
        plan.solicited = list.compactMap { if case .uuid(let uuid) = $0 { uuid } else { nil } }
      default:
        throw .value(
          "`advertise … with` has no `\(field.key)` like this",
          hint: "name, manufacturer, service_data, solicit, appearance, tx_power, connectable")
      }
    }
  }

  func serverUUID(_ id: ServerAttributeID) -> UUID? {
    guard let attribute = served?.attributes.first(where: { $0.id == id }) else { return nil }
    return formatUUID(attribute.path)
  }

  private func serverAttribute(_ site: AttributeSite, _ fiber: borrowing Fiber) throws(Failure) -> ServerTemplate.Attribute {
    let path = try path(site, fiber, fiber.frames[fiber.frames.count - 1].base)
    guard let served else { throw .value("nothing is served any more", hint: "`stop serving` has ended it") }
    guard let found = served.attribute(for: path) else { throw .value("this peripheral has no `\(site.text)`") }
    return found
  }

  // MARK: Statements

  mutating func publish(_ site: PublishSite, _ fiber: inout Fiber, _ base: Int) throws(Failure) -> Stop? {
    let attribute = try serverAttribute(site.attribute, fiber)
    let bytes = try encode(read(site.value.raw, fiber, base), for: attribute.path)
    var target: Address?
    if case .value(let operand) = site.attribute.device {
      let index = try device(of: read(operand.raw, fiber, base))
      target = devices[index].address
    }
    let operation = nextOperation()
    server.set(attribute.id, bytes)
    request(
      operation,
      .publishValue(attribute: attribute.id, value: bytes, kind: site.indicate ? .indicate : .notify, to: target))
    return pause(&fiber, .published(operation))
  }

  mutating func update(_ site: AttributeSite, _ value: Value, _ fiber: inout Fiber) throws(Failure) {
    let attribute = try serverAttribute(site, fiber)
    let bytes = try encode(value, for: attribute.path)
    if let activation = fiber.serverRequest, activation.attribute == attribute.id, !activation.isAnswered {
      fiber.serverRequest?.update = bytes
      return
    }
    store(attribute.id, bytes)
  }

  private mutating func store(_ attribute: ServerAttributeID, _ value: [UInt8]) {
    server.set(attribute, value)
    order(.update(attribute), .update(attribute: attribute, value: value))
  }

  /// - Parameter answer: what its central hears, if it still waits.
  private mutating func settle(_ activation: ServerActivation, _ answer: ServerAnswer) {
    switch answer {
    case .accept: if let written = activation.written { server.set(activation.attribute, written) }
    case .value(let value): if activation.written != nil { server.set(activation.attribute, value) }
    case .refuse: break
    }
    if activation.request != ServerActivation.gone {
      order(.answer(activation.request, answer), .answer(activation.request, answer))
    }
    if let update = activation.update { store(activation.attribute, update) }
  }

  mutating func answer(_ value: Value, _ fiber: inout Fiber) throws(Failure) -> Stop? {
    if let asked = fiber.question { return try answer(value, to: asked, &fiber) }
    guard let activation = fiber.serverRequest, !activation.isAnswered else {
      throw .value("there is nothing to answer here")
    }
    guard let attribute = served?.attributes.first(where: { $0.id == activation.attribute }) else { return nil }
    let bytes = try encode(value, for: attribute.path)
    fiber.serverRequest?.isAnswered = true
    settle(activation, .value(bytes))
    return nil
  }

  mutating func refuse(_ value: Value, _ fiber: inout Fiber) throws(Failure) -> Stop? {
    if let asked = fiber.question { return try refuse(asked, &fiber) }
    guard let activation = fiber.serverRequest, !activation.isAnswered else {
      throw .value("there is nothing to refuse here")
    }
    guard let code = value.whole, (1...0xFF).contains(code) else {
      throw .value("an ATT error code is 0x01 to 0xff; your own are 0x80 to 0x9f")
    }
    fiber.serverRequest?.isAnswered = true
    settle(activation, .refuse(UInt8(code)))
    return nil
  }

  /// A handler that ends without `answer` or `refuse` accepts: a write is stored, a read gets the
  /// stored value.
  mutating func finishServerRequest(_ fiber: Fiber) {
    refuseUnanswered(fiber)
    guard let activation = fiber.serverRequest, !activation.isAnswered else { return }
    settle(activation, .accept)
  }

  /// Unlikely Error and Value Not Allowed (Vol 3, Part F, 3.4.1.1).
  private static let unlikelyError: UInt8 = 0x0E
  private static let valueNotAllowed: UInt8 = 0x13

  /// A write whose value no handler can read: its central waits for an answer all the same.
  mutating func refuseUndecoded(_ event: MachineEvent) {
    guard case .written(let asked, let attribute, _) = event.kind else { return }
    settle(ServerActivation(request: asked, attribute: attribute), .refuse(Self.valueNotAllowed))
  }

  /// A handler that failed has not done what its central asked for.
  mutating func refuseFailed(_ index: Int) {
    guard let activation = fibers[index].serverRequest, !activation.isAnswered else { return }
    fibers[index].serverRequest?.isAnswered = true
    settle(activation, .refuse(Self.unlikelyError))
  }

  // MARK: Centrals

  mutating func centralConnected(_ address: Address, _ info: LinkInfo, _ at: Instant) {
    let index = knownDevice(AddressValue(address))
    devices[link: index].info = info
    devices[link: index].phase = .ready
    if !server.state.centrals.contains(index) { server.state.centrals.append(index) }
    deliver(.centralConnected, device: index, at: at)
  }

  mutating func centralDisconnected(_ address: Address, _ reason: DisconnectReason, _ at: Instant) {
    guard let index = deviceIndex(address) else { return }
    devices[link: index].phase = .idle
    devices[link: index].info = nil
    // Of a peripheral that is not served any more.
    guard server.state.centrals.contains(index) || program.isPeripheral else { return }
    server.state.centrals.removeAll { $0 == index }
    if server.state.subscribers.contains(where: { $0.device == index }) {
      server.state.subscribers.removeAll { $0.device == index }
    }
    deliver(.centralDisconnected(reason), device: index, at: at)
    for id in fibers.map(\.id) {
      guard let place = fibers.index(of: id) else { continue }
      switch fibers[place].wait {
      case .closing(index): complete(place)
      case .operation(let operation) where operation.device == index: operationLostLink(place, operation, reason)
      default: break
      }
    }
  }

  mutating func subscribed(_ central: Address, _ attribute: ServerAttributeID, _ kind: SubscriptionKind) {
    let index = knownDevice(AddressValue(central))
    server.state.subscribers.removeAll { $0.device == index && $0.attribute == attribute }
    server.state.subscribers.append(ServerState.Subscriber(device: index, attribute: attribute, kind: kind))
    deliver(.subscribed(attribute), device: index)
  }

  mutating func unsubscribed(_ central: Address, _ attribute: ServerAttributeID) {
    let index = knownDevice(AddressValue(central))
    server.state.subscribers.removeAll { $0.device == index && $0.attribute == attribute }
    deliver(.unsubscribed(attribute), device: index)
  }

  /// A value that no handler takes is stored, and confirmed when it is.
  mutating func written(
    _ request: ServerRequestID, _ attribute: ServerAttributeID, _ central: Address, _ bytes: [UInt8], _ at: Instant
  ) {
    let index = knownDevice(AddressValue(central))
    if served?.isAsked(attribute) ?? true { return deliver(.written(request, attribute, bytes), device: index, at: at) }
    settle(ServerActivation(request: request, attribute: attribute, written: bytes), .accept)
    deliver(.written(request, attribute, bytes), device: index, at: at)
  }

  // MARK: `P.centrals`, `P.subscribers`

  func serverMember(_ index: Int, _ name: String) throws(Failure) -> Value {
    let isServed = server.site == index
    switch name {
    case "centrals": return .list(isServed ? server.state.centrals.map { .device($0) } : [])
    case "subscribers":
      var list: [Value] = []
      if isServed {
        for subscriber in server.state.subscribers where !list.contains(.device(subscriber.device)) {
          list.append(.device(subscriber.device))
        }
      }
      return .list(list)
    default:
      throw .value("`\(program.servers[index].peripheral)` has no `\(name)`", hint: "its `let`s, `centrals` and `subscribers`")
    }
  }
}

extension ServerTemplate {
  /// Whether a handler answers writes of this attribute.
  func isAsked(_ id: ServerAttributeID) -> Bool {
    for service in table.services {
      for characteristic in service.characteristics {
        if characteristic.id == id { return characteristic.asksBeforeWrite }
        for descriptor in characteristic.descriptors where descriptor.id == id { return descriptor.asksBeforeWrite }
      }
    }
    return true
  }
}

extension MachineEvent {
  /// Of a checkpoint: without a keeper nobody waits for an answer any more.
  func takenUp(isKept: Bool) -> MachineEvent {
    if isKept { return self }
    var event = self
    switch kind {
    case .written(_, let attribute, let bytes): event.kind = .written(ServerActivation.gone, attribute, bytes)
    case .readAsked(_, let attribute): event.kind = .readAsked(ServerActivation.gone, attribute)
    case .pairingAsked(var activation, let isOfServer):
      activation.id = PairingActivation.gone
      event.kind = .pairingAsked(activation, isOfServer: isOfServer)
    default: break
    }
    return event
  }
}
