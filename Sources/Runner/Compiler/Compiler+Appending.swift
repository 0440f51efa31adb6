import Exchange
package import Recipe

/// A recipe that grows at its end: what was compiled keeps its numbers, so that whatever stands in
/// it stays right.
extension Compiler {
  /// Compiles a checked recipe, and keeps what later entries need.
  package init(compiling file: RecipeFile, sources: [SourceText]) throws(CompileError) {
    self.init(file: file, sources: sources)
    compileRecipe()
    if let error { throw error }
  }

  /// The recipe with all its entries.
  package var compiled: Program { program }

  /// The file number and the first statement of the next entry, for `ParsedFile`.
  package var nextFile: UInt16 { UInt16(clamping: program.lines.count) }
  package var nextStatement: Int { program.statements.count }

  /// Compiles declarations and statements behind those that are there. The body, which ended before
  /// them, goes on with them; their handlers are handlers of the recipe, and their names are names
  /// of the recipe.
  ///
  /// After an error everything is as it was before.
  /// - Parameter entry: parsed as file `nextFile`, with statements from `nextStatement` on.
  package mutating func append(_ entry: RecipeFile, _ source: SourceText) throws(CompileError) {
    var grown = self
    grown.take(entry, source)
    if let error = grown.error { throw error }
    self = grown
  }

  private mutating func take(_ entry: RecipeFile, _ source: SourceText) {
    guard program.lines.count < 0xFFFF, entry.idCount >= program.statements.count else {
      fail("the recipe has too many parts", .none)
      return
    }
    for procedure in entry.procedures where procedures[procedure.name.text] != nil {
      fail("there is already a procedure `\(procedure.name.text)`", procedure.name.range)
    }
    file.inputs += entry.inputs
    file.remembers += entry.remembers
    file.procedures += entry.procedures
    file.formats += entry.formats
    file.idCount = entry.idCount
    program.file = file
    waitingProcedures = nil
    program.lines.append(source)
    reserveStatements(to: entry.idCount)
    let wasEarly = isEarly
    unfix(entry)
    collectVariables(of: entry)
    if wasEarly { initialisers(of: entry) }
    declareProcedures(entry.procedures)
    resumeBody { compiler in compiler.members(entry.body, isTopLevel: true) }
    compileProcedures(entry.procedures)
    compileServers()
  }

  /// A constant that the entry changes is one no longer. Code that took it for one keeps what it
  /// took.
  /// - Parameter givesAgain: whether a name that is given again is another value, too.
  mutating func unfix(_ entry: RecipeFile, givesAgain: Bool = false) {
    var changed = Names()
    if givesAgain { changed.collectNames(entry.body) }
    changed.collectChanges(entry.body)
    for procedure in entry.procedures { changed.collectChanges(procedure.body) }
    for name in changed.list {
      if givesAgain {
        literals[name] = nil
        constants.remove(name)
      }
      guard let index = variableIndex[name], program.variables[index].kind == .constant else { continue }
      program.variables[index].kind = .state
      literals[name] = nil
      constants.remove(name)
      for place in program.initialisers.indices where program.initialisers[place].variable == index {
        program.initialisers[place].isConstant = false
      }
    }
  }
}
