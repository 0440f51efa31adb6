import Exchange
import Vocabulary

/// Values of the served peripheral: publishing, updating and answering.
extension Machine {
  func serverUUID(_ id: ServerAttributeID) -> UUID? {
    guard let attribute = served?.attributes.first(where: { $0.id == id }) else { return nil }
    return formatUUID(attribute.path)
  }

  func serverAttribute(_ site: AttributeSite, _ fiber: borrowing Fiber) throws(Failure) -> ServerTemplate.Attribute {
    let path = try path(site, fiber, fiber.frames[fiber.frames.count - 1].base)
    guard let served else { throw .value("nothing is being served", hint: "`stop serving` has ended it") }
    guard let found = served.attribute(for: path) else { throw .value("this peripheral has no `\(site.text)`") }
    return found
  }

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

  /// - Parameter answer: the response to the central, if it still waits.
  mutating func settle(_ activation: ServerActivation, _ answer: ServerAnswer) {
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

  /// Accepts the request of a handler that ends without `answer` or `refuse`: a write is stored, a
  /// read gets the stored value.
  mutating func finishServerRequest(_ fiber: Fiber) {
    refuseUnanswered(fiber)
    guard let activation = fiber.serverRequest, !activation.isAnswered else { return }
    settle(activation, .accept)
  }

  /// Unlikely Error and Value Not Allowed (Vol 3, Part F, 3.4.1.1).
  private static let unlikelyError: UInt8 = 0x0E
  private static let valueNotAllowed: UInt8 = 0x13

  /// Refuses a write whose value no handler can decode, because its central waits for a response.
  mutating func refuseUndecoded(_ event: MachineEvent) {
    guard case .written(let asked, let attribute, _) = event.kind else { return }
    settle(ServerActivation(request: asked, attribute: attribute), .refuse(Self.valueNotAllowed))
  }

  /// Refuses the request of a handler that has failed.
  mutating func refuseFailed(_ index: Int) {
    guard let activation = fibers[index].serverRequest, !activation.isAnswered else { return }
    fibers[index].serverRequest?.isAnswered = true
    settle(activation, .refuse(Self.unlikelyError))
  }
}
