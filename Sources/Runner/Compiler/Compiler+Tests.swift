import Exchange
package import Recipe

extension Compiler {
  /// Compiles a `test` block as a program of its own, which sees the file's declarations.
  package static func compile(_ file: RecipeFile, sources: [SourceText], test: TestDeclaration) -> Result<Program, CompileError> {
    var compiler = Compiler(file: file, sources: sources)
    compiler.compile(test: test)
    if let error = compiler.error { return .failure(error) }
    return .success(compiler.program)
  }

  private mutating func compile(test: TestDeclaration) {
    settings()
    collectVariables(of: file)
    // A test has no access to values that the recipe computes.
    for index in program.variables.indices where program.variables[index].kind != .constant {
      program.variables[index].isEarly = false
    }
    isEarly = false
    var given = Names()
    given.collectNames(test.body)
    for name in given.list { variable(name, .state, isEarly: false) }
    let body = reserveUnit(role: .body, owner: nil)
    declareProcedures(file.procedures)
    _ = build(role: .body, locals: nil, owner: nil, reserved: body) { compiler in
      let entry = compiler.here
      for member in compiler.file.body {
        guard case .statement(let statement) = member, case .let(let name, _) = statement.kind,
          let index = compiler.variableIndex[name.text], compiler.program.variables[index].kind == .constant
        else { continue }
        _ = compiler.compile(statement)
      }
      compiler.members(test.body, isTopLevel: true)
      compiler.finishBody()
      return entry
    }
    compileProcedures(file.procedures)
  }

  mutating func order(_ kind: StatementKind, _ range: SourceRange) {
    var destination: Operand?
    let site: OrderSite
    switch kind {
    case .simulate(let simulate):
      let with = simulate.with.map { expression($0) }
      let name = simulate.name ?? simulate.peripheral
      destination = declare(name.text, name.range)
      site = .simulate(peripheral: simulate.peripheral.text, name: name.text, with: with)
    case .startRecipe(let start):
      let with = start.with.map { expression($0) }
      destination = start.name.map { declare($0.text, $0.range) } ?? temporary(range)
      site = .start(file: start.file?.plain, with: with)
    case .kill(let name): site = .kill(subject(name))
    case .resume(let name): site = .resume(subject(name))
    case .make(let make):
      let target = make.target.map { subject($0) }
      site = .make(target, fault(make.fault))
    default: return fail("not supported yet", range)
    }
    emit(.order, destination ?? temporary(range), pooled(\.orders, site, range), at: range)
  }

  private mutating func subject(_ name: NameSyntax) -> Operand {
    expression(Expression(kind: .name(name.text), range: name.range))
  }

  private mutating func fault(_ fault: MakeStatement.Fault) -> OrderSite.Fault {
    switch fault {
    case .vanish: .vanish
    case .appear: .appear
    case .drop: .drop
    case .reboot: .reboot
    case .loseNextReply: .loseNextReply
    case .changeServices: .changeServices
    case .forgetBond: .forgetBond
    case .slow(let delay): .slow(by: expression(delay))
    case .refuseNext(let event, let code):
      .refuseNext(event == .read ? .read : event == .subscribe ? .subscribe : .write, with: expression(code))
    }
  }

  /// Compiles `expect`. Each part of an `and` is tested separately, so that a failure shows the
  /// values on both sides of that part. The message is evaluated after a part that does not hold.
  mutating func expect(_ condition: Expression, _ message: Expression?, _ range: SourceRange) {
    func text(_ compiler: inout Compiler) -> Operand {
      message.map { compiler.expression($0) }
        ?? compiler.constant(.text(compiler.program.lines.quote(range)), range)
    }
    let mark = unit.top
    switch condition.kind {
    case .binary(.and, let left, let right):
      expect(left, message, range)
      expect(right, message, range)
    case .binary(let op, let left, let right) where op.compares:
      let sides = consecutive([left, right], condition.range)
      let test = temporary(condition.range)
      emit(opCode(op), test, sides.raw, sides.raw + 1, at: condition.range)
      let over = emit(.jumpIfTrue, test, at: condition.range)
      emit(.expectCompared, text(&self), sides.raw, sides.raw + 1, at: condition.range)
      patch(over)
    default:
      let test = expression(condition)
      let over = emit(.jumpIfTrue, test, at: condition.range)
      emit(.expect, text(&self), at: condition.range)
      patch(over)
    }
    unit.top = mark
  }
}

extension BinaryOperator {
  fileprivate var compares: Bool {
    switch self {
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .in, .contains, .matches: true
    default: false
    }
  }
}
