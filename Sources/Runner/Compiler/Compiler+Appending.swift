import Exchange
package import Recipe

/// Compiling a recipe that grows at its end. Compiled parts keep their numbers, so that references
/// to them stay valid.
extension Compiler {
  /// Compiles a checked recipe, and keeps the state that later entries need.
  package init(compiling file: RecipeFile, sources: [SourceText]) throws(CompileError) {
    self.init(file: file, sources: sources)
    compileRecipe()
    if let error { throw error }
  }

  /// The recipe with all its entries.
  package var compiled: Program { program }

  /// The file number and the first statement id of the next entry, for `ParsedFile`.
  package var nextFile: UInt16 { UInt16(clamping: program.lines.count) }
  package var nextStatement: Int { program.statements.count }

  /// Compiles declarations and statements after the existing ones. The body continues with them;
  /// their handlers and names belong to the recipe.
  ///
  /// Changes nothing if there is an error.
  /// - Parameter entry: parsed as file `nextFile`, with statement ids from `nextStatement` on.
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

  /// Turns constants that the entry changes into variables. Code that is already compiled keeps the
  /// constant.
  /// - Parameter givesAgain: whether a name that is given again also gets a new value.
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
