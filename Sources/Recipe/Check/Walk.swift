/// Visits every statement of a block.
extension [Member] {
  /// Visits every statement in textual order, including nested ones. Bodies of handlers are visited
  /// only on request.
  func forEachStatement(handlers: Bool, _ visit: (Statement) -> Void) {
    for member in self {
      switch member {
      case .statement(let statement): statement.forEachStatement(handlers: handlers, visit)
      case .handler(let handler): if handlers { handler.body.forEachStatement(handlers: true, visit) }
      case .whenever(let whenever): if handlers { whenever.body.forEachStatement(handlers: true, visit) }
      }
    }
  }

  /// Visits every handler at any depth, in textual order.
  func forEachHandler(_ visit: (Member) -> Void) {
    for member in self {
      switch member {
      case .statement(let statement): for block in statement.kind.blocks { block.forEachHandler(visit) }
      case .handler(let handler):
        visit(member)
        handler.body.forEachHandler(visit)
      case .whenever(let whenever):
        visit(member)
        whenever.body.forEachHandler(visit)
      }
    }
  }

  func anyStatement(handlers: Bool, _ test: (Statement) -> Bool) -> Bool {
    var found = false
    forEachStatement(handlers: handlers) { if !found, test($0) { found = true } }
    return found
  }
}

extension Statement {
  func forEachStatement(handlers: Bool, _ visit: (Statement) -> Void) {
    visit(self)
    for block in kind.blocks { block.forEachStatement(handlers: handlers, visit) }
    otherwise?.forEachStatement(handlers: handlers, visit)
  }
}

extension StatementKind {
  /// The blocks inside a statement.
  var blocks: [[Member]] {
    switch self {
    case .if(let choice): choice.branches.map(\.body) + (choice.otherwise.map { [$0] } ?? [])
    case .repeat(let loop): [loop.body]
    case .forEach(let loop): [loop.body]
    case .try(let attempt): [attempt.body] + attempt.rescues.map(\.body)
    case .with(_, let body): [body]
    default: []
    }
  }

  /// Whether it may switch to another fiber, because it waits or talks to a device.
  var waits: Bool {
    switch self {
    case .scan, .connect, .reconnect, .disconnect, .pair, .forget, .discover, .request, .read, .write, .subscribe, .unsubscribe,
      .wait, .run,
      .ask, .openChannel, .send, .close, .startRecipe, .notify:
      true
    default: false
    }
  }

  /// Whether it shows, stores or ends something at once, without a wait.
  var acts: Bool {
    switch self {
    case .output, .append, .save, .checkpoint, .stop, .restart, .serve: true
    default: false
    }
  }

  /// The procedure that it calls, as a statement or as the whole right-hand side.
  package var calledProcedure: NameSyntax? {
    switch self {
    case .call(let name, _): return name
    case .let(_, let value), .set(_, let value), .return(let value?), .value(let value):
      if case .call(let name, _) = value.kind { return name }
      return nil
    default: return nil
    }
  }

  /// Whether the next statement in its block can never run.
  var diverges: Bool {
    switch self {
    case .stop(.plain), .stop(.code), .fail, .return, .leave, .skip, .restart, .wait(.forever), .answer, .refuse: true
    default: false
    }
  }
}
