import Exchange
import Recipe
import Vocabulary

extension Compiler {
  /// Compiles the members of a block. Returns whether a `connect` among them still needs its
  /// `ready`, which only a `try` passes on.
  @discardableResult
  mutating func members(_ members: [Member], isTopLevel: Bool, handsReadyOn: Bool = false) -> Bool {
    var handlers: [Int] = []
    for member in members {
      if case .handler(let handler) = member {
        // The handler's code is in the middle of the block, so jump over it.
        let over = emit(.jump, at: handler.header)
        handlers.append(compile(handler, isTopLevel: isTopLevel))
        patch(over)
      }
      if case .whenever(let whenever) = member {
        let over = emit(.jump, at: whenever.header)
        handlers.append(compile(whenever, isTopLevel: isTopLevel))
        patch(over)
      }
    }
    let entered = !isTopLevel && !handlers.isEmpty
    if entered {
      let list = pooled(\.handlerLists, handlers, members[0].range)
      emit(.enterHandlers, Operand(raw: list), at: members[0].range)
      unit.handlerDepth += handlers.count
    }
    var isPending = false
    for (place, member) in members.enumerated() {
      guard case .statement(let statement) = member else { continue }
      if case .connect = statement.kind { mtuOfConnect = mtu(after: place, members) }
      if isPending, !isSetUp(statement) {
        emit(.ready, at: statement.header)
        isPending = false
      }
      if self.compile(statement) { isPending = true }
    }
    if isPending, !handsReadyOn {
      emit(.ready, at: members.last?.range ?? .none)
      isPending = false
    }
    if entered {
      unit.handlerDepth -= handlers.count
      emit(.leaveHandlers, Operand(raw: UInt16(handlers.count)), at: members[members.count - 1].range)
    }
    return isPending
  }

  /// The value of a `request mtu` directly after a `connect`.
  private func mtu(after place: Int, _ members: [Member]) -> Expression? {
    for case .statement(let next) in members[(place + 1)...] {
      if case .request(let setting, let value) = next.kind, setting.text == "mtu" { return value }
      return nil
    }
    return nil
  }

  /// A `let` that calls a waiting procedure ends the set-up, because its event may come only later.
  private mutating func isSetUp(_ statement: Statement) -> Bool {
    guard statement.isSetUp else { return false }
    guard let called = statement.kind.calledProcedure else { return true }
    let waiting = waitingProcedures ?? file.waitingProcedures
    waitingProcedures = waiting
    return !waiting.contains(called.text)
  }

  /// Compiles a statement. Returns whether a `connect` in it still needs its `ready`.
  mutating func compile(_ statement: Statement) -> Bool {
    let outer = self.statement
    defer { self.statement = outer }
    guard let otherwise = statement.otherwise else {
      begin(statement.id, statement.header, statement.normalized)
      let isPending = compile(kind: statement)
      if unit.isEntry { echo(statement) }
      return isPending
    }
    begin(statement.id, statement.header, statement.normalized)
    let site = pooled(
      \.tries, TrySite(times: constant(.int(1), statement.range), every: nil, within: .forever, start: 0, rescue: nil),
      statement.range)
    emit(.tryBegin, Operand(raw: site), at: statement.header)
    program.tries[Int(site)].start = here
    unit.tryDepth += 1
    let isPending = compile(kind: statement)
    self.statement = statement.id
    if unit.isEntry { echo(statement) }
    unit.tryDepth -= 1
    emit(.tryEnd, at: statement.header)
    let over = emit(.jump, at: statement.header)
    program.tries[Int(site)].rescue = here
    unit.tryDepth += 1
    blocks.append(statement.id)
    _ = compile(otherwise)
    blocks.removeLast()
    self.statement = statement.id
    unit.tryDepth -= 1
    emit(.tryEnd, at: statement.header)
    patch(over)
    return isPending
  }

  private mutating func compile(kind statement: Statement) -> Bool {
    let range = statement.header
    let mark = unit.top
    defer { if unit.top > mark, unit.top <= unit.keys.count { unit.top = max(mark, lowestFree) } }
    switch statement.kind {
    case .scan(let scan): compile(scan, range)
    case .connect(let connect):
      let size = mtuOfConnect.map { expression($0) }
      mtuOfConnect = nil
      let site = ConnectSite(
        device: device(connect.device), whenItAppears: connect.whenItAppears, within: within(connect.within), mtu: size)
      emit(.connect, Operand(raw: pooled(\.connects, site, range)), at: range)
      return true
    case .reconnect(let reconnect):
      let site = ReconnectSite(
        devices: reconnect.devices.map { device($0) },
        times: reconnect.times.map { operand($0, before: [reconnect.waiting, reconnect.upTo]) },
        waiting: reconnect.waiting.map { operand($0, before: [reconnect.upTo]) }, upTo: reconnect.upTo.map { expression($0) })
      emit(.reconnect, Operand(raw: pooled(\.reconnects, site, range)), at: range)
    case .disconnect(let target): emit(.disconnect, Operand(raw: pooled(\.devices, device(target), range)), at: range)
    case .forget(let target): emit(.forget, Operand(raw: pooled(\.devices, device(target), range)), at: range)
    case .discover(let discover):
      let site = DiscoverSite(
        device: device(discover.device), services: discover.uuids.map { uuid($0, .service) }, within: within(discover.within))
      emit(.discover, Operand(raw: pooled(\.discovers, site, range)), at: range)
    case .pair(let pair):
      let site = PairSite(device: device(pair.device), within: within(pair.within))
      emit(.pair, Operand(raw: pooled(\.pairs, site, range)), at: range)
    case .request(let setting, let value):
      // `connect` has already taken the size for the only MTU exchange.
      guard let setting = RequestSite.Setting(setting.text) else { break }
      let site = RequestSite(setting: setting, value: expression(value))
      emit(.request, Operand(raw: pooled(\.requests, site, range)), at: range)
    case .read(let read):
      let attribute = attribute(read.attribute)
      let limit = within(read.within)
      let destination = read.name.map { declare($0.text, $0.range) }
      let site = ReadSite(raw: read.raw, attribute: attribute, within: limit, destination: destination)
      emit(.read, Operand(raw: pooled(\.reads, site, range)), at: range)
    case .write(let write):
      let value = operand(write.value, before: write.attribute.operands + [write.within?.operand, write.pieces?.size])
      let site = WriteSite(
        value: value, attribute: attribute(write.attribute), withoutResponse: write.withoutResponse, within: within(write.within),
        policy: write.withoutResponse ? .skip : write.unsure?.policy ?? .fail,
        pieces: write.pieces.map { pieces in pieces.size.map { .of(expression($0)) } ?? .link })
      emit(.write, Operand(raw: pooled(\.writes, site, range)), at: range)
    case .subscribe(let subscribe):
      for path in subscribe.attributes {
        let site = SubscribeSite(
          attribute: attribute(path), within: within(subscribe.within))
        emit(.subscribe, Operand(raw: pooled(\.subscribes, site, range)), at: path.range)
      }
    case .unsubscribe(let attributes):
      for path in attributes {
        let site = SubscribeSite(attribute: attribute(path), within: .standard)
        emit(.unsubscribe, Operand(raw: pooled(\.subscribes, site, range)), at: path.range)
      }
    case .wait(let wait): compile(wait, range)
    case .output(let output):
      let first = consecutive(output.values, range)
      let ending = output.ending.map { expression($0) }
      let site = OutputSite(channel: output.channel, first: first.index, count: output.values.count, ending: ending)
      emit(.output, Operand(raw: pooled(\.outputs, site, range)), at: range)
    case .append(let value, let file):
      let first = consecutive([value, file], range)
      emit(.append, first, at: range)
    case .save(let value, let file):
      let first = consecutive([value, file], range)
      emit(.save, first, at: range)
    case .let(let name, let value):
      if case .call(let procedure, let arguments) = value.kind {
        // The name must have no value until the procedure returns.
        let destination = declare(name.text, name.range)
        call(procedure, arguments, into: destination, value.range)
      } else {
        let result = expression(value)
        let destination = declare(name.text, name.range)
        if destination != result { emit(.move, destination, result.raw, at: range) }
      }
    case .set(let place, let value): compile(place, value, range)
    case .expect(let condition, let message):
      expect(condition, message, range)
    case .stop(.plain): emit(.stop, constant(.nothing, range), at: range)
    case .stop(.code(let code)): emit(.stop, expression(code), at: range)
    case .stop(.advertising): emit(.stopAdvertising, at: range)
    case .fail(let message, let code):
      let text = operand(message, before: [code])
      let number = code.map { expression($0) } ?? constant(.nothing, range)
      emit(.fail, text, number.raw, at: range)
    case .return where unit.isBranch: fail("`return` cannot leave a branch of `at once`", range)
    case .return(let value):
      if let value, case .call(let procedure, let arguments) = value.kind {
        let held = temporary(range)
        call(procedure, arguments, into: held, value.range)
        emit(.returnValue, held, at: range)
      } else {
        emit(.returnValue, value.map { expression($0) } ?? constant(.nothing, range), at: range)
      }
    case .leave: leave(range)
    case .skip: skip(range)
    case .restart: emit(.restart, at: range)
    case .checkpoint: emit(.checkpoint, at: range)
    case .advertise(let advertise):
      emit(.advertise, Operand(raw: advertiseSite(advertise, range)), at: range)
    case .notify(let notify):
      let value = operand(notify.value, before: notify.attribute.operands)
      let site = PublishSite(indicate: notify.indicate, attribute: attribute(notify.attribute), value: value)
      emit(.publish, Operand(raw: pooled(\.publishes, site, range)), at: range)
    case .update(let path, let value):
      let operand = operand(value, before: path.operands)
      let site = pooled(\.attributes, attribute(path), range)
      emit(.update, Operand(raw: site), operand.raw, at: range)
    case .answer(let value):
      emit(.answer, expression(value), at: range)
      if unit.answers { emit(.returnValue, constant(.nothing, range), at: range) }
    case .refuse(let code):
      emit(.refuse, code.map { expression($0) } ?? constant(.int(0x80), range), at: range)
      if unit.answers { emit(.returnValue, constant(.nothing, range), at: range) }
    case .call(let name, let arguments):
      let held = temporary(range)
      call(name, arguments, into: held, range)
    case .value(let value): compile(shown: value, range)
    case .if(let choice): compile(choice, statement)
    case .repeat(let loop): compile(loop, statement)
    case .forEach(let loop): compile(loop, statement)
    case .try(let attempt): return compile(attempt, statement)
    case .with(let target, let body):
      let saved = hidden(1, range)
      emit(.move, saved, Operand.device.raw, at: range)
      if case .value(let operand) = device(target) { emit(.setDevice, operand, at: range) }
      blocks.append(statement.id)
      let given = (unit.isGivenDevice, unit.givenName)
      unit.isGivenDevice = true
      unit.givenName = nil
      unit.devicesBefore.append(saved)
      members(body, isTopLevel: false)
      unit.devicesBefore.removeLast()
      (unit.isGivenDevice, unit.givenName) = given
      blocks.removeLast()
      emit(.move, .device, saved.raw, at: range)
    case .simulate, .startRecipe, .kill, .resume, .make: order(statement.kind, range)
    case .run(let run): compile(run, range)
    case .ask(let ask):
      let question = expression(ask.prompt)
      let destination = ask.name.map { declare($0.text, $0.range) }
      let site = AskSite(question: question, isSecret: ask.secret, destination: destination)
      emit(.ask, Operand(raw: pooled(\.questions, site, range)), at: range)
    case .progress(let value, let total):
      let done = operand(value, before: [total])
      emit(.meter, done, expression(total).raw, at: range)
    case .serve(let name):
      guard let server = serverIndex(name.text) else {
        fail("there is no peripheral `\(name.text)`", name.range)
        return false
      }
      let over = emit(.beginServing, Operand(raw: UInt16(truncatingIfNeeded: server)), at: range)
      let held = temporary(range)
      emit(.call, held, UInt16(truncatingIfNeeded: serverUnits[server]), held.raw, at: range)
      emit(.serve, Operand(raw: UInt16(truncatingIfNeeded: server)), at: range)
      patch(over)
    case .stop(.serving(let name)):
      if let server = serverIndex(name.text) {
        emit(.stopServing, Operand(raw: UInt16(truncatingIfNeeded: server)), at: range)
      }
    case .openChannel, .send, .close:
      fail("not supported yet", range)
    }
    return false
  }

  private mutating func compile(_ run: RunStatement, _ range: SourceRange) {
    let command = run.command
    let limit = within(run.within)
    var form = RunSite.Form.value
    var values = [command]
    if case .string(let string) = command.kind {
      if run.shell {
        let names = CommandWords.variables(in: string.plain ?? "").filter { lookUp($0) != nil }
        form = .shell(names: names)
        values += names.map { Expression(kind: .name($0), range: command.range) }
      } else if let words = CommandWords.split(string.parts) {
        form = .words
        values = words.map { parts in
          Expression(kind: .string(StringSyntax(parts: parts, quote: .double, range: command.range)), range: command.range)
        }
      }
    } else if run.shell {
      fail("`run shell` takes text in quotes", command.range)
    }
    let first = consecutive(values, range)
    let destination = run.name.map { declare($0.text, $0.range) }
    let site = RunSite(
      form: form, first: first, count: values.count, within: run.within == nil ? .forever : limit, destination: destination,
      policy: run.unsure?.policy ?? .fail)
    emit(.run, Operand(raw: pooled(\.runs, site, range)), at: range)
  }

  /// The first local that is free again after a statement; named and hidden locals stay.
  private var lowestFree: Int {
    var index = unit.keys.count
    while index > Operand.firstFree, unit.keys[index - 1] == .temporary { index -= 1 }
    return index
  }
}

extension RequestSite.Setting {
  fileprivate init?(_ word: String) {
    switch word {
    case "phy": self = .phy
    case "speed": self = .speed
    case "interval": self = .interval
    default: return nil
    }
  }
}

extension Statement {
  /// Whether the statement may come between `connect` and `ready`.
  var isSetUp: Bool {
    switch kind {
    case .pair, .request, .discover, .subscribe, .let, .expect: true
    case .output(let output): output.channel != .warn
    default: false
    }
  }
}

extension AttributePath {
  /// The path of a form, if every part of it is known.
  init?(fixing form: AttributeSite.Form, text: String, value: (Operand) -> Value?) {
    guard case .steps(let service, let characteristic, let descriptor) = form else { return nil }
    func step(_ site: AttributeSite.Step) -> Step? {
      var instance: Int?
      if let operand = site.instance {
        guard case .int(let number)? = value(operand), (0...0xFFFF).contains(number) else { return nil }
        instance = Int(number)
      }
      switch site.uuid {
      case .fixed(let uuid): return Step(uuid, instance: instance)
      case .value(let operand):
        guard case .uuid(let uuid)? = value(operand) else { return nil }
        return Step(uuid, instance: instance)
      }
    }
    guard let middle = step(characteristic) else { return nil }
    let first = service.map { step($0) }
    let last = descriptor.map { step($0) }
    if case .some(.none) = first { return nil }
    if case .some(.none) = last { return nil }
    let home = service == nil ? HomeService.of(characteristic: middle.uuid) : nil
    self.init(form: .named(service: first ?? nil, characteristic: middle, descriptor: last ?? nil), home: home, text: text)
  }
}
