import Exchange
import Vocabulary

/// Procedures and peripherals.
extension Checker {
  mutating func walk(_ procedure: ProcedureDeclaration, _ place: Place) {
    scope = Scope(id: symbols.open(.procedure, procedure.range, in: outer.id))
    itFormat = nil
    itAge = nil
    mayHaveIt = false
    // Its caller may have an open question.
    mayHaveQuestion = facts.uses.takesQuestions
    device = .none
    for parameter in procedure.parameters {
      if scope.find(parameter.text) != nil {
        report(
          Diagnostic("T202", "`\(parameter.text)` is defined twice", at: parameter.range, "each parameter needs its own name"))
      }
      give(parameter, .parameter, id: procedure.id)
    }
    self.procedure = place.isPeripheral ? nil : procedure
    members(procedure.body, place)
    self.procedure = nil
  }

  mutating func walk(_ peripheral: PeripheralDeclaration) {
    var place = Place(device: .given, isPeripheral: true, peripheral: peripheral)
    scope = Scope(id: symbols.open(.peripheral, peripheral.range, in: 0))
    outer = recipeScope
    let recipes = callables
    for part in peripheral.parts {
      if case .procedure(let procedure) = part.kind {
        checkTwice(procedure)
        procedures.append(procedure)
        callables[procedure.name.text] = symbols.declare(procedure.name, .procedure, in: scope.id)
      }
    }
    for part in peripheral.parts {
      if case .variable(let statement) = part.kind { self.statement(statement, place) }
    }
    // `simulate P with …` and `set P.x to …`, in any file, give them other values.
    scope.forgetValues()
    let own = scope
    for part in peripheral.parts {
      scope = own
      outer = recipeScope
      switch part.kind {
      case .advertise(let advertise): self.advertise(advertise, place)
      case .service(let service): self.service(service, place)
      case .channel: notYet("channel", part.range)
      case .passkey(let code): passkey(code, place)
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
    procedures = Procedures(recipe.procedures)
    callables = recipes
    outer = recipeScope
  }

  /// Checks `passkey "123456"`.
  private mutating func passkey(_ code: Expression, _ place: Place) {
    fixedValue(code, place)
    let isRight: Bool
    switch code.kind {
    case .string(let text):
      guard let plain = text.plain else { return }
      isRight = plain.utf8.count == 6 && plain.utf8.allSatisfy(isDigit)
    case .number(let literal): if case .integer(let number) = literal.value { isRight = number <= 999_999 } else { isRight = false }
    case .bytes, .duration, .uuid, .address, .boolean, .nothing, .list, .record: isRight = false
    default: return
    }
    if !isRight {
      report(Diagnostic("T267", "this is not a passkey", at: code.range, "a passkey has six digits, as in \"042137\""))
    }
  }

  /// Checks `serve P` and `stop serving P`.
  mutating func serve(_ name: NameSyntax, _ place: Place) {
    peripheral(name)
    if place.isTest {
      report(
        Diagnostic(
          "T224", "`serve` needs a real adapter", at: name.range, "in a `test`, use `simulate \(name.text)` instead"))
    }
  }

  mutating func checkTwice(_ procedure: ProcedureDeclaration) {
    guard let first = procedures.named(procedure.name.text) else { return }
    report(
      Diagnostic(
        "T202", "`\(procedure.name.text)` is defined twice", at: procedure.name.range, "this name is already taken",
        labels: [Diagnostic.Label(range: first.name.range, text: "first here")]))
  }

  mutating func advertise(_ advertise: AdvertiseStatement, _ place: Place) {
    for target in advertise.targets { self.target(target, place, isScan: false) }
    expression(advertise.every, place)
    pause(advertise.every, "every", place)
    if let every = advertise.every, case .span(let span) = constant(every, place), span > 0,
      !(20e6...10.24e9).contains(span)
    {
      report(
        Diagnostic(
          "T235", "an advertising interval is 20ms to 10.24s", at: every.range, span < 20e6 ? "this is shorter" : "this is longer"))
    }
    expression(advertise.with, place)
    advertisingFields(advertise.with, place)
    advertisingRoom(advertise, place)
  }

  mutating func service(_ service: ServiceDeclaration, _ place: Place) {
    uuid(service.uuid, .service, place)
    for line in service.attributes {
      switch line.kind {
      case .characteristic: uuid(line.uuid, .characteristic, place)
      case .descriptor: uuid(line.uuid, .descriptor, place)
      case .include:
        uuid(line.uuid, .service, place)
        include(line, in: service, place)
      }
      fixedValue(line.initial, place)
      if case .characteristic = line.kind, let initial = line.initial {
        let step = AttributePathSyntax.Step(uuid: line.uuid, index: nil, range: line.uuid.range)
        let path = AttributePathSyntax(kind: .path([step]), device: nil, range: line.uuid.range)
        encodable(initial, for: path, place)
      }
    }
    twice(in: service, place)
  }

  /// Checks that a peripheral has the characteristic of a handler or statement, and that its
  /// properties allow this use.
  /// - Parameter verb: the word `notify` or `indicate` of a statement that sends just this;
  ///   otherwise both are the same.
  mutating func property(
    _ path: AttributePathSyntax, _ wanted: AttributeDeclaration.Property, _ place: Place, exactly verb: SourceRange? = nil
  ) {
    guard let peripheral = place.peripheral, let wantedKey = facts.key(path) else { return }
    var lines: [(service: ServiceDeclaration, line: AttributeDeclaration)] = []
    func key(_ uuid: UUIDSyntax) -> Facts.AttributeKey? {
      let step = AttributePathSyntax.Step(uuid: uuid, index: nil, range: path.range)
      return facts.key(AttributePathSyntax(kind: .path([step]), device: nil, range: path.range))
    }
    // The last step of a path may be a descriptor of the characteristic.
    var descriptor: Facts.AttributeKey?
    if case .path(let steps) = path.kind, steps.count > 1, let last = steps.last, Facts.isDescriptor(last.uuid) {
      descriptor = self.descriptor(last.uuid)
    }
    for part in peripheral.parts {
      guard case .service(let service) = part.kind else { continue }
      var isBelow = false
      for line in service.attributes {
        switch line.kind {
        case .characteristic:
          isBelow = key(line.uuid) == wantedKey
          if descriptor == nil { lines.append((service, line)) }
        case .descriptor: if isBelow, let descriptor, self.descriptor(line.uuid) == descriptor { lines.append((service, line)) }
        case .include: continue
        }
      }
    }
    let own = descriptor == nil ? lines.filter { key($0.line.uuid) == wantedKey } : lines
    let name = self.text(path.range)
    guard let first = own.first else {
      report(
        Diagnostic(
          "T229", "\(peripheral.name.text) has no \(descriptor == nil ? "characteristic" : "descriptor") \(name)", at: path.range,
          "declare it in one of its services"))
      return
    }
    let properties = own.flatMap(\.line.properties)
    if properties.contains(where: { verb == nil ? can($0, wanted) : $0 == wanted }) { return }
    if let verb, let other = properties.first(where: { can($0, wanted) }) {
      report(
        Diagnostic(
          "T229", "\(name) cannot \(passive(wanted)); it can only \(word(other))", at: verb, "",
          labels: [Diagnostic.Label(range: first.line.range, text: "declared here")],
          fixes: [.replace(verb, with: word(other))]))
      return
    }
    let list = properties.map { word($0) }.joined(separator: ", ")
    let other =
      descriptor != nil ? nil : lines.first { $0.service == first.service && $0.line.properties.contains { can($0, wanted) } }
    report(
      Diagnostic(
        "T229", "\(name) cannot \(passive(wanted)); it allows \(list.isEmpty ? "nothing" : "only \(list)")", at: path.range,
        other.map { "`\(self.text($0.line.uuid.range))` in the same service can" } ?? "",
        labels: [Diagnostic.Label(range: first.line.range, text: "declared here")]))
  }

  /// T270: a recipe uses a characteristic in a way that no peripheral of its file allows. Only a
  /// warning, because the real device may differ.
  mutating func clientProperty(_ path: AttributePathSyntax, _ wanted: AttributeDeclaration.Property, _ place: Place) {
    guard place.peripheral == nil, !place.isTest, case .path(let steps) = path.kind else { return }
    if steps.count > 1, let last = steps.last, Facts.isDescriptor(last.uuid) { return }
    guard let declared = facts.key(path).flatMap({ facts.declared[$0] }),
      !declared.properties.contains(where: { can($0, wanted) })
    else { return }
    let list = declared.line.properties.map { word($0) }.joined(separator: ", ")
    let other = declared.service.attributes.first { line in
      line.kind == .characteristic && line.properties.contains { can($0, wanted) }
    }
    let name = text((steps.last?.uuid ?? declared.line.uuid).range)
    let passive = wanted == .notify ? "be subscribed to" : passive(wanted)
    report(
      Diagnostic(
        "T270", "\(name) cannot \(passive); it allows \(list.isEmpty ? "nothing" : "only \(list)")",
        at: path.range, other.map { "`\(self.text($0.uuid.range))` in the same service can" } ?? "", severity: .warning,
        labels: [Diagnostic.Label(range: declared.line.range, text: "declared here")]))
  }

  private func descriptor(_ uuid: UUIDSyntax) -> Facts.AttributeKey? {
    switch uuid.kind {
    case .literal(let uuid): .uuid(uuid)
    case .name(let name): AssignedNumbers.descriptor(named: name).map { .uuid($0) } ?? .name(name)
    }
  }

  func can(_ property: AttributeDeclaration.Property, _ wanted: AttributeDeclaration.Property) -> Bool {
    switch (property, wanted) {
    case (.writeWithoutResponse, .write), (.write, .writeWithoutResponse): true
    case (.writeReliably, .write), (.writeReliably, .writeWithoutResponse): true
    // Subscribing is the same for both.
    case (.indicate, .notify), (.notify, .indicate): true
    default: property == wanted
    }
  }

  /// The participle in "it cannot be written".
  private func passive(_ property: AttributeDeclaration.Property) -> String {
    switch property {
    case .read: "be read"
    case .write, .writeReliably: "be written"
    case .writeWithoutResponse: "be written without response"
    case .notify, .indicate: word(property)
    }
  }

  func word(_ property: AttributeDeclaration.Property) -> String {
    switch property {
    case .read: "read"
    case .write: "write"
    case .writeWithoutResponse: "write without response"
    case .writeReliably: "write reliably"
    case .notify: "notify"
    case .indicate: "indicate"
    }
  }
}
