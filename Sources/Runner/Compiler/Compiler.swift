import Exchange
package import Recipe
import Vocabulary

/// Turns a checked recipe, or one peripheral of it, into register code.
///
/// What the check has refused does not come here; what is wrong all the same becomes a
/// `CompileError`, never a trap.
package struct Compiler {
  var program: Program
  /// The declarations of everything that was compiled.
  var file: RecipeFile
  /// Variables by name: looking through a list would make long recipes slow, here and below.
  var variableIndex: [String: Int] = [:]
  /// Those that were taken back, for when the name is given again.
  var undoneVariables: [String: Int] = [:]
  /// Procedures by name, with their units.
  var procedures: [String: (unit: Int, parameters: Int)] = [:]
  /// Top-level `let`s that are UUIDs, addresses or texts by their text.
  var literals: [String: Value] = [:]
  /// Whether no statement of the body has waited so far: a `let` is there from the start.
  var isEarly = true
  /// Names of constants.
  var constants: Set<String> = []
  /// The body as it stood at its end, and the instruction that ends it.
  private var body = UnitBuilder(index: Program.body, locals: nil)
  private var end = 0
  private var nameIndex: [String: UInt16] = [:]
  /// Numbers and texts among the constants beyond the first 64.
  private var constantIndex: [String: Int] = [:]
  var unit = UnitBuilder(index: 0, locals: nil)
  var statement = -1
  var blocks: [Int] = []
  /// The branch of the innermost `if` that is compiled.
  var branch = ""
  var error: CompileError?
  /// The peripheral whose parts are compiled.
  var peripheral: PeripheralDeclaration?
  /// Its name, where its `let`s are variables of the recipe: `P.name`.
  var serverScope: String?
  /// The units that begin to serve, one for each of `program.servers`.
  var serverUnits: [Int] = []
  var compiledServers = 0
  /// Of the file, once somebody has asked.
  var waitingProcedures: Set<String>?
  /// Of `request mtu` behind the `connect` that is compiled.
  var mtuBehind: Expression?
  /// The body waits for entries when it has come to its end.
  var isPrompt = false
  /// Handlers whose sites were completed while their units were built.
  var finishedSites: [(unit: Int, site: HandlerSite)] = []

  /// The unit under construction.
  struct UnitBuilder {
    var index: Int
    /// Names of its own; nothing in the body, whose names are the recipe's.
    var locals: [String: Int]?
    var keys: [LocalKey] = [.fixed(0), .fixed(1), .fixed(2), .fixed(3)]
    /// First free local; temporaries stack above the named ones.
    var top = Operand.firstFree
    var loops: [Loop] = []
    var tryDepth = 0
    var handlerDepth = 0
    var hiddenNumber = 0
    /// Where each `with` around keeps the device that was meant before it.
    var devicesBefore: [Operand] = []
    /// Inside `with` or `whenever`.
    var isGivenDevice = false
    /// What the `whenever` around calls its device.
    var givenName: (text: String, range: SourceRange)?
    /// Name of the event, whose `.bytes` and `.at` are looked up too.
    var eventName: String?
    /// Of `for each … at once`.
    var isBranch = false
    /// What its statements get is shown.
    var isEntry = false
    /// `answer` and `refuse` end it.
    var answers = false
  }

  struct Loop {
    var leaves: [Int] = []
    var skips: [Int] = []
    var tryDepth: Int
    var handlerDepth: Int
    /// How many `with`s are around it.
    var withDepth: Int
  }

  init(file: RecipeFile, sources: [SourceText]) {
    self.file = file
    program = Program(file: file, lines: LineTable(sources))
    reserveStatements(to: file.idCount)
  }

  mutating func reserveStatements(to count: Int) {
    program.statements.reserveCapacity(count)
    for id in program.statements.count..<max(count, program.statements.count) {
      program.statements.append(
        StatementInfo(id: id, range: .none, normalized: "", blocks: [], start: 0, waits: [], unit: -1))
    }
  }

  /// - Parameter sources: the texts that the ranges of `file` lie in.
  /// - Parameter peripheral: the peripheral whose handlers become the program; nothing means the
  ///   recipe itself.
  /// - Parameter given: its `let`s whose values are given from outside.
  package static func compile(_ file: RecipeFile, sources: [SourceText], peripheral: String? = nil, given: [String] = [])
    -> Result<Program, CompileError>
  {
    var compiler = Compiler(file: file, sources: sources)
    if let peripheral {
      guard let declaration = file.peripherals.first(where: { $0.name.text == peripheral }) else {
        return .failure(CompileError(range: .none, message: "there is no peripheral `\(peripheral)`"))
      }
      compiler.compile(peripheral: declaration, given: given)
    } else {
      compiler.compileRecipe()
    }
    if let error = compiler.error { return .failure(error) }
    return .success(compiler.program)
  }

  // MARK: Errors and limits

  mutating func fail(_ message: String, _ range: SourceRange) {
    if error == nil { error = CompileError(range: range, message: message) }
  }

  // MARK: Emitting

  @discardableResult
  mutating func emit(_ code: OpCode, _ a: Operand = .it, _ b: UInt16 = 0, _ c: UInt16 = 0, at range: SourceRange) -> Int {
    emit(raw: Op(code, a.raw, b, c), at: range)
  }

  @discardableResult
  mutating func emit(raw op: Op, at range: SourceRange) -> Int {
    let pc = program.code.count
    program.code.append(op)
    program.statementOf.append(Int32(statement))
    program.unitOf.append(Int32(unit.index))
    program.rangeOf.append(range)
    if op.code.mayWait, statement >= 0, program.statements.indices.contains(statement) {
      program.statements[statement].waits.append(pc)
    }
    return pc
  }

  var here: Int { program.code.count }

  mutating func patch(_ pc: Int) { program.code[pc].setTarget(here) }

  mutating func jump(to pc: Int, at range: SourceRange, code: OpCode = .jump) {
    var op = Op(code)
    op.setTarget(pc)
    emit(raw: op, at: range)
  }

  /// Adds to a pool and gives its number. Inlined, so that the key path is a plain access: to make
  /// one costs 40,000 instructions.
  @inline(__always)
  mutating func pooled<Site>(_ pool: WritableKeyPath<Program, [Site]>, _ site: Site, _ range: SourceRange) -> UInt16 {
    let index = program[keyPath: pool].count
    guard index < 0xFFFF else {
      fail("the recipe is too large", range)
      return 0
    }
    program[keyPath: pool].append(site)
    return UInt16(index)
  }

  mutating func name(_ text: String, _ range: SourceRange) -> UInt16 {
    if let index = nameIndex[text] { return index }
    if text == "heard" { program.asksWhenHeard = true }
    let index = pooled(\.names, text, range)
    nameIndex[text] = index
    return index
  }

  mutating func constant(_ value: Value, _ range: SourceRange) -> Operand {
    // Searching all would be quadratic; the newest are the likely repeats, and long recipes look
    // their numbers and texts up.
    let count = program.constants.count
    for index in program.constants.indices.suffix(64) where Self.isSame(program.constants[index], value) {
      return .constant(index)
    }
    if count >= 64, let key = Self.constantKey(value) {
      if let index = constantIndex[key] { return .constant(index) }
      constantIndex[key] = count
    }
    guard count < Operand.limit - 1 else {
      fail("the recipe has more than \(Operand.limit - 1) different values", range)
      return .constant(0)
    }
    program.constants.append(value)
    return .constant(count)
  }

  /// 0.0 and -0.0 are equal, but two constants.
  private static func isSame(_ one: Value, _ other: Value) -> Bool {
    if case (.real(let one), .real(let other)) = (one, other) { return one.bitPattern == other.bitPattern }
    return one == other
  }

  private static func constantKey(_ value: Value) -> String? {
    switch value {
    case .int(let number): "\(number)"
    case .text(let text): "\"\(text)"
    default: nil
    }
  }

  // MARK: Locals and names

  mutating func temporary(_ range: SourceRange) -> Operand {
    let slot = unit.top
    guard slot < 0x7F00 else {
      fail("this expression is too large", range)
      return .it
    }
    unit.top += 1
    if slot == unit.keys.count { unit.keys.append(.temporary) }
    return .local(slot)
  }

  /// A run of consecutive locals that lives as long as the unit and can be found again by its
  /// statement.
  mutating func hidden(_ count: Int, _ range: SourceRange) -> Operand {
    // Above everything used so far, so that no temporary shares the place.
    let slot = unit.keys.count
    guard slot + count < 0x7F00 else {
      fail("this block is too large", range)
      return .it
    }
    for number in 0..<count { unit.keys.append(.hidden(statement: statement, number: unit.hiddenNumber + number)) }
    unit.hiddenNumber += count
    unit.top = unit.keys.count
    return .local(slot)
  }

  /// - Parameter isOwn: Never a variable of the recipe, also when there is one of that name: the
  ///   event of a handler.
  mutating func declare(_ text: String, _ range: SourceRange, isOwn: Bool = false) -> Operand {
    if !isOwn, let known = lookUp(text) { return known }
    guard unit.locals != nil else {
      let index = variable(text, .state, isEarly: false)
      return .global(index)
    }
    let slot = unit.keys.count
    guard slot < 0x7F00 else {
      fail("too many names", range)
      return .it
    }
    unit.keys.append(.named(text))
    unit.top = max(unit.top, unit.keys.count)
    unit.locals?[text] = slot
    return .local(slot)
  }

  func lookUp(_ text: String) -> Operand? {
    if let slot = unit.locals?[text] { return .local(slot) }
    if let serverScope, let index = variableIndex["\(serverScope).\(text)"] { return .global(index) }
    if let index = variableIndex[text] { return .global(index) }
    return nil
  }

  @discardableResult
  mutating func variable(_ name: String, _ kind: Variable.Kind, isEarly: Bool) -> Int {
    if let found = variableIndex[name] { return found }
    if let undone = undoneVariables.removeValue(forKey: name) {
      variableIndex[name] = undone
      if program.variables[undone].kind == .constant { program.variables[undone].kind = .state }
      return undone
    }
    let index = program.variables.count
    guard index < Operand.limit - 1 else {
      fail("the recipe has more than \(Operand.limit - 1) names", .none)
      return 0
    }
    program.variables.append(Variable(name: name, kind: kind, isEarly: isEarly))
    variableIndex[name] = index
    return index
  }

  // MARK: Units

  /// Builds a unit beside the one under construction. Its number is taken at once, so that others
  /// can refer to it.
  mutating func build(
    role: Unit.Role, locals: [(name: String, slot: Int)]?, owner: Int?, reserved: Int? = nil, _ work: (inout Compiler) -> Int
  ) -> Int {
    let index = reserved ?? reserveUnit(role: role, owner: owner)
    let saved = (unit, statement, blocks)
    unit = UnitBuilder(index: index, locals: locals.map { Dictionary($0.map { ($0.name, $0.slot) }) { $1 } })
    if let locals { for local in locals { unit.keys.append(.named(local.name)) } }
    unit.top = unit.keys.count
    let entry = work(&self)
    program.units[index].role = role
    if let finished = finishedSites.last, finished.unit == index { program.units[index].role = .handler(finished.site) }
    program.units[index].entry = entry
    program.units[index].localCount = unit.keys.count
    program.units[index].localKeys = unit.keys
    (unit, statement, blocks) = saved
    return index
  }

  /// The end of the body, for now.
  mutating func finishBody() {
    end = emit(isPrompt ? .prompt : .finish, at: .none)
    body = unit
  }

  /// Puts more behind the end of the body, which leads there from now on.
  mutating func resumeBody(_ work: (inout Compiler) -> Void) {
    (unit, statement, blocks) = (body, -1, [])
    program.code[end] = Op(.jump)
    patch(end)
    work(&self)
    finishBody()
    program.units[unit.index].localCount = unit.keys.count
    program.units[unit.index].localKeys = unit.keys
  }

  mutating func reserveUnit(role: Unit.Role, owner: Int?) -> Int {
    // A frame of a checkpoint names its unit with 16 bits.
    if program.units.count >= 0xFFFF { fail("the recipe has too many handlers and procedures", .none) }
    program.units.append(Unit(role: role, entry: 0, localCount: 0, localKeys: [], owner: owner))
    return program.units.count - 1
  }

  mutating func begin(_ id: Int, _ range: SourceRange, _ normalized: String) {
    statement = id
    guard program.statements.indices.contains(id) else { return }
    program.statements[id].range = range
    program.statements[id].normalized = normalized
    program.statements[id].blocks = blocks
    program.statements[id].branch = branch
    program.statements[id].start = here
    program.statements[id].unit = unit.index
  }
}
