import Exchange
import Recipe
import Vocabulary

extension Machine {
  /// The table with its first values, and the advertising, go to the host.
  mutating func publishServer(_ fiber: inout Fiber) throws(Failure) {
    guard let template = program.serverTable, !server.isPublished else { return }
    server.isPublished = true
    var table = template.table
    for attribute in template.attributes {
      guard let start = attribute.initial else { continue }
      let value = try evaluate(start, &fiber)
      let bytes = try encode(value, for: attribute.path)
      for service in table.services.indices {
        for index in table.services[service].characteristics.indices {
          if table.services[service].characteristics[index].id == attribute.id {
            table.services[service].characteristics[index].value = bytes
          }
          for descriptor in table.services[service].characteristics[index].descriptors.indices
          where table.services[service].characteristics[index].descriptors[descriptor].id == attribute.id {
            table.services[service].characteristics[index].descriptors[descriptor].value = bytes
          }
        }
      }
    }
    server.table = table
    request(nextOperation(), .publish(table))
    if let start = template.advertise { _ = try evaluate(start, &fiber) }
  }

  mutating func advertise(_ site: AdvertiseSite, _ fiber: borrowing Fiber, _ base: Int) throws(Failure) {
    var services: [UUID] = []
    for wanted in site.services { services.append(try uuid(wanted, fiber, base)) }
    var plan = AdvertisingPlan(services: services, name: program.serverTable?.table.name)
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
    request(nextOperation(), .advertise(plan))
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
    guard let attribute = program.serverTable?.attributes.first(where: { $0.id == id }) else { return nil }
    return formatUUID(attribute.path)
  }

  private func serverAttribute(_ site: AttributeSite, _ fiber: borrowing Fiber) throws(Failure) -> ServerTemplate.Attribute {
    let path = try path(site, fiber, fiber.frames[fiber.frames.count - 1].base)
    guard let found = program.serverTable?.attribute(for: path) else {
      throw .value("this peripheral has no `\(site.text)`")
    }
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
    request(nextOperation(), .update(attribute: attribute.id, value: bytes))
  }

  mutating func answer(_ value: Value, _ fiber: inout Fiber) throws(Failure) {
    guard let activation = fiber.serverRequest, !activation.isAnswered else {
      throw .value("there is nothing to answer here")
    }
    guard let attribute = program.serverTable?.attributes.first(where: { $0.id == activation.attribute }) else { return }
    let bytes = try encode(value, for: attribute.path)
    fiber.serverRequest?.isAnswered = true
    request(nextOperation(), .answer(activation.request, .value(bytes)))
    storeUpdate(&fiber)
  }

  /// What `update` said before the request was answered.
  private mutating func storeUpdate(_ fiber: inout Fiber) {
    guard let activation = fiber.serverRequest, let value = activation.update else { return }
    fiber.serverRequest?.update = nil
    request(nextOperation(), .update(attribute: activation.attribute, value: value))
  }

  mutating func refuse(_ value: Value, _ fiber: inout Fiber) throws(Failure) {
    guard let activation = fiber.serverRequest, !activation.isAnswered else {
      throw .value("there is nothing to refuse here")
    }
    guard let code = value.whole, (1...0xFF).contains(code) else {
      throw .value("an ATT error code is 0x01 to 0xff; your own are 0x80 to 0x9f")
    }
    fiber.serverRequest?.isAnswered = true
    request(nextOperation(), .answer(activation.request, .refuse(UInt8(code))))
    storeUpdate(&fiber)
  }

  /// A handler that ends without `answer` or `refuse` accepts: a write is stored, a read gets the
  /// stored value.
  mutating func finishServerRequest(_ fiber: Fiber) {
    guard let activation = fiber.serverRequest, !activation.isAnswered else { return }
    request(nextOperation(), .answer(activation.request, .accept))
    if let update = activation.update { request(nextOperation(), .update(attribute: activation.attribute, value: update)) }
  }

  /// Unlikely Error and Value Not Allowed (Vol 3, Part F, 3.4.1.1).
  private static let unlikelyError: UInt8 = 0x0E
  private static let valueNotAllowed: UInt8 = 0x13

  /// A write whose value no handler can read: its central waits for an answer all the same.
  mutating func refuseUndecoded(_ event: MachineEvent) {
    guard case .written(let asked, _, _) = event.kind else { return }
    request(nextOperation(), .answer(asked, .refuse(Self.valueNotAllowed)))
  }

  /// A handler that failed has not done what its central asked for.
  mutating func refuseFailed(_ index: Int) {
    guard let activation = fibers[index].serverRequest, !activation.isAnswered else { return }
    fibers[index].serverRequest?.isAnswered = true
    request(nextOperation(), .answer(activation.request, .refuse(Self.unlikelyError)))
    if let value = activation.update { request(nextOperation(), .update(attribute: activation.attribute, value: value)) }
  }

  // MARK: Centrals

  mutating func centralConnected(_ address: Address, _ info: LinkInfo) {
    let index = knownDevice(AddressValue(address))
    devices[link: index].info = info
    devices[link: index].phase = .ready
    if !server.centrals.contains(index) { server.centrals.append(index) }
    deliver(.connected, device: index)
  }

  mutating func centralDisconnected(_ address: Address, _ reason: DisconnectReason) {
    guard let index = deviceIndex(address) else { return }
    devices[link: index].phase = .idle
    devices[link: index].info = nil
    server.centrals.removeAll { $0 == index }
    deliver(.disconnected(reason), device: index)
    for id in fibers.map(\.id) {
      guard let place = fibers.index(of: id) else { continue }
      switch fibers[place].wait {
      case .closing(index): complete(place)
      case .operation(let operation) where operation.device == index: operationLostLink(place, operation, reason)
      default: break
      }
    }
  }
}
