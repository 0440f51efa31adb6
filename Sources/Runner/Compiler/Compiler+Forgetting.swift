import Recipe

/// What `undo` removes. Numbers do not change, so code that uses it stays valid.
extension Compiler {
  package mutating func forget(names: [String], procedures gone: [String], formats: [String]) {
    for name in names {
      literals[name] = nil
      constants.remove(name)
      // A checkpoint identifies variables by name, so the same name must get the same variable.
      if let index = variableIndex.removeValue(forKey: name) { undoneVariables[name] = index }
    }
    file.procedures.removeAll { gone.contains($0.name.text) }
    for name in gone { procedures[name] = nil }
    guard !formats.isEmpty else { return }
    file.formats.removeAll { formats.contains($0.name.text) }
    program.file = file
    program.formats.renew(in: file, named: literals)
  }
}
