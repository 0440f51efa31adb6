import Exchange
import Vocabulary

/// `run`: the arguments of a program, and the command line of a shell.
extension Checker {
  mutating func command(_ run: RunStatement, _ place: Place) {
    if let unsure = run.unsure, unsure.policy == .verify {
      report(
        Diagnostic(
          "T265", "a program has no value to read back", at: unsure.range, "use `fail`, `repeat` or `skip`",
          notes: ["`verify` reads back the characteristic that was written"]))
    }
    guard case .string(let string) = run.command.kind else {
      if run.shell {
        report(
          Diagnostic(
            "T264", "`run shell` takes text in quotes", at: run.command.range, "names of the recipe are shell variables: `$name`"))
      }
      return
    }
    if run.shell {
      guard let text = string.plain else {
        report(
          Diagnostic(
            "T264", "`run shell` does not allow `{}`", at: run.command.range,
            "the shell would run the inserted text; write `$name` instead",
            notes: ["names of the recipe are shell variables"]))
        return
      }
      for name in CommandWords.variables(in: text) where isVisible(name, place) {
        look(name, range(ofVariable: name, in: run.command.range), place)
      }
      return
    }
    guard let words = CommandWords.split(string.parts) else {
      report(Diagnostic("T263", "a quote `'` in this command is not closed", at: run.command.range))
      return
    }
    if words.isEmpty {
      report(Diagnostic("T263", "this command is empty", at: run.command.range, "expected the name of a program"))
    }
    for word in CommandWords.split(string.parts, hidesQuoted: true) ?? [] {
      for (place, part) in word.enumerated() {
        guard case .text(let piece) = part, let sign = CommandWords.shellSign(in: piece, endsWord: place == word.count - 1) else {
          continue
        }
        let shown = sign == "`" ? "a backquote" : "`\(sign)`"
        report(
          Diagnostic(
            "T263", "`run` starts a program, not a shell", at: run.command.range,
            word.count == 1 && piece == sign
              ? "\(shown) would be passed as an argument" : "\(shown) would reach the program unchanged",
            notes: [
              "to use a shell, write `run shell '…'`, with `$x` for the name `x`",
              "if the program needs the sign itself, put the word in single quotes",
            ]))
        return
      }
    }
  }

  /// The range of `$name` or `${name}`, or the whole text if the variable is written in another
  /// way.
  private func range(ofVariable name: String, in whole: SourceRange) -> SourceRange {
    let bytes = Array(text(whole).utf8)
    let name = Array(name.utf8)
    for (sign, byte) in bytes.enumerated() where byte == UInt8(ascii: "$") {
      let start = sign + (sign + 1 < bytes.count && bytes[sign + 1] == UInt8(ascii: "{") ? 2 : 1)
      let end = start + name.count
      guard bytes[min(start, bytes.count)...].starts(with: name), end == bytes.count || !isWordByte(bytes[end]) else { continue }
      let from = whole.start + UInt32(truncatingIfNeeded: start)
      return SourceRange(file: whole.file, start: from, end: from + UInt32(truncatingIfNeeded: name.count))
    }
    return whole
  }

  private func isVisible(_ name: String, _ place: Place) -> Bool {
    scope.find(name) != nil || place.hasNamesAround && (outer.find(name) != nil || recipeScope.find(name) != nil)
  }
}
