import Exchange
import Recipe
import Vocabulary

extension Compiler {
  mutating func compileRecipe() {
    settings()
    collectVariables(of: file)
    let body = reserveUnit(role: .body, owner: nil)
    initialisers(of: file)
    declareProcedures(file.procedures)
    _ = build(role: .body, locals: nil, owner: nil, reserved: body) { compiler in
      let entry = compiler.here
      compiler.members(compiler.file.body, isTopLevel: true)
      compiler.finishBody()
      return entry
    }
    compileProcedures(file.procedures)
    compileServers()
  }

  /// Compiles the `use` settings, which also apply to the tests of the file.
  mutating func settings() {
    for use in file.uses {
      switch (use.setting.text, use.value?.kind) {
      case ("timeout", .duration(let span)): program.settings.operationTimeout = span.nanoseconds
      case ("strict", _): program.settings.strict = true
      case ("scan", .name("full")): program.settings.scan = .full
      case ("scan", .name("gentle")): program.settings.scan = .gentle
      case ("scan", .name("coded")): program.settings.scan = .coded
      case ("pairing", .name("automatic")): program.settings.pairsOnDemand = true
      case ("pairing", .name("strict")): program.settings.pairsStrictly = true
      default: break
      }
    }
  }

  /// Declares the recipe's names before any code: inputs, remembered names, and all names that its
  /// body gives.
  mutating func collectVariables(of file: RecipeFile) {
    for input in file.inputs {
      let index = variable(input.name.text, ["secret", "secrets"].contains(input.type.text) ? .secret : .input, isEarly: true)
      if let initial = input.initial, !initial.isPlain, program.variables.indices.contains(index) {
        program.variables[index].mayLackValue = true
      }
      // Files may be large. The run identifies them by their fingerprints instead.
      if program.variables.indices.contains(index), !["file", "files", "secret", "secrets"].contains(input.type.text) {
        program.variables[index].isKeptInput = true
      }
    }
    for remembered in file.remembers {
      let index = variable(remembered.name.text, .remembered, isEarly: true)
      if program.variables.indices.contains(index), !remembered.initial.isPlain { program.variables[index].mayLackValue = true }
    }
    var changed = Names()
    changed.collectChanges(file.body)
    for procedure in file.procedures { changed.collectChanges(procedure.body) }
    for peripheral in file.peripherals {
      for part in peripheral.parts {
        if case .handler(let handler) = part.kind { changed.collectChanges(handler.body) }
        if case .procedure(let procedure) = part.kind { changed.collectChanges(procedure.body) }
      }
    }
    for member in file.body {
      guard case .statement(let statement) = member else { continue }
      if case .let(let name, let value) = statement.kind, statement.otherwise == nil {
        let isConstant = !changed.contains(name.text) && value.isConstant(knowing: constants)
        if isConstant {
          constants.insert(name.text)
          if literals[name.text] == nil, let literal = value.literalValue { literals[name.text] = literal }
        }
        // A value read from a file is known only when the body gets there.
        if isEarly, !value.readsFile {
          let index = variable(name.text, isConstant ? .constant : .state, isEarly: true)
          if !value.isPlain { program.variables[index].mayLackValue = true }
        }
      }
      if statement.mightWait { isEarly = false }
    }
    var given = Names()
    given.collectNames(file.body)
    for name in given.list { variable(name, .state, isEarly: false) }
  }

  /// Compiles early `let`s and `remember`s separately, for the first start and for names that an
  /// edited recipe adds.
  mutating func initialisers(of file: RecipeFile) {
    for input in file.inputs {
      guard var initial = input.initial else { continue }
      if ["uuid", "uuids"].contains(input.type.text) { initial = Self.uuids(of: initial) }
      initialiser(input.name.text, initial, id: nil, range: input.range, normalized: "", isConstant: false)
    }
    for remembered in file.remembers {
      initialiser(
        remembered.name.text, remembered.initial, id: remembered.id, range: remembered.range, normalized: remembered.normalized,
        isConstant: false)
    }
    for member in file.body {
      guard case .statement(let statement) = member else { continue }
      if statement.mightWait { break }
      guard case .let(let name, let value) = statement.kind,
        let index = variableIndex[name.text],
        program.variables[index].isEarly
      else { continue }
      // The body computes values that call a procedure.
      if value.calls({ BuiltIn.named($0) == nil && $0 != "now" && $0 != "devices" }) { continue }
      initialiser(
        name.text, value, id: nil, range: statement.range, normalized: "", isConstant: program.variables[index].kind == .constant,
        statement: statement.id)
    }
  }

  /// Converts the numbers in the default of a UUID input to UUIDs, as on the command line.
  private static func uuids(of value: Expression) -> Expression {
    if case .list(let items) = value.kind { return Expression(kind: .list(items.map(uuids)), range: value.range) }
    guard case .uuid(let uuid)? = value.literalValue else { return value }
    return Expression(kind: .uuid(uuid), range: value.range)
  }

  private mutating func initialiser(
    _ name: String, _ value: Expression, id: Int?, range: SourceRange, normalized: String, isConstant: Bool, statement: Int? = nil
  ) {
    guard let index = variableIndex[name] else { return }
    let owner = id ?? statement ?? -1
    let unit = build(role: .initialiser, locals: [], owner: owner) { compiler in
      if let id { compiler.begin(id, range, normalized) }
      let entry = compiler.here
      let operand = compiler.expression(value)
      compiler.emit(.predicateEnd, operand, at: range)
      return entry
    }
    program.initialisers.append(Initialiser(variable: index, unit: unit, statement: owner, isConstant: isConstant))
  }

  mutating func declareProcedures(_ list: [ProcedureDeclaration]) {
    for procedure in list {
      let unit = reserveUnit(
        role: .procedure(name: procedure.name.text, parameters: procedure.parameters.count), owner: procedure.id)
      if procedures[procedure.name.text] == nil { procedures[procedure.name.text] = (unit, procedure.parameters.count) }
    }
  }

  mutating func compileProcedures(_ list: [ProcedureDeclaration]) {
    for procedure in list {
      guard let known = procedures[procedure.name.text] else { continue }
      let names = procedure.parameters.enumerated().map { (name: $1.text, slot: Operand.firstFree + $0) }
      _ = build(
        role: .procedure(name: procedure.name.text, parameters: names.count), locals: names, owner: procedure.id,
        reserved: known.unit
      ) { compiler in
        compiler.begin(procedure.id, procedure.header, procedure.normalized)
        compiler.unit.answers = compiler.peripheral != nil
        let entry = compiler.here
        compiler.blocks.append(procedure.id)
        compiler.members(procedure.body, isTopLevel: false)
        compiler.emit(.returnValue, compiler.constant(.nothing, procedure.range), at: procedure.range)
        return entry
      }
    }
  }
}
