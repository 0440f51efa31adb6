import Exchange
import Vocabulary

/// T232: handlers that can never do anything, because the body is over first.
extension Checker {
  /// T232: handlers that could never do anything, because the body is over first.
  mutating func checkEnd() {
    var handlers: [Member] = []
    for member in recipe.body {
      switch member {
      case .handler, .whenever: handlers.append(member)
      case .statement: continue
      }
    }
    for member in handlers {
      guard needsTime(member), !hasTime(member) else { continue }
      reportEnd(member)
      return
    }
  }

  func needsTime(_ member: Member) -> Bool {
    switch member {
    case .whenever: return true
    case .statement: return false
    case .handler(let handler):
      switch handler.kind {
      case .every, .after: return true
      case .on(let event):
        switch event.kind {
        case .attribute(.notify, _, _), .advertisement, .connect: return true
        default: return false
        }
      }
    }
  }

  /// Whether the body waits behind the first statement that can feed the handler.
  func hasTime(_ member: Member) -> Bool {
    var feed: Int? = -1
    if case .handler(let handler) = member, case .on(let event) = handler.kind {
      switch event.kind {
      case .attribute(.notify, _, let path): feed = firstFeed { statement in subscribes(statement, to: path) }
      case .connect: feed = firstFeed { if case .connect = $0.kind { true } else { false } }
      default: break
      }
    }
    // Fed by another fiber: any wait of the body will do.
    let from = feed ?? -1
    for member in recipe.body {
      guard case .statement(let statement) = member else { continue }
      var found = false
      statement.forEachStatement(handlers: false) { inner in
        if inner.id > from, inner.kind.waits || facts.isWaitingCall(inner) { found = true }
      }
      // In a loop the wait may stand above.
      statement.forEachStatement(handlers: false) { inner in
        switch inner.kind {
        case .repeat, .forEach:
          let ids = inner.kind.blocks.flatMap { $0.map(\.id) }
          if let first = ids.first, from >= first, facts.waits(inner), contains(inner, id: from) { found = true }
        default: break
        }
      }
      if found { return true }
    }
    return false
  }

  func contains(_ statement: Statement, id: Int) -> Bool {
    [Member.statement(statement)].anyStatement(handlers: false) { $0.id == id }
  }

  func subscribes(_ statement: Statement, to path: AttributePathSyntax) -> Bool {
    guard case .subscribe(let subscribe) = statement.kind else { return false }
    guard let key = facts.key(path) else { return true }
    return subscribe.attributes.contains { facts.key($0) == key || facts.key($0) == nil }
  }

  /// The first statement of the body that does something, itself or in a procedure it calls.
  func firstFeed(_ feeds: (Statement) -> Bool) -> Int? {
    var found: Int?
    recipe.body.forEachStatement(handlers: false) { statement in
      guard found == nil else { return }
      if feeds(statement) { found = statement.id }
      if let name = statement.kind.calledProcedure, let procedure = recipe.procedures.first(where: { $0.name.text == name.text }),
        procedure.body.anyStatement(handlers: false, feeds)
      {
        found = statement.id
      }
    }
    return found
  }

  mutating func reportEnd(_ member: Member) {
    let last = recipe.body.last { if case .statement = $0 { true } else { false } }
    let place = last?.range ?? member.range
    let end = SourceRange(file: place.file, start: place.end, end: place.end)
    let line = source.line(of: place.end)
    let waits = connections.isEmpty ? ["wait forever", "wait 10min"] : ["reconnect forever", "wait forever", "wait 10min"]
    report(
      Diagnostic(
        "T232",
        last == nil
          ? "the recipe ends before this can do anything" : "the recipe ends after line \(line), before this can do anything",
        at: header(of: member), "it needs time to run", fixes: waits.map { .insert("\n" + $0, after: end, lead: "add at the end") })
    )
  }
}
