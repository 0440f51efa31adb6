import Exchange
import Recipe
import Vocabulary

/// Makes the lines of `-e` print the value of their last statement, if it has one without a name.
enum LastValue {
  private struct Edit {
    var at: Int
    var text: String
  }

  /// Returns the text with a statement that prints the value, or unchanged.
  static func printed(_ text: String) -> String {
    let bytes = Array(text.utf8)
    guard let recipe = RecipeAssembly(name: "-e", bytes).ownFile else { return text }
    let last = recipe.body.last { member in
      if case .statement = member { true } else { false }
    }
    guard case .statement(let statement)? = last else { return text }
    var name = "last_value"
    while text.holds(name) { name += "_" }
    guard var edits = edits(statement, recipe, name, isInside: false) else { return text }
    var result: [UInt8] = []
    var place = 0
    edits.sort { $0.at < $1.at }
    for edit in edits {
      let at = min(edit.at, bytes.count)
      result += bytes[place..<at] + Array(edit.text.utf8)
      place = at
    }
    return String(decoding: result + bytes[place...], as: UTF8.self)
  }

  /// Returns the edits; `nil` if the statement has no value or gives it a name.
  private static func edits(_ statement: Statement, _ recipe: RecipeFile, _ name: String, isInside: Bool) -> [Edit]? {
    let start = Int(statement.range.start)
    let end = Int(statement.range.end)
    var edits: [Edit] = []
    var value = "it"
    switch statement.kind {
    case .read(let read) where read.name == nil: break
    case .wait(.event(_, _, _, nil)): break
    case .run(let run) where run.name == nil: break
    case .ask(let ask) where ask.name == nil: break
    case .scan(let scan) where scan.name == nil:
      edits.append(Edit(at: end, text: " as \(name)"))
      value = name
    case .call(let called, _) where hasValue(called.text, recipe):
      edits.append(Edit(at: start, text: "let \(name) = "))
      value = name
    case .discover(let discover) where discover.everything:
      // The device has what was discovered. A partial discovery is not a list of services.
      switch discover.device?.kind {
      case nil: value = "device.services"
      case .name(let device): value = "\(device).services"
      case .address, .expression: return nil
      }
    case .try(let attempt): return self.edits(lastOf: attempt.body, recipe, name)
    case .with(_, let body): return self.edits(lastOf: body, recipe, name)
    default: return nil
    }
    guard statement.otherwise != nil else {
      // A separate line after the text; inside a block on the same line.
      edits.append(isInside ? Edit(at: end, text: "; print \(value)") : Edit(at: .max, text: "print \(value)\n"))
      return edits
    }
    // Prints only after success. A one-line `try` cannot contain another one.
    guard !isInside else { return nil }
    return [Edit(at: start, text: "try: ")] + edits + [Edit(at: end, text: "; print \(value)")]
  }

  private static func edits(lastOf body: [Member], _ recipe: RecipeFile, _ name: String) -> [Edit]? {
    guard case .statement(let last)? = body.last else { return nil }
    return edits(last, recipe, name, isInside: true)
  }

  /// Whether the name is a built-in function, or a procedure that returns a value. Ignores included
  /// files.
  private static func hasValue(_ name: String, _ recipe: RecipeFile) -> Bool {
    guard let procedure = recipe.procedures.first(where: { $0.name.text == name }) else { return recipe.includes.isEmpty }
    return returnsValue(procedure.body)
  }

  private static func returnsValue(_ body: [Member]) -> Bool {
    body.contains { member in
      guard case .statement(let statement) = member else { return false }
      if let otherwise = statement.otherwise, returnsValue([.statement(otherwise)]) { return true }
      switch statement.kind {
      case .return(let value): return value != nil
      case .if(let branch): return (branch.branches.map(\.body) + [branch.otherwise ?? []]).contains(where: returnsValue)
      case .repeat(let loop): return returnsValue(loop.body)
      case .forEach(let loop): return returnsValue(loop.body)
      case .try(let attempt): return returnsValue(attempt.body) || attempt.rescues.contains { returnsValue($0.body) }
      case .with(_, let inner): return returnsValue(inner)
      default: return false
      }
    }
  }
}
