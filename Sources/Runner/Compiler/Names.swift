package import Recipe

/// Names that a part of a recipe gives or changes, without those of handlers, which have a scope of
/// their own.
struct Names {
  private(set) var list: [String] = []
  private var known: Set<String> = []

  func contains(_ name: String) -> Bool { known.contains(name) }

  private mutating func add(_ name: NameSyntax?) {
    if let name, known.insert(name.text).inserted { list.append(name.text) }
  }

  /// Collects the names that `let`, `as` and `for each` give in this scope.
  mutating func collectNames(_ members: [Member]) {
    for case .statement(let statement) in members { collectNames(statement) }
  }

  private mutating func collectNames(_ statement: Statement) {
    switch statement.kind {
    case .scan(let scan): add(scan.name)
    case .read(let read): add(read.name)
    case .wait(.event(_, _, _, let name)): add(name)
    case .run(let run): add(run.name)
    case .ask(let ask): add(ask.name)
    case .simulate(let simulate): add(simulate.name ?? simulate.peripheral)
    case .startRecipe(let start): add(start.name)
    case .let(let name, _): add(name)
    // The names of a branch are local to it.
    case .forEach(let loop) where loop.atOnce != nil: break
    case .forEach(let loop):
      add(loop.name)
      collectNames(loop.body)
    case .if(let choice):
      for branch in choice.branches { collectNames(branch.body) }
      if let otherwise = choice.otherwise { collectNames(otherwise) }
    case .repeat(let loop): collectNames(loop.body)
    case .try(let attempt):
      collectNames(attempt.body)
      for rescue in attempt.rescues {
        add(rescue.name)
        collectNames(rescue.body)
      }
    case .with(_, let body): collectNames(body)
    default: break
    }
    if let otherwise = statement.otherwise { collectNames(otherwise) }
  }

  /// Collects the names that anything here changes after its `let`, including handlers.
  mutating func collectChanges(_ members: [Member]) {
    for member in members {
      switch member {
      case .handler(let handler): collectChanges(handler.body)
      case .whenever(let whenever): collectChanges(whenever.body)
      case .statement(let statement): collectChanges(statement)
      }
    }
  }

  private mutating func collectChanges(_ statement: Statement) {
    switch statement.kind {
    case .set(let place, _):
      add(place.name)
    case .scan(let scan): add(scan.name)
    case .read(let read): add(read.name)
    case .wait(.event(_, _, _, let name)): add(name)
    case .ask(let ask): add(ask.name)
    case .run(let run): add(run.name)
    case .forEach(let loop):
      add(loop.name)
      collectChanges(loop.body)
    case .if(let choice):
      for branch in choice.branches { collectChanges(branch.body) }
      if let otherwise = choice.otherwise { collectChanges(otherwise) }
    case .repeat(let loop): collectChanges(loop.body)
    case .try(let attempt):
      collectChanges(attempt.body)
      for rescue in attempt.rescues {
        add(rescue.name)
        collectChanges(rescue.body)
      }
    case .with(_, let body): collectChanges(body)
    default: break
    }
    if let otherwise = statement.otherwise { collectChanges(otherwise) }
  }
}

extension Statement {
  /// Whether the fiber may switch here. A call counts, because its procedure may wait.
  var mightWait: Bool {
    switch kind {
    case .let, .set, .expect, .output, .append, .save, .stop, .fail, .return, .leave, .skip, .restart, .checkpoint, .update,
      .answer,
      .refuse, .progress:
      return otherwise?.mightWait ?? false
    case .if(let choice):
      return choice.branches.contains { $0.body.contains(where: \.mightWait) }
        || choice.otherwise?.contains(where: \.mightWait) ?? false
    case .repeat(let loop): return loop.body.contains(where: \.mightWait)
    case .forEach(let loop): return loop.atOnce != nil || loop.body.contains(where: \.mightWait)
    case .with(_, let body): return body.contains(where: \.mightWait)
    default: return true
    }
  }
}

extension Member {
  var mightWait: Bool {
    if case .statement(let statement) = self { statement.mightWait } else { false }
  }
}

extension Expression {
  /// Whether the value is constant, given that the values of `names` are.
  package func isConstant(knowing names: Set<String>) -> Bool { isMade(of: names, usingWorld: false) }

  /// Whether the value can be computed before any statement: from `names`, the time, chance, files
  /// and the environment.
  package func isComputable(knowing names: Set<String>) -> Bool { isMade(of: names, usingWorld: true) }

  private func isMade(of names: Set<String>, usingWorld: Bool) -> Bool {
    switch kind {
    case .number, .duration, .uuid, .address, .bytes, .boolean, .nothing: true
    case .it: false
    case .string(let string):
      string.parts.allSatisfy { part in
        if case .expression(let inner, _) = part { inner.isMade(of: names, usingWorld: usingWorld) } else { true }
      }
    case .name(let name): names.contains(name)
    case .call(let name, let arguments):
      BuiltIn.named(name.text) != nil && name.text != "devices"
        && (usingWorld || !["random", "file", "env", "now"].contains(name.text))
        && arguments.allSatisfy { $0.value.isMade(of: names, usingWorld: usingWorld) }
    case .member(let base, _): base.isMade(of: names, usingWorld: usingWorld)
    case .method(let base, _, let arguments):
      base.isMade(of: names, usingWorld: usingWorld) && arguments.allSatisfy { $0.value.isMade(of: names, usingWorld: usingWorld) }
    case .index(let base, let index):
      base.isMade(of: names, usingWorld: usingWorld) && index.isMade(of: names, usingWorld: usingWorld)
    case .slice(let base, let from, let to):
      base.isMade(of: names, usingWorld: usingWorld) && from.isMade(of: names, usingWorld: usingWorld)
        && to.isMade(of: names, usingWorld: usingWorld)
    case .list(let elements): elements.allSatisfy { $0.isMade(of: names, usingWorld: usingWorld) }
    case .record(let entries): entries.allSatisfy { $0.value.isMade(of: names, usingWorld: usingWorld) }
    case .unary(_, let inner): inner.isMade(of: names, usingWorld: usingWorld)
    case .binary(_, let left, let right):
      left.isMade(of: names, usingWorld: usingWorld) && right.isMade(of: names, usingWorld: usingWorld)
    case .conditional(let value, let condition, let other):
      value.isMade(of: names, usingWorld: usingWorld) && condition.isMade(of: names, usingWorld: usingWorld)
        && other.isMade(of: names, usingWorld: usingWorld)
    }
  }

  /// The value of a literal that may stand for a UUID, an address or a name. A number counts only
  /// if it is in hex and has at most 16 bits.
  var literalValue: Value? {
    switch kind {
    case .uuid(let uuid): return .uuid(uuid)
    case .address(let literal): return .address(literal.addressValue)
    case .string(let string): return string.plain.map { .text($0) }
    case .number(let number):
      guard number.isHex, case .integer(let value) = number.value, (0...0xFFFF).contains(value) else { return nil }
      return .uuid(.init(UInt16(value)))
    default: return nil
    }
  }

  /// Whether it has a value for certain: a literal, or the time.
  var isPlain: Bool {
    switch kind {
    case .number, .duration, .uuid, .address, .bytes, .boolean, .nothing: true
    case .string(let string): string.plain != nil
    case .list(let elements): elements.allSatisfy(\.isPlain)
    case .record(let entries): entries.allSatisfy(\.value.isPlain)
    case .unary(_, let inner): if case .number = inner.kind { true } else { false }
    case .call(let name, _): name.text == "now"
    default: false
    }
  }

  var readsFile: Bool { calls { $0 == "file" } }

  /// Whether any call in it satisfies the test.
  func calls(_ test: (String) -> Bool) -> Bool {
    switch kind {
    case .number, .duration, .uuid, .address, .bytes, .boolean, .nothing, .it, .name: false
    case .string(let string):
      string.parts.contains { part in
        if case .expression(let inner, _) = part { inner.calls(test) } else { false }
      }
    case .call(let name, let arguments): test(name.text) || arguments.contains { $0.value.calls(test) }
    case .member(let base, _): base.calls(test)
    case .method(let base, _, let arguments): base.calls(test) || arguments.contains { $0.value.calls(test) }
    case .index(let base, let index): base.calls(test) || index.calls(test)
    case .slice(let base, let from, let to): base.calls(test) || from.calls(test) || to.calls(test)
    case .list(let elements): elements.contains { $0.calls(test) }
    case .record(let entries): entries.contains { $0.value.calls(test) }
    case .unary(_, let inner): inner.calls(test)
    case .binary(_, let left, let right): left.calls(test) || right.calls(test)
    case .conditional(let value, let condition, let other): value.calls(test) || condition.calls(test) || other.calls(test)
    }
  }
}

extension AddressLiteral {
  var addressValue: AddressValue { AddressValue(bits: address.bits, kind: hasKind ? address.kind : nil) }
}
