import Exchange

/// Fixes at a prompt, offered only if they work, as in a file.
extension EntryChecker {
  /// The findings of an entry, each with the fixes that work. If there are syntax errors, only
  /// those, because statements are checked once everything parses.
  /// - Parameters:
  ///   - findings: result of `check` for the same entry.
  ///   - file: file number of the entry; `firstID` is the id of its first statement.
  package func verified(_ findings: [Diagnostic], of entry: ParsedFile, file: UInt16, firstID: Int, device: Device)
    -> [Diagnostic]
  {
    let isRead = !entry.diagnostics.contains { $0.severity == .error }
    var shown = isRead ? findings : entry.diagnostics
    let before = shown.count { $0.severity == .error }
    // Typed entries are short; a pasted recipe is not worth the trials.
    guard entry.source.bytes.count <= Self.longestTrial else {
      for place in shown.indices { shown[place].fixes = [] }
      return shown
    }
    var trials = 0
    for place in shown.indices {
      shown[place].fixes = shown[place].fixes.filter { fix in
        trials += 1
        guard trials <= Self.mostTrials, fix.edits.allSatisfy({ $0.range.file == file }), let bytes = entry.source.applying(fix)
        else { return false }
        let parsed = ParsedFile(bytes, name: entry.source.name, file: file, firstID: firstID, isEntry: true)
        var trial = self
        var after = trial.check(parsed, device: device)
        if parsed.diagnostics.contains(where: { $0.severity == .error }) { after = parsed.diagnostics }
        // An open block continues on the next line.
        if RecipeFile.isOpen(entry: String(decoding: bytes, as: UTF8.self)) { after = after.filter { $0.code != "T016" } }
        let errors = after.count { $0.severity == .error }
        guard shown[place].severity != .error else { return errors < before }
        let same = shown[place]
        return errors <= before && !after.contains { $0.code == same.code && $0.message == same.message }
      }
    }
    return shown
  }

  private static let longestTrial = 1 << 14
  private static let mostTrials = 16
}
