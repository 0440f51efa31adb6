import Exchange
package import Recipe
import Vocabulary

/// Compiles a checked recipe, or one of its peripherals, to register code.
///
/// The check has refused most errors; any other error becomes a `CompileError`, never a trap.
package struct Compiler {
  var program: Program
  /// All declarations compiled so far.
  var file: RecipeFile
  /// Variables by name, because searching the list would be slow in long recipes.
  var variableIndex: [String: Int] = [:]
  /// Variables removed by `undo`, to be reused if the name is given again.
  var undoneVariables: [String: Int] = [:]
  /// Procedures by name, with their units.
  var procedures: [String: (unit: Int, parameters: Int)] = [:]
  /// Values of top-level `let`s that are a literal UUID, address or text.
  var literals: [String: Value] = [:]
  /// Whether the body has not waited yet, so that a `let` has its value from the start.
  var isEarly = true
  /// Names of constants.
  var constants: Set<String> = []
  /// The state at the end of the body, and the instruction that ends it.
  private var body = UnitBuilder(index: Program.body, locals: nil)
  private var end = 0
  private var nameIndex: [ExactText: UInt16] = [:]
  /// Indices of integer and text constants beyond the first 64.
  private var constantIndex: [ExactText: Int] = [:]
  var unit = UnitBuilder(index: 0, locals: nil)
  var statement = -1
  var blocks: [Int] = []
  /// The branch that is being compiled, see `StatementInfo.branch`.
  var branch = ""
  var error: CompileError?
  /// The peripheral that is being compiled.
  var peripheral: PeripheralDeclaration?
  /// Its name if a recipe serves it, so that its `let`s are variables `P.name` of the recipe.
  var serverScope: String?
  /// The units that start serving, one for each of `program.servers`.
  var serverUnits: [Int] = []
  var compiledServers = 0
  /// The file's waiting procedures, computed on demand.
  var waitingProcedures: Set<String>?
  /// The value of a `request mtu` after the current `connect`.
  var mtuOfConnect: Expression?
  /// Whether the body waits for entries at its end.
  var isPrompt = false
  /// Sites of handlers that were completed while their units were built.
  var finishedSites: [(unit: Int, site: HandlerSite)] = []

  /// The unit under construction.
  struct UnitBuilder {
    var index: Int
    /// Its local names; `nil` in the body, whose names belong to the recipe.
    var locals: [String: Int]?
    var keys: [LocalKey] = [.fixed(0), .fixed(1), .fixed(2), .fixed(3)]
    /// The locals that a statement gives a value, and that may have none before it. The others are
    /// parameters and names of events.
    var given: Set<Int> = []
    /// The first free local; temporaries are above the named ones.
    var top = Operand.firstFree
    var loops: [Loop] = []
    var tryDepth = 0
    var handlerDepth = 0
    var hiddenNumber = 0
    /// The locals in which each enclosing `with` keeps the previous device.
    var devicesBefore: [Operand] = []
    /// Whether it is inside `with` or `whenever`.
    var isGivenDevice = false
    /// The device name of the enclosing `whenever`.
    var givenName: (text: String, range: SourceRange)?
    /// The name of the event, which also has `.bytes` and `.at`.
    var eventName: String?
    /// Whether it is a branch of `for each … at once`.
    var isBranch = false
    /// Whether the results of its statements are displayed.
    var isEntry = false
    /// Whether `answer` and `refuse` end it.
    var answers = false
  }

  struct Loop {
    var leaves: [Int] = []
    var skips: [Int] = []
    var tryDepth: Int
    var handlerDepth: Int
    /// The number of `with`s around it.
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

  /// - Parameter sources: the texts of the ranges in `file`.
  /// - Parameter peripheral: the peripheral to compile as a program; `nil` means the recipe itself.
  /// - Parameter given: `let`s of the peripheral whose values come from outside.
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

  /// Adds to a pool and returns the index. Inlined for a plain access, because creating a key path
  /// costs 40,000 instructions.
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
    if let index = nameIndex[ExactText(text)] { return index }
    if text == "heard" { program.asksWhenHeard = true }
    let index = pooled(\.names, text, range)
    nameIndex[ExactText(text)] = index
    return index
  }

  mutating func constant(_ value: Value, _ range: SourceRange) -> Operand {
    // Searching all constants would be quadratic. Search the newest, which repeat most, and look up
    // numbers and texts in a dictionary.
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

  /// 0.0 and -0.0 are equal but different constants, and so are texts of other scalars that look
  /// alike.
  private static func isSame(_ one: Value, _ other: Value) -> Bool {
    switch (one, other) {
    case (.real(let one), .real(let other)): one.bitPattern == other.bitPattern
    case (.text(let one), .text(let other)): one.isSame(as: other)
    default: one == other
    }
  }

  private static func constantKey(_ value: Value) -> ExactText? {
    switch value {
    case .int(let number): ExactText("\(number)")
    case .text(let text): ExactText("\"\(text)")
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

  /// Reserves consecutive locals for the lifetime of the unit, which a restored checkpoint finds by
  /// their statement.
  mutating func hidden(_ count: Int, _ range: SourceRange) -> Operand {
    // Above all locals used so far, so that no temporary shares them.
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

  /// - Parameter isOwn: whether it is always a new local, even if the recipe has a variable of that
  ///   name, as for the event of a handler.
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
    if !isOwn { unit.given.insert(slot) }
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

  /// Builds a unit next to the current one. Its number is reserved at once, so that other code can
  /// refer to it.
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

  /// Ends the body until more is appended.
  mutating func finishBody() {
    end = emit(isPrompt ? .prompt : .finish, at: .none)
    body = unit
  }

  /// Appends code to the body, whose end now jumps there.
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
    // A checkpoint stores unit numbers in 16 bits.
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
