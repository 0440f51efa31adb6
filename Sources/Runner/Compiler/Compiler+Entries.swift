import Exchange
package import Recipe

/// The program of a prompt. Each entry is a unit of its own, which the waiting body calls.
extension Compiler {
  /// Compiles the declarations and handlers that a session begins with.
  package init(prompting file: RecipeFile, sources: [SourceText]) throws(CompileError) {
    self.init(file: file, sources: sources)
    isPrompt = true
    compileRecipe()
    // Names of later entries have no value until the entry runs.
    isEarly = false
    if let error { throw error }
  }

  /// Compiles an entry after the existing parts, which keep their numbers. Changes nothing if there
  /// is an error.
  /// - Parameter entry: parsed as file `nextFile`, with statement ids from `nextStatement` on.
  /// - Returns: the unit of the entry.
  package mutating func appendEntry(_ entry: RecipeFile, _ source: SourceText) throws(CompileError) -> Int {
    var grown = self
    let unit = grown.takeEntry(entry, source)
    if let error = grown.error { throw error }
    self = grown
    return unit
  }

  private mutating func takeEntry(_ entry: RecipeFile, _ source: SourceText) -> Int {
    guard program.lines.count < 0xFFFF, program.units.count < 0xFF00, entry.idCount >= program.statements.count else {
      fail("the session is full; save it with `save recipe` and start another", .none)
      return 0
    }
    replace(entry.procedures, in: \.procedures) { $0.name.text }
    replace(entry.formats, in: \.formats) { $0.name.text }
    file.idCount = entry.idCount
    program.file = file
    waitingProcedures = nil
    program.lines.append(source)
    reserveStatements(to: entry.idCount)
    unfix(entry, givesAgain: true)
    collectVariables(of: entry)
    if !entry.formats.isEmpty { program.formats.renew(in: file, named: literals) }
    let old = redeclareProcedures(entry.procedures)
    let unit = entryUnit(entry)
    compileProcedures(entry.procedures)
    for (unit, count) in old { program.units[unit].localCount = max(count, program.units[unit].localCount) }
    return unit
  }

  private mutating func replace<Declaration>(
    _ new: [Declaration], in list: WritableKeyPath<RecipeFile, [Declaration]>, _ name: (Declaration) -> String
  ) {
    guard !new.isEmpty else { return }
    let names = Set(new.map(name))
    file[keyPath: list] = file[keyPath: list].filter { !names.contains(name($0)) } + new
  }

  /// A new procedure replaces the one of the same name, also for existing callers. Calls in
  /// progress finish in the old code.
  private mutating func redeclareProcedures(_ list: [ProcedureDeclaration]) -> [(unit: Int, locals: Int)] {
    var old: [(unit: Int, locals: Int)] = []
    for procedure in list {
      let name = procedure.name.text
      if let known = procedures[name], known.parameters == procedure.parameters.count {
        old.append((known.unit, program.units[known.unit].localCount))
      } else {
        procedures[name] = nil
        declareProcedures([procedure])
      }
    }
    return old
  }

  private mutating func entryUnit(_ entry: RecipeFile) -> Int {
    let first = program.units.count
    var end = 0
    let unit = build(role: .entry(end: 0, handlers: []), locals: nil, owner: nil) { compiler in
      compiler.unit.isEntry = true
      let start = compiler.here
      compiler.members(entry.body, isTopLevel: true)
      compiler.statement = -1
      end = compiler.here
      for state in [EntryState.done, .failed, .cancelled] {
        compiler.emit(.entryEnd, Operand(raw: UInt16(state.rawValue)), at: .none)
      }
      return start
    }
    // They become active with the entry, not when the run starts.
    var handlers: [Int] = []
    for index in first..<program.units.count {
      guard case .handler(var site) = program.units[index].role, site.isTopLevel else { continue }
      site.isTopLevel = false
      program.units[index].role = .handler(site)
      handlers.append(index)
    }
    program.units[unit].role = .entry(end: end, handlers: handlers)
    return unit
  }

  // MARK: Display

  /// Compiles a value that is a statement and is displayed.
  mutating func compile(shown value: Expression, _ range: SourceRange) {
    var flags = unit.isEntry ? EchoFlags.entry : 0
    let operand: Operand
    if case .call(let procedure, let arguments) = value.kind {
      operand = temporary(range)
      call(procedure, arguments, into: operand, range)
      if BuiltIn.named(procedure.text) == nil { flags |= EchoFlags.skipsNothing }
    } else {
      operand = expression(value)
    }
    emit(.echo, operand, name("", range), flags, at: range)
  }

  /// Displays the result of an entry's statement.
  mutating func echo(_ statement: Statement) {
    let range = statement.header
    func shown(_ given: NameSyntax?, _ standard: Operand, _ label: String) -> (Operand, String) {
      guard let given else { return (standard, label) }
      return (lookUp(given.text) ?? standard, given.text)
    }
    let (operand, label): (Operand, String)
    switch statement.kind {
    case .scan(let scan):
      if scan.name == nil, scan.mode == .all { return }
      (operand, label) = shown(scan.name, .device, "device")
    case .read(let read): (operand, label) = shown(read.name, .it, "it")
    case .wait(.event(let event, _, _, let name)):
      if name == nil, case .advertisement = event.kind { return }
      (operand, label) = shown(name, .it, "it")
    case .run(let run): (operand, label) = shown(run.name, .it, "it")
    case .ask(let ask): (operand, label) = shown(ask.name, .it, "it")
    default: return
    }
    emit(.echo, operand, name(label, range), EchoFlags.entry | EchoFlags.skipsNothing, at: range)
  }
}

/// How a value is displayed.
enum EchoFlags {
  /// It is the result of an entry; otherwise a handler prints it.
  static let entry: UInt16 = 1
  /// `nothing` is not displayed.
  static let skipsNothing: UInt16 = 2
}

extension Program {
  func isEntry(_ unit: Int) -> Bool {
    guard units.indices.contains(unit), case .entry = units[unit].role else { return false }
    return true
  }

  func isHandler(_ unit: Int) -> Bool {
    guard units.indices.contains(unit), case .handler = units[unit].role else { return false }
    return true
  }
}
