import Exchange
import Linux
import Recipe
import Runner
import Vocabulary

/// `save recipe FILE` of a prompt.
extension RunSession {
  /// The recipe of these entries, and what `check` says of it.
  private func recipe(
    of entries: [PromptBook.Used], _ name: String, _ book: PromptBook
  ) -> (recipe: SessionRecipe.Result, loaded: LoadedRecipe) {
    func parsed(_ text: String) -> LoadedRecipe { RecipeLoader.parse(name: name, Array(text.utf8), offersFixes: false) }
    let texts = entries.map(\.text)
    var chosen = book.recipe(of: texts, renames: false)
    var loaded = parsed(chosen.text)
    guard loaded.hasErrors else { return (chosen, loaded) }
    let other = book.recipe(of: texts, renames: true)
    // Where something was renamed, its errors are those that are left.
    let renames = other.text != chosen.text
    if renames {
      chosen = other
      loaded = parsed(other.text)
      guard loaded.hasErrors else { return (chosen, loaded) }
    }
    // A `let` that was typed after a wait, and a handler that uses it: it is moved up, or begins
    // with `nothing`. The check lists a limited number of them.
    var names: [String] = []
    var hoisted = (recipe: chosen, loaded: loaded)
    while hoisted.loaded.findings.allSatisfy({ $0.severity == .warning || $0.code == "T219" }) {
      let before = names.count
      for finding in hoisted.loaded.findings where finding.code == "T219" && finding.range.file == 0 {
        let name = hoisted.loaded.sources.text(finding.range)
        if !names.contains(name) { names.append(name) }
      }
      guard names.count > before else { break }
      if before == 0, names.count <= Self.mostMoved {
        let mended = RecipeLoader.parse(name: name, Array(chosen.text.utf8)).mended()
        if !mended.analysis.findings.contains(where: { $0.severity == .error }) {
          chosen.text = String(decoding: mended.text, as: UTF8.self)
          return (chosen, parsed(chosen.text))
        }
      }
      let next = book.recipe(of: texts, renames: renames, early: names)
      hoisted = (next, parsed(next.text))
      if !hoisted.loaded.hasErrors { return hoisted }
    }
    return (chosen, loaded)
  }

  /// The most values that are moved up one by one, which takes time.
  private static let mostMoved = 8
  /// The most entries that a message names.
  private static let mostNamed = 8

  /// The recipe of the completed entries, without those that are invalid without an entry that
  /// failed, such as one that uses a name which the failed one gave.
  private func validRecipe(
    _ name: String, _ book: PromptBook
  ) -> (chosen: [PromptBook.Used], left: [(number: Int, message: String)], recipe: SessionRecipe.Result, loaded: LoadedRecipe) {
    var chosen = book.used(among: entries)
    var left: [(number: Int, message: String)] = []
    var (recipe, loaded) = recipe(of: chosen, name, book)
    while true {
      var messages: [Int: String] = [:]
      for error in loaded.findings where error.severity == .error {
        // What is wrong with the recipe that the session began with cannot be left out.
        guard error.range.file == 0, let place = recipe.starts.lastIndex(where: { $0 <= Int(error.range.start) }) else {
          return (chosen, left, recipe, loaded)
        }
        let index = recipe.contributors[place]
        if messages[index] == nil { messages[index] = error.message }
      }
      if messages.isEmpty { return (chosen, left, recipe, loaded) }
      left += messages.map { (chosen[$0.key].number, $0.value) }
      chosen = chosen.enumerated().filter { messages[$0.offset] == nil }.map(\.element)
      (recipe, loaded) = self.recipe(of: chosen, name, book)
    }
  }

  func saveRecipe(_ given: String) -> WordEnd {
    var name = given
    if name.count > 1, name.hasPrefix("\""), name.hasSuffix("\"") { name = String(name.dropFirst().dropLast()) }
    let done = entries.filter { $0.state == .done && PromptBook.undone(by: $0.text) == nil }
    guard !done.isEmpty, let prompt else { return .refused("no entry has completed yet", hint: "history lists the entries") }
    guard !name.isEmpty else { return .refused("the recipe needs a name", hint: "save recipe FILE") }
    let path = absolute(name, in: options.directory)
    guard realPath(path) == nil else { return .refused("\(name) already exists", hint: "choose another name") }
    let (chosen, left, recipe, loaded) = validRecipe(name, prompt.book)
    func announceLeft() {
      for (number, message) in left.sorted(by: { $0.number < $1.number }).prefix(Self.mostNamed) {
        announce("  entry \(number) is left out: in the recipe, \(message)")
      }
      if left.count > Self.mostNamed {
        announce("  and \(Self.count(left.count - Self.mostNamed, "more entry is", "more entries are")) left out")
      }
    }
    guard !chosen.isEmpty || left.isEmpty else {
      announceLeft()
      return .refused(
        "no entry makes sense without those that failed; nothing was saved", hint: "history shows them, to write it in a file")
    }
    guard !loaded.hasErrors, !recipe.contributors.isEmpty || left.isEmpty else {
      console.findings(loaded.findings.filter { $0.severity == .error }, in: loaded.sources)
      return .refused(
        "these entries do not make a valid recipe; nothing was saved", hint: "history shows them, to write it in a file")
    }
    if let failure = refusal(path) { return .refused(failure.message, hint: failure.hint ?? "") }
    do throws(SystemFailure) {
      let text = Array(recipe.text.utf8)
      let formatted = RecipeFormatter.formatted(text).flatMap { RecipeFormatter.hasSameMeaning(text, $0) ? $0 : nil }
      try saveFile(path, formatted ?? text, within: fence)
    } catch {
      return .refused("\(error)", hint: "choose another name")
    }
    announceLeft()
    announceUnfinished(chosen)
    func numbers(_ users: [Int]) -> String {
      (users.count == 1 ? "entry " : "entries ") + users.map { "\(chosen[$0].number)" }.list(by: " and ")
    }
    for remark in recipe.remarks {
      switch remark {
      case .renamed(let old, let new, let entry, let users):
        let end = users.isEmpty ? "" : "; the handlers and procedures of \(numbers(users)) keep the value that it had before"
        announce("  the value that \(numbers([entry])) gives \(old) is called \(new) in the recipe\(end)")
      case .replaced(let name, let entry, let users):
        let use = "\(numbers(users)) use\(users.count == 1 ? "s" : "")"
        announce("  \(numbers([entry])) declared \(name) again: in the recipe, \(use) the newest \(name) from the start")
      case .active(let users):
        announce("  the handlers of \(numbers(users)) are active from the start of the recipe")
      }
    }
    for (index, entry) in chosen.enumerated() where entry.isUndone && recipe.contributors.contains(index) {
      announce("  entry \(entry.number) is undone, but it is in the recipe, because other entries use what it declared")
    }
    announce(
      "  saved \(Self.count(recipe.contributors.count, "entry", "entries")): tooth run \(ShellText.word(name))\(prompt.options.inputs)"
    )
    if !done.contains(where: { $0.text.holds("print ") }) {
      announce("  a recipe shows only what it prints: add `print it` after a `read` to see its value")
    }
    return .done(JSONObject.quoted(name))
  }

  /// Names the entries that did something which the recipe does not do.
  private func announceUnfinished(_ chosen: [PromptBook.Used]) {
    func announce(_ isMeant: (Entry) -> Bool, _ one: String, _ several: String) {
      let list = entries.filter { entry in isMeant(entry) && !chosen.contains { $0.number == entry.number } }.map { "\($0.number)" }
      guard let first = list.first else { return }
      let shown =
        list.count > Self.mostNamed ? list.prefix(Self.mostNamed - 1) + ["\(list.count - Self.mostNamed + 1) more"] : list[...]
      self.announce(list.count == 1 ? "  entry \(first) \(one)" : "  entries \(Array(shown).list(by: " and ")) \(several)")
    }
    announce(
      { [.failed, .cancelled].contains($0.state) || $0.state == .undone && $0.code != 0 },
      "did not complete: nothing of it is in the recipe", "did not complete: nothing of them is in the recipe")
    let book = prompt?.book
    announce(
      { $0.state == .undone && $0.code == 0 && book?.hadHandlers($0.number) ?? false },
      "was undone: what its handlers did is not in the recipe", "were undone: what their handlers did is not in the recipe")
  }
}
