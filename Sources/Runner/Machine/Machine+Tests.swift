package import Exchange
import Recipe
package import Vocabulary

/// Statements of tests: they send orders to the simulated world and observe the results.
extension Machine {
  /// Sends an order with this turn. The statement is completed when the world has answered.
  mutating func order(_ site: OrderSite, _ destination: UInt16, _ fiber: inout Fiber, _ base: Int) throws(Failure) -> Stop? {
    let order: TestOrder
    switch site {
    case .simulate(let peripheral, let name, let with):
      order = .simulate(
        subject: subjects.count, peripheral: peripheral, name: name, with: try record(with, "simulate", fiber, base))
    case .start(let file, let with):
      order = .start(subject: subjects.count, file: file, with: try record(with, "start recipe", fiber, base))
    case .kill(let operand): order = .kill(subject: try subject(operand, fiber, base))
    case .resume(let operand): order = .resume(subject: try subject(operand, fiber, base))
    case .make(let operand, let fault):
      order = .make(
        subject: try operand.map { (operand) throws(Failure) in try subject(operand, fiber, base) },
        try self.fault(fault, fiber, base))
    }
    switch order {
    case .simulate, .start:
      store(.subject(subjects.count), destination, &fiber, base)
      subjects.append(Record())
    case .kill, .resume, .make, .set: break
    }
    let effect = nextEffect()
    effects.append(.order(effect, order))
    isTurnOver = true
    return pause(&fiber, .file(effect, repeats: false))
  }

  private func record(_ operand: Operand?, _ verb: String, _ fiber: borrowing Fiber, _ base: Int) throws(Failure) -> Record {
    guard let operand else { return Record() }
    let value = read(operand.raw, fiber, base)
    guard case .record(let record) = value else { throw .value("`\(verb) … with` takes a record, not \(value.typeName)") }
    return record
  }

  private func subject(_ operand: Operand, _ fiber: borrowing Fiber, _ base: Int) throws(Failure) -> Int {
    let value = read(operand.raw, fiber, base)
    guard case .subject(let index) = value, subjects.indices.contains(index) else {
      throw .value("this is \(value.typeName), not something that the test simulates or has started")
    }
    return index
  }

  private func fault(_ fault: OrderSite.Fault, _ fiber: borrowing Fiber, _ base: Int) throws(Failure) -> TestOrder.Fault {
    switch fault {
    case .vanish: return .vanish
    case .appear: return .appear
    case .drop: return .drop
    case .reboot: return .reboot
    case .loseNextReply: return .loseNextReply
    case .changeServices: return .changeServices
    case .forgetBond: return .forgetBond
    case .slow(let operand):
      guard case .duration(let delay) = read(operand.raw, fiber, base), delay >= .zero else {
        throw .value("`slow by` takes a duration")
      }
      return .slow(by: delay)
    case .refuseNext(let request, let operand):
      guard let code = read(operand.raw, fiber, base).whole, (1...0xFF).contains(code) else {
        throw .value("an ATT error code is 0x01 to 0xff; a device's own are 0x80 to 0x9f")
      }
      return .refuseNext(request, code: UInt8(code))
    }
  }

  /// Sets a field of a subject of the test.
  mutating func subjectChanged(_ index: Int, _ name: String, _ value: Value) {
    guard subjects.indices.contains(index), subjects[index][name] != value else { return }
    subjects[index].set(name, value)
    hasNews = true
  }

  /// Adds an element to a list of a subject.
  mutating func subjectGrew(_ index: Int, _ name: String, _ value: Value) {
    guard subjects.indices.contains(index) else { return }
    subjects[index].append(value, to: name)
    hasNews = true
  }

  func member(ofSubject index: Int, _ name: String) throws(Failure) -> Value {
    guard subjects.indices.contains(index) else { return .nothing }
    if let value = subjects[index][name] { return value }
    let known = subjects[index].fields.map(\.key).joined(separator: ", ")
    throw .value("this has no `\(name)`", hint: "it has \(known)")
  }

  /// `set P.name to e`
  mutating func setSubject(_ index: Int, _ path: [PathStep], to value: Value) throws(Failure) {
    guard case .member(let name)? = path.first, subjects.indices.contains(index) else {
      throw .value("a part of a test has fields, not elements")
    }
    guard subjects[index]["address"] != nil, subjects[index][name] != nil, !SubjectFields.peripheral.contains(name) else {
      throw .value("`\(name)` is not a `let` of a simulated peripheral, so it cannot be set")
    }
    var fields = Value.record(subjects[index])
    try fields.set(path, to: value)
    guard case .record(let record) = fields, let whole = record[name] else { return }
    subjects[index] = record
    effects.append(.order(nextEffect(), .set(subject: index, name: name, whole)))
    hasNews = true
  }

  // MARK: State that a test reads

  /// Whether the run is idle: it waits only for time or outside events, and all wanted devices are
  /// ready.
  package var isIdle: Bool {
    if isRestoring || life != .running || !adapter.isUp && program.needsHost { return false }
    for fiber in fibers {
      switch fiber.wait {
      case .span, .forever, .until, .event, .reconnect, .branches, .asked, .prompt: continue
      case .none, .scan, .link, .operation, .retry, .file, .published, .closing, .command, .forgetting: return false
      }
    }
    return devices.active.allSatisfy { index in
      switch devices[link: index].phase {
      case .ready, .idle: !devices[index].isWanted || devices[link: index].phase == .ready
      default: false
      }
    }
  }

  /// The number of centrals connected to this peripheral.
  package var centralCount: Int { server.state.centrals.count }
  package var centrals: [Address] { server.state.centrals.compactMap { devices[$0].address } }

  /// Publishes the table of this peripheral again, after an additional service that moves handles.
  package mutating func publishMoved(at now: Instant) {
    self.now = now
    guard var table = server.table else { return }
    for place in table.services.indices { table.services[place].includes = table.services[place].includes.map { $0 + 1 } }
    table.services.insert(ServerTable.Service(uuid: UUID(Self.placeholder), characteristics: []), at: 0)
    server.table = table
    request(nextOperation(), .publish(table))
  }

  /// The UUID of a service that only takes up a handle.
  private static let placeholder: UInt16 = 0xFFF0

  /// The value of a variable; `nil` if there is no such variable or it has no value.
  package func variable(named name: String) -> Value? {
    guard let index = program.variables.firstIndex(where: { $0.name == name }), variables[index] != .unset else { return nil }
    return variables[index]
  }

  package mutating func setVariable(named name: String, to value: Value) {
    guard let index = program.variables.firstIndex(where: { $0.name == name }) else { return }
    variables[index] = value
    hasNews = true
  }
}

extension Record {
  /// Adds to the list of this name in place.
  mutating func append(_ value: Value, to name: String) {
    guard let place = fields.firstIndex(where: { $0.key == name }), case .list(var list) = fields[place].value else {
      return set(name, .list([value]))
    }
    fields[place].value = .nothing
    list.append(value)
    fields[place].value = .list(list)
  }
}

/// The places in the text from which effects come, for observers of effects.
extension Machine {
  package func line(asking operation: OperationID) -> RecipeLine {
    for fiber in fibers {
      switch fiber.wait {
      case .operation(let wait) where wait.sent == operation: return line(of: fiber)
      case .scan(let scan) where scan.operation == operation: return line(of: fiber)
      default: continue
      }
    }
    return turnLine
  }

  /// The line of the fiber that ran last in this turn, or otherwise of the body.
  package var turnLine: RecipeLine {
    guard let pc = ranAt, program.rangeOf.indices.contains(pc), program.rangeOf[pc] != .none else { return restorePoint.line }
    return program.lines.line(of: program.rangeOf[pc])
  }

  /// The line of the next or latest output.
  package var outputLine: RecipeLine { output.value?.line ?? turnLine }

  /// The line of the file that is being written.
  package var fileLine: RecipeLine {
    for fiber in fibers { if case .file = fiber.wait { return line(of: fiber) } }
    return turnLine
  }

  private func line(of fiber: borrowing Fiber) -> RecipeLine {
    guard let frame = fiber.frames.last, program.rangeOf.indices.contains(frame.pc) else { return .none }
    return program.lines.line(of: program.rangeOf[frame.pc])
  }
}
