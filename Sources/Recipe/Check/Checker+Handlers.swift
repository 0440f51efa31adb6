import Exchange
import Vocabulary

/// Handlers, procedures, peripherals, and the end of the body.
extension Checker {
  // MARK: - handlers

  /// A handler stands here: its place is checked now, its body when the names around it are complete.
  mutating func handler(_ member: Member, _ place: Place) {
    let header = header(of: member)
    if let around = place.handler {
      let title = title(of: member)
      let outerTitle = self.title(of: around)
      report(
        Diagnostic(
          "T213", "this `\(title)` ends with line \(source.line(of: max(around.range.end, 1) - 1)), when `\(outerTitle)` is done",
          at: header,
          "put it at the top level", labels: [Diagnostic.Label(range: self.header(of: around), text: "it stands inside this")]))
      return
    }
    if place.isProcedure {
      report(Diagnostic("T213", "this `\(title(of: member))` would end with the procedure", at: header, "put it at the top level"))
      return
    }
    var inner = place
    inner.loops = 0
    waitingHandlers.append((member, inner, scopeOf(place)))
  }

  /// What a handler in this place sees beside its own names; empty stands for the recipe's.
  private func scopeOf(_ place: Place) -> Scope { place.isPeripheral ? outer : Scope() }

  private func header(of member: Member) -> SourceRange {
    switch member {
    case .handler(let handler): handler.header
    case .whenever(let whenever): whenever.header
    case .statement(let statement): statement.header
    }
  }

  /// `on notify`
  func title(of member: Member) -> String {
    switch member {
    case .handler(let handler):
      switch handler.kind {
      case .every: "every"
      case .after: "after"
      case .on(let event): "on \(eventWord(event))"
      }
    case .whenever: "whenever"
    case .statement: "statement"
    }
  }

  func eventWord(_ event: EventSyntax) -> String {
    switch event.kind {
    case .attribute(let kind, _, _): kind.rawValue
    case .connect: "connect"
    case .disconnect: "disconnect"
    case .data: "data"
    case .advertisement: "advertisement"
    case .passkey: "passkey"
    case .line: "line"
    case .restore: "restore"
    case .stop: "stop"
    case .failure: "failure"
    case .adapter: "adapter"
    }
  }

  mutating func walk(_ member: Member, _ place: Place) {
    scope = Scope()
    itFormat = nil
    device = .none
    switch member {
    case .handler(let handler): walk(handler, member, place)
    case .whenever(let whenever):
      notYet("whenever", whenever.header)
      what(whenever.what, whenever.filters, place)
      expression(whenever.condition, place)
      expression(whenever.again, place)
      var inner = place
      inner.isHandler = true
      inner.device = .given
      give(whenever.name, .parameter, id: whenever.id)
      members(whenever.body, inner)
    case .statement: return
    }
  }

  private mutating func walk(_ handler: Handler, _ member: Member, _ place: Place) {
    var inner = place
    inner.isHandler = true
    inner.handler = member
    switch handler.kind {
    case .every(let period, let at):
      expression(period, inner)
      expression(at, inner)
      checkTime(at)
      if place.device != .given { inner.device = .only }
    case .after(let delay):
      expression(delay, inner)
      if place.device != .given { inner.device = .only }
    case .on(let event):
      let format = on(event, handler, &inner)
      itFormat = format
      give(handler.name, .parameter, id: handler.id, format: format)
      expression(handler.condition, inner)
    }
    if case .on = handler.kind {} else { give(handler.name, .parameter, id: handler.id) }
    members(handler.body, inner)
    itFormat = nil
  }

  /// `at "06:00"`
  private mutating func checkTime(_ at: Expression?) {
    guard let at, case .string(let text) = at.kind, let plain = text.plain else { return }
    let parts = plain.split(separator: ":", omittingEmptySubsequences: false)
    let isTime = parts.count == 2 && parts.allSatisfy { $0.utf8.count == 2 && $0.utf8.allSatisfy(isDigit) }
    if isTime, let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60 { return }
    report(Diagnostic("T228", "this is no time of day", at: at.range, "as in \"06:00\""))
  }

  /// The event of a handler; gives back the format of its value.
  private mutating func on(_ event: EventSyntax, _ handler: Handler, _ inner: inout Place) -> String? {
    self.event(event, inner)
    switch event.kind {
    case .attribute(let kind, let raw, let path):
      attribute(path, inner)
      inner.device = .given
      if kind == .notify {
        if !inner.isPeripheral { checkSubscribed(path, inner) }
      } else {
        if !inner.isPeripheral { outsidePeripheral(kind.rawValue, handler.header) }
        inner.answers = kind == .read || kind == .write
        ability(path, kind == .read ? .read : kind == .write ? .write : .notify, inner)
      }
      return raw ? nil : format(of: path)
    case .connect, .disconnect, .advertisement, .data:
      inner.device = .given
      return nil
    case .passkey:
      inner.device = .given
      inner.answers = true
      return nil
    case .line, .restore, .stop, .failure, .adapter:
      if inner.device != .given { inner.device = .only }
      return nil
    }
  }

  /// What events have in common in `on` and `wait for`.
  mutating func event(_ event: EventSyntax, _ place: Place) {
    if let phrase = NotYet.phrase(of: event) { notYet(place.isHandler ? "on \(phrase)" : "wait for \(phrase)", event.range) }
    switch event.kind {
    case .connect(let target), .disconnect(let target): if let target { device(target, place) }
    case .advertisement(let what, let filters): self.what(what, filters, place)
    default: return
    }
  }

  mutating func outsidePeripheral(_ event: String, _ range: SourceRange) {
    report(
      Diagnostic(
        "T214", "`on \(event)` happens to peripherals only", at: range, "it stands inside `peripheral`",
        notes: event == "write" || event == "read" ? ["what a device sends by itself comes with `on notify`"] : []))
  }

  /// T231: an event that nothing makes happen.
  mutating func checkSubscribed(_ path: AttributePathSyntax, _ place: Place) {
    guard !facts.subscribesToUnknown, let key = facts.key(path), !facts.subscribed.contains(key) else { return }
    let text = source.text(path.range)
    let line = line(path.range)
    let isWait = !place.isHandler || place.handler.map { self.line($0.range) != line } ?? true
    report(
      Diagnostic(
        "T231", "nothing subscribes to \(text)", at: path.range,
        isWait ? "so this would wait forever" : "so this handler would never run",
        fixes: [
          .insert(
            "\(source.indentation(ofLine: line))subscribe to \(text)\n", before: source.startOfLine(line, file: path.range.file),
            lead: "add before it")
        ]))
  }

  // MARK: - procedures and peripherals

  mutating func walk(_ procedure: ProcedureDeclaration, _ place: Place) {
    scope = Scope()
    itFormat = nil
    device = .none
    for parameter in procedure.parameters {
      if scope.find(parameter.text) != nil {
        report(Diagnostic("T202", "`\(parameter.text)` is there twice", at: parameter.range, "parameters have names of their own"))
      }
      give(parameter, .parameter, id: procedure.id)
    }
    members(procedure.body, place)
  }

  mutating func walk(_ peripheral: PeripheralDeclaration) {
    var place = Place(device: .given, isPeripheral: true, peripheral: peripheral)
    scope = Scope()
    outer = recipeScope
    procedures = recipe.procedures
    for part in peripheral.parts {
      if case .procedure(let procedure) = part.kind {
        checkTwice(procedure)
        procedures.append(procedure)
      }
    }
    for part in peripheral.parts {
      if case .variable(let statement) = part.kind { self.statement(statement, place) }
    }
    let own = scope
    for part in peripheral.parts {
      scope = own
      outer = recipeScope
      switch part.kind {
      case .advertise(let advertise): self.advertise(advertise, place)
      case .service(let service): self.service(service, place)
      case .channel: notYet("channel", part.range)
      case .passkey: notYet("passkey", part.range)
      case .variable: continue
      case .handler(let handler):
        outer = own
        outer.merge(recipeScope)
        walk(.handler(handler), place)
      case .procedure(let procedure):
        outer = own
        outer.merge(recipeScope)
        place.isProcedure = true
        place.answers = true
        walk(procedure, place)
        place.isProcedure = false
        place.answers = false
      }
    }
    waitingHandlers = []
    procedures = recipe.procedures
    outer = recipeScope
  }

  private mutating func checkTwice(_ procedure: ProcedureDeclaration) {
    guard let first = procedures.first(where: { $0.name.text == procedure.name.text }) else { return }
    report(
      Diagnostic(
        "T202", "`\(procedure.name.text)` is there twice", at: procedure.name.range, "the name is taken",
        labels: [Diagnostic.Label(range: first.name.range, text: "first here")]))
  }

  mutating func advertise(_ advertise: AdvertiseStatement, _ place: Place) {
    for target in advertise.targets { self.target(target, place, isScan: false) }
    expression(advertise.every, place)
    expression(advertise.with, place)
  }

  private mutating func service(_ service: ServiceDeclaration, _ place: Place) {
    uuid(service.uuid, .service, place)
    for line in service.attributes {
      switch line.kind {
      case .characteristic: uuid(line.uuid, .characteristic, place)
      case .descriptor: uuid(line.uuid, .descriptor, place)
      case .include: uuid(line.uuid, .service, place)
      }
      expression(line.initial, place)
    }
  }

  /// A handler or statement of a peripheral is about a characteristic that it has, and that can do this.
  mutating func ability(_ path: AttributePathSyntax, _ wanted: AttributeDeclaration.Ability, _ place: Place) {
    guard let peripheral = place.peripheral, let key = facts.key(path) else { return }
    var lines: [(service: ServiceDeclaration, line: AttributeDeclaration)] = []
    for part in peripheral.parts {
      guard case .service(let service) = part.kind else { continue }
      lines += service.attributes.filter { $0.kind == .characteristic }.map { (service, $0) }
    }
    func isMeant(_ line: AttributeDeclaration) -> Bool {
      let step = AttributePathSyntax.Step(uuid: line.uuid, index: nil, range: line.range)
      return facts.key(AttributePathSyntax(kind: .path([step]), device: nil, range: line.range)) == key
    }
    let own = lines.filter { isMeant($0.line) }
    let name = source.text(path.range)
    guard let first = own.first else {
      report(
        Diagnostic(
          "T229", "\(peripheral.name.text) has no characteristic \(name)", at: path.range, "a `service` of it must declare it"))
      return
    }
    let abilities = own.flatMap(\.line.abilities)
    if abilities.contains(where: { can($0, wanted) }) { return }
    let list = abilities.map { word($0) }.joined(separator: ", ")
    let other = lines.first { $0.service == first.service && $0.line.abilities.contains { can($0, wanted) } }
    report(
      Diagnostic(
        "T229", "\(name) can \(list.isEmpty ? "do nothing" : list); it cannot \(word(wanted))", at: path.range,
        other.map { "the same service has `\(source.text($0.line.uuid.range))`, which can" } ?? "",
        labels: [Diagnostic.Label(range: first.line.range, text: "declared here")]))
  }

  private func can(_ ability: AttributeDeclaration.Ability, _ wanted: AttributeDeclaration.Ability) -> Bool {
    switch (ability, wanted) {
    case (.writeWithoutResponse, .write), (.write, .writeWithoutResponse): true
    // Subscribing is the same for both.
    case (.indicate, .notify), (.notify, .indicate): true
    default: ability == wanted
    }
  }

  private func word(_ ability: AttributeDeclaration.Ability) -> String {
    switch ability {
    case .read: "read"
    case .write: "write"
    case .writeWithoutResponse: "write without response"
    case .notify: "notify"
    case .indicate: "indicate"
    }
  }

  // MARK: - the end of the body

  /// T232: handlers that could never do anything, because the body is over first.
  mutating func checkEnd() {
    var handlers: [Member] = []
    for member in recipe.body {
      switch member {
      case .handler, .whenever: handlers.append(member)
      case .statement: continue
      }
    }
    for member in handlers {
      guard needsTime(member), !hasTime(member) else { continue }
      reportEnd(member)
      return
    }
  }

  private func needsTime(_ member: Member) -> Bool {
    switch member {
    case .whenever: return true
    case .statement: return false
    case .handler(let handler):
      switch handler.kind {
      case .every, .after: return true
      case .on(let event):
        switch event.kind {
        case .attribute(.notify, _, _), .advertisement, .connect: return true
        default: return false
        }
      }
    }
  }

  /// Whether the body waits behind the first statement that can feed the handler.
  private func hasTime(_ member: Member) -> Bool {
    var feed: Int? = -1
    if case .handler(let handler) = member, case .on(let event) = handler.kind {
      switch event.kind {
      case .attribute(.notify, _, let path): feed = firstFeed { statement in subscribes(statement, to: path) }
      case .connect: feed = firstFeed { if case .connect = $0.kind { true } else { false } }
      default: break
      }
    }
    // Fed by another fiber: any wait of the body will do.
    let from = feed ?? -1
    for member in recipe.body {
      guard case .statement(let statement) = member else { continue }
      var found = false
      statement.forEachStatement(handlers: false) { inner in
        if inner.id > from, inner.kind.waits || facts.isWaitingCall(inner) { found = true }
      }
      // In a loop the wait may stand above.
      statement.forEachStatement(handlers: false) { inner in
        switch inner.kind {
        case .repeat, .forEach:
          let ids = inner.kind.blocks.flatMap { $0.map(\.id) }
          if let first = ids.first, from >= first, facts.waits(inner), contains(inner, id: from) { found = true }
        default: break
        }
      }
      if found { return true }
    }
    return false
  }

  private func contains(_ statement: Statement, id: Int) -> Bool {
    [Member.statement(statement)].anyStatement(handlers: false) { $0.id == id }
  }

  private func subscribes(_ statement: Statement, to path: AttributePathSyntax) -> Bool {
    guard case .subscribe(let subscribe) = statement.kind else { return false }
    guard let key = facts.key(path) else { return true }
    return subscribe.attributes.contains { facts.key($0) == key || facts.key($0) == nil }
  }

  /// The first statement of the body that does something, itself or in a procedure it calls.
  private func firstFeed(_ feeds: (Statement) -> Bool) -> Int? {
    var found: Int?
    recipe.body.forEachStatement(handlers: false) { statement in
      guard found == nil else { return }
      if feeds(statement) { found = statement.id }
      if let name = statement.kind.calledProcedure, let procedure = recipe.procedures.first(where: { $0.name.text == name.text }),
        procedure.body.anyStatement(handlers: false, feeds)
      {
        found = statement.id
      }
    }
    return found
  }

  private mutating func reportEnd(_ member: Member) {
    let last = recipe.body.last { if case .statement = $0 { true } else { false } }
    let place = last?.range ?? member.range
    let end = SourceRange(file: place.file, start: place.end, end: place.end)
    let line = source.line(of: place.end)
    let waits = connections.isEmpty ? ["wait forever", "wait 10min"] : ["reconnect forever", "wait forever", "wait 10min"]
    report(
      Diagnostic(
        "T232",
        last == nil
          ? "the recipe ends before this can do anything" : "the recipe ends after line \(line), before this can do anything",
        at: header(of: member), "it needs time to run", fixes: waits.map { .insert("\n" + $0, after: end, lead: "add at the end") })
    )
  }
}
