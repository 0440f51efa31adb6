import Exchange
import Recipe
import Vocabulary

extension Machine {
  /// The served peripheral.
  var served: ServerTemplate? { server.site.map { program.servers[$0] } }

  // MARK: `serve` and `stop serving`

  /// Serves a peripheral after its `let`s have their values. The statement ends when it advertises.
  mutating func serve(_ index: Int, _ fiber: inout Fiber) throws(Failure) -> Stop? {
    try beginServing(index, at: fiber.frames[fiber.frames.count - 1].pc)
    for unit in program.servers[index].handlers { try enterHandler(ActiveHandler(unit: unit)) }
    publishServer()
    guard let last = server.lastOrder else { return nil }
    return pause(&fiber, .published(last))
  }

  /// Whether this peripheral is already served. An adapter has one table and one advertising set.
  func isServing(_ index: Int) throws(Failure) -> Bool {
    guard let site = server.site else { return false }
    if site == index { return true }
    let holder = program.servers[site].peripheral
    throw Failure(
      .adapter, "the adapter already serves `\(holder)`", blame: .adapter, layer: .os,
      hint: "`stop serving \(holder)` first, or serve the other one from a recipe with an adapter of its own",
      delivered: .notSent)
  }

  /// Sets the initial values of the peripheral.
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
      // Deletes the values of a peripheral before it, too.
      forgetServer()
      throw error
    }
  }

  /// The table with its current values.
  private func currentTable(_ template: ServerTemplate) -> ServerTable {
    var table = template.table
    // Without a keeper, the run stores a value before it confirms it to the central, so a kill
    // loses only unconfirmed values. A keeper outlives the run and confirms by itself.
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
    table.outOfBand = environment.codes.outOfBand
    if program.isPeripheral { server.table = table }
    order(.publish, .publish(table))
    server.tableOrder = server.lastOrder
  }

  /// Sends the table and the advertising plan to the host.
  private mutating func publishServer() {
    server.mustPublish = false
    guard server.site != nil else { return }
    server.state.orders = []
    publishTable()
    if let plan = server.state.plan { order(.advertise, .advertise(plan)) }
  }

  /// Publishes the server after `on restore` or at another keeper.
  mutating func arrangeServer() {
    guard server.mustPublish, !isRestoring, life == .running || isDraining else { return }
    publishServer()
  }

  /// Sends a server command to the host. At a keeper, a restored run repeats it.
  mutating func order(_ kind: ServerState.Order.Kind, _ command: HostCommand) {
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

  /// Continues a fiber after its value was sent, or its peripheral advertises.
  mutating func publicationEnded(_ place: Int, _ result: Result<Outcome, Failure>) {
    withFiber(place) { machine, fiber in machine.forgetQuestion(&fiber) }
    guard case .failure(let failure) = result else { return complete(place) }
    let pc = fibers[place].frames.last?.pc ?? 0
    if program.code.indices.contains(pc), program.code[pc].code == .serve {
      leaveAir()
      forgetServer()
      endLeftHandlers()
    }
    fail(place, failure)
  }

  mutating func stopServing(_ index: Int, _ fiber: inout Fiber) -> Stop? {
    guard server.site == index else { return nil }
    leaveAir()
    let last = server.lastOrder
    forgetServer(by: root(of: fiber.role))
    // The statement ends when advertising has stopped.
    guard let last else { return nil }
    return pause(&fiber, .published(last))
  }

  /// Stops serving at the host, and closes the links of centrals.
  mutating func leaveAir() {
    guard server.site != nil, !program.isPeripheral else { return }
    for index in server.state.centrals {
      if let address = devices[index].address { request(nextOperation(), .disconnect(address)) }
    }
    server.state.orders = []
    order(.publish, .publish(ServerTable(name: "tooth", services: [])))
    order(.stopAdvertising, .stopAdvertising)
  }

  /// - Parameter stopper: the fiber that stops it and continues, even as a handler of the
  ///   peripheral.
  private mutating func forgetServer(by stopper: Fiber.Role? = nil) {
    guard let template = served else { return }
    for unit in template.handlers { leaveHandler(ActiveHandler(unit: unit)) }
    server.left = (template.handlers, stopper)
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

  /// Ends the running handlers of a peripheral that was stopped. A central that still waits gets an
  /// error response.
  mutating func endLeftHandlers() {
    guard let (units, stopper) = server.left else { return }
    server.left = nil
    events.forget(units: units)
    let ended = fibers.compactMap { fiber -> UInt64? in
      switch fiber.role {
      case .handler(let unit, _), .connect(let unit, _), .timer(let unit, _), .failure(let unit):
        units.contains(unit) && fiber.role != stopper ? fiber.id : nil
      case .body, .setUp, .whenever, .restore, .stop, .branch: nil
      }
    }
    for id in ended {
      if let place = fibers.index(of: id) { refuseFailed(place) }
      cancel(id, "the handler", reportsUnsure: true)
    }
  }

  // MARK: After a kill

  /// Restores the server from a checkpoint, before any event.
  mutating func restoreServed(_ snapshot: Snapshot, _ past: PastRun) {
    guard let name = snapshot.server.name, let site = program.servers.firstIndex(where: { $0.peripheral == name }) else {
      server = Server(stored: ServerState(), values: [])
      return
    }
    server = Server(stored: snapshot.server, values: snapshot.served)
    server.site = site
    if past.kept == nil {
      for index in fibers.indices where fibers[index].serverRequest != nil {
        fibers[index].serverRequest?.request = ServerActivation.gone
      }
    }
    server.mustPublish = past.kept == nil || snapshot.isAligned
  }

  /// Resumes the server after `on restore`. A keeper has continued to serve, and gets unconfirmed
  /// orders again. Without one, the centrals of the last process are gone.
  mutating func restoreServer() {
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
            table.outOfBand = environment.codes.outOfBand
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

  /// Repeats the publication of a value at a keeper, with the same number.
  mutating func publishAgain(_ index: Int, _ operation: OperationID) {
    guard let frame = fibers[index].frames.last, program.code.indices.contains(frame.pc) else { return }
    let op = program.code[frame.pc]
    // Other operations with this wait are among the orders.
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

  /// Closes a request that the keeper has already refused.
  mutating func requestExpired(_ request: ServerRequestID) {
    for index in fibers.indices where fibers[index].serverRequest?.request == request {
      fibers[index].serverRequest?.request = ServerActivation.gone
    }
  }
}
