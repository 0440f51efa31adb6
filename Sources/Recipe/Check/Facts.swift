import Exchange
import Vocabulary

/// What the check knows about the whole file before it walks through it.
struct Facts {
  /// A top-level `let` whose value is a literal text, number, UUID or address, and that is never
  /// set.
  struct Constant {
    var name: String
    var value: Expression
  }

  var constants: [Constant] = []
  private var constantValues: [String: Expression] = [:]
  /// The value of every top-level `let` that is never set.
  private var values: [String: Expression] = [:]
  /// Names declared at top level.
  var topNames: Set<String> = []
  /// Procedures that wait, directly or through others.
  var waitingProcedures: Set<String> = []
  var actingProcedures: Set<String> = []
  /// What the statements outside tests do. While a test is walked, what its statements and all
  /// procedures do.
  var uses = Uses()
  private var usesOfProcedures = Uses()
  private var usesInTests = Uses()
  /// Names that some `set` changes; `assigned` has the new values of whole names.
  private(set) var changed: Set<String> = []
  private(set) var assigned: [(name: String, value: Expression)] = []
  private(set) var assignedNames: Set<String> = []
  /// The first values of names that change: of top-level `let`s with a `set`, and of `remember`s.
  private(set) var firstValues: [String: Expression] = [:]
  /// The arguments of each procedure, in calls that are statements or whole values.
  private(set) var arguments: [String: [[Expression]]] = [:]
  /// The values that each field is set to, in devices and records.
  private(set) var fieldValues: [String: [Expression]] = [:]
  /// Names with `set name[key] to …`, which may change any field.
  private(set) var indexedNames: Set<String> = []
  /// Names that get their value from several statements, by `let`, `as` or `for each`, and so may
  /// have any kind.
  private(set) var ambiguous: Set<String> = []
  /// Where the body first waits.
  var firstWait: Statement?
  /// A characteristic, compared by UUID if that is known, otherwise by name.
  enum AttributeKey: Hashable {
    case uuid(UUID)
    case name(String)
  }

  /// A characteristic that peripherals of this file declare: the properties of all of them
  /// together, and the first declaration.
  struct Declared {
    var properties: [AttributeDeclaration.Property]
    var service: ServiceDeclaration
    var line: AttributeDeclaration
  }

  private(set) var declared: [AttributeKey: Declared] = [:]

  init(_ recipe: RecipeFile) {
    collectConstants(recipe)
    collectDeclared(recipe)
    collectWaiting(recipe)
    uses = uses(recipe.body)
    for procedure in recipe.procedures { usesOfProcedures.add(uses(procedure.body)) }
    uses.add(usesOfProcedures)
    forEachStatementOfPeripherals(recipe) { uses.add($0, self) }
    for test in recipe.tests { usesInTests.add(uses(test.body)) }
    for member in recipe.body {
      guard case .statement(let statement) = member, waits(statement) else { continue }
      var first: Statement?
      statement.forEachStatement(handlers: false) { if first == nil, $0.kind.waits || isWaitingCall($0) { first = $0 } }
      firstWait = first
      break
    }
  }

  /// Adds an entry that was typed at a prompt. A name that it declares or sets loses its earlier
  /// meaning.
  mutating func extend(by entry: RecipeFile, of recipe: RecipeFile) {
    let new = Facts(entry)
    var changed = new.topNames
    forEachOwnStatement(entry) { statement in
      if case .set(let place, _) = statement.kind { changed.insert(place.name.text) }
    }
    entry.body.forEachStatement(handlers: false) { statement in
      for name in statement.kind.givenNames { changed.insert(name.text) }
    }
    self.changed.formUnion(changed)
    for name in changed where values[name] != nil {
      values[name] = nil
      if constantValues.removeValue(forKey: name) != nil { constants.removeAll { $0.name == name } }
    }
    values.merge(new.values) { $1 }
    constantValues.merge(new.constantValues) { $1 }
    constants += new.constants
    topNames.formUnion(new.topNames)
    uses.add(new.uses)
    firstWait = nil
    if !entry.procedures.isEmpty { collectWaiting(recipe) }
  }

  /// Drops all facts about these names.
  mutating func forget(_ names: Set<String>) {
    for name in names {
      values[name] = nil
      constantValues[name] = nil
    }
    constants.removeAll { names.contains($0.name) }
    topNames.subtract(names)
  }

  private func uses(_ body: [Member]) -> Uses {
    var found = Uses()
    body.forEachStatement(handlers: true) { found.add($0, self) }
    return found
  }

  /// Whether anything subscribes to a characteristic. Procedures are also called by tests.
  func isSubscribed(_ key: AttributeKey, inProcedure: Bool) -> Bool {
    let all = inProcedure ? [uses, usesInTests] : [uses]
    return all.contains { $0.subscribesToUnknown || $0.subscribed.contains(key) }
  }

  /// The facts for the statements of a test, which is a run of its own.
  func inside(_ test: TestDeclaration) -> Facts {
    var copy = self
    copy.uses = uses(test.body)
    copy.uses.add(usesOfProcedures)
    return copy
  }

  private func forEachOwnStatement(_ recipe: RecipeFile, _ visit: (Statement) -> Void) {
    recipe.body.forEachStatement(handlers: true, visit)
    for procedure in recipe.procedures { procedure.body.forEachStatement(handlers: true, visit) }
    forEachStatementOfPeripherals(recipe, visit)
  }

  private func forEachStatementOfPeripherals(_ recipe: RecipeFile, _ visit: (Statement) -> Void) {
    for peripheral in recipe.peripherals {
      for part in peripheral.parts {
        switch part.kind {
        case .handler(let handler): handler.body.forEachStatement(handlers: true, visit)
        case .procedure(let procedure): procedure.body.forEachStatement(handlers: true, visit)
        default: break
        }
      }
    }
  }

  private mutating func collectConstants(_ recipe: RecipeFile) {
    var changed: Set<String> = []
    var assigned: [(name: String, value: Expression)] = []
    var arguments: [String: [[Expression]]] = [:]
    var fieldValues: [String: [Expression]] = [:]
    var indexed: Set<String> = []
    forEachOwnStatement(recipe) { statement in
      switch statement.kind {
      case .call(let name, let given): arguments[name.text, default: []].append(given.map(\.value))
      case .let(_, let value), .set(_, let value), .return(let value?):
        if case .call(let name, let given) = value.kind { arguments[name.text, default: []].append(given.map(\.value)) }
      default: break
      }
      guard case .set(let place, let value) = statement.kind else { return }
      changed.insert(place.name.text)
      if place.steps.isEmpty { assigned.append((place.name.text, value)) }
      if case .member(let field)? = place.steps.last { fieldValues[field.text, default: []].append(value) }
      if place.steps.contains(where: { if case .index = $0 { true } else { false } }) { indexed.insert(place.name.text) }
    }
    collectAmbiguous(recipe)
    indexedNames = indexed
    (self.arguments, self.fieldValues) = (arguments, fieldValues)
    for remembered in recipe.remembers where !ambiguous.contains(remembered.name.text) {
      firstValues[remembered.name.text] = remembered.initial
    }
    for test in recipe.tests {
      test.body.forEachStatement(handlers: true) { statement in
        if case .set(let place, _) = statement.kind { changed.insert(place.name.text) }
      }
    }
    (self.changed, self.assigned) = (changed, assigned)
    assignedNames = Set(assigned.map(\.name))
    for member in recipe.body {
      guard case .statement(let statement) = member else { continue }
      for name in statement.kind.givenNames { topNames.insert(name.text) }
      guard case .let(let name, let value) = statement.kind else { continue }
      guard !changed.contains(name.text) else {
        if firstValues[name.text] == nil, !ambiguous.contains(name.text) { firstValues[name.text] = value }
        continue
      }
      if values[name.text] == nil, !ambiguous.contains(name.text) { values[name.text] = value }
      switch value.kind {
      case .uuid, .number, .address, .string:
        constants.append(Constant(name: name.text, value: value))
        if constantValues[name.text] == nil { constantValues[name.text] = value }
      default: break
      }
    }
  }

  private mutating func collectAmbiguous(_ recipe: RecipeFile) {
    var declared = Set((recipe.inputs.map(\.name) + recipe.remembers.map(\.name)).map(\.text))
    for member in recipe.body {
      if case .statement(let statement) = member, case .let(let name, _) = statement.kind { declared.insert(name.text) }
    }
    /// Notes which statement gives each name in a body.
    /// - Parameter around: those of the recipe's body, whose names a handler changes.
    func visit(_ body: [Member], around: [String: String] = [:]) -> [String: String] {
      var given: [String: String] = [:]
      body.forEachStatement(handlers: false) { statement in
        for name in statement.kind.givenNames.map(\.text) {
          let isLet = if case .let = statement.kind { true } else { false }
          let other = given[name] ?? (isLet ? nil : around[name])
          if other ?? statement.normalized != statement.normalized || !isLet && declared.contains(name) { ambiguous.insert(name) }
          given[name] = statement.normalized
        }
      }
      return given
    }
    let given = visit(recipe.body)
    for body in otherBodies(of: recipe) { _ = visit(body, around: given) }
  }

  /// The bodies of handlers, procedures and tests.
  private func otherBodies(of recipe: RecipeFile) -> [[Member]] {
    var bodies = recipe.procedures.map(\.body) + recipe.tests.map(\.body)
    for body in [recipe.body] + recipe.tests.map(\.body) {
      body.forEachHandler { member in
        switch member {
        case .handler(let handler): bodies.append(handler.body)
        case .whenever(let whenever): bodies.append(whenever.body)
        case .statement: break
        }
      }
    }
    for part in recipe.peripherals.flatMap(\.parts) {
      switch part.kind {
      case .handler(let handler): bodies.append(handler.body)
      case .procedure(let procedure): bodies.append(procedure.body)
      default: break
      }
    }
    return bodies
  }

  private mutating func collectDeclared(_ recipe: RecipeFile) {
    for peripheral in recipe.peripherals {
      for part in peripheral.parts {
        guard case .service(let service) = part.kind else { continue }
        for line in service.attributes where line.kind == .characteristic {
          let step = AttributePathSyntax.Step(uuid: line.uuid, index: nil, range: line.range)
          guard let key = self.key(AttributePathSyntax(kind: .path([step]), device: nil, range: line.range)) else { continue }
          declared[key, default: Declared(properties: [], service: service, line: line)].properties += line.properties
        }
      }
    }
  }

  private mutating func collectWaiting(_ recipe: RecipeFile) {
    waitingProcedures = recipe.waitingProcedures
    actingProcedures = recipe.procedures(with: \.acts)
  }

  func isWaitingCall(_ statement: Statement) -> Bool {
    statement.kind.calledProcedure.map { waitingProcedures.contains($0.text) } ?? false
  }

  /// Whether a statement, or one inside it, may wait.
  func waits(_ statement: Statement) -> Bool {
    [Member.statement(statement)].anyStatement(handlers: false) { $0.kind.waits || isWaitingCall($0) }
  }

  func constant(_ name: String) -> Expression? { constantValues[name] }

  /// The value that a top-level `let` gives a name that is never set.
  func value(_ name: String) -> Expression? { values[name] }

  /// The UUID of a constant: a UUID literal, or a 16-bit number in hex.
  static func uuid(_ value: Expression) -> UUID? {
    switch value.kind {
    case .uuid(let uuid): return uuid
    case .number(let literal):
      guard literal.isHex, case .integer(let number) = literal.value, let short = UInt16(exactly: number) else { return nil }
      return UUID(short)
    default: return nil
    }
  }

  func key(_ path: AttributePathSyntax) -> AttributeKey? { Self.key(path, constantValues) }

  /// The characteristic of a path; `nil` if it is known only at run time.
  static func key(_ path: AttributePathSyntax, _ constants: [String: Expression]) -> AttributeKey? {
    guard case .path(let steps) = path.kind else { return nil }
    // The last step, unless that is a descriptor.
    var step = steps[steps.count - 1]
    if steps.count > 1, isDescriptor(step.uuid) { step = steps[steps.count - 2] }
    switch step.uuid.kind {
    case .literal(let uuid): return .uuid(uuid)
    case .name(let name):
      if let constant = constants[name] { return uuid(constant).map { .uuid($0) } }
      if let uuid = AssignedNumbers.characteristic(named: name) { return .uuid(uuid) }
      return .name(name)
    }
  }

  static func isDescriptor(_ uuid: UUIDSyntax) -> Bool {
    switch uuid.kind {
    case .name(let name): SIGNames.isDescriptor(name) && !SIGNames.isCharacteristic(name)
    case .literal(let uuid): uuid.short.map { (0x2900...0x29FF).contains($0) } ?? false
    }
  }
}

extension RecipeFile {
  /// Procedures that wait, directly or through others.
  package var waitingProcedures: Set<String> { procedures(with: \.waits) }

  /// Procedures that have such a statement, directly or through others.
  func procedures(with isMeant: (StatementKind) -> Bool) -> Set<String> {
    var all = procedures
    for peripheral in peripherals {
      for part in peripheral.parts { if case .procedure(let procedure) = part.kind { all.append(procedure) } }
    }
    // First the procedures that wait themselves, then their callers, and so on.
    var callers: [String: [String]] = [:]
    var open: [String] = []
    for procedure in all {
      let name = procedure.name.text
      procedure.body.forEachStatement(handlers: false) { statement in
        if isMeant(statement.kind) { open.append(name) }
        if let called = statement.kind.calledProcedure { callers[called.text, default: []].append(name) }
      }
    }
    var found: Set<String> = []
    while let name = open.popLast() { if found.insert(name).inserted { open += callers[name] ?? [] } }
    return found
  }
}
