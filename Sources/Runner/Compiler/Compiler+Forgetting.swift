import Recipe

/// What `undo` takes back. Code that uses it stays right: no number moves.
extension Compiler {
  package mutating func forget(names: [String], procedures gone: [String], formats: [String]) {
    for name in names {
      literals[name] = nil
      constants.remove(name)
      // The same name again is the same variable: a checkpoint knows it by its name.
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
