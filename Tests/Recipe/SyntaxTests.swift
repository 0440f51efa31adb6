import Exchange
import Recipe
import Testing
import Vocabulary

/// The syntax tree of a text.
@Suite struct SyntaxTests {
  static func recipe(_ text: String) throws -> RecipeFile {
    let parsed = RecipeFile.parse(text)
    return try #require(parsed.recipe, "\(parsed.diagnostics)")
  }

  static func value(_ text: String) throws -> ExpressionKind {
    let recipe = try recipe("let x = \(text)\n")
    guard case .statement(let statement)? = recipe.body.first, case .let(_, let value) = statement.kind else {
      throw Unexpected()
    }
    return value.kind
  }

  struct Unexpected: Error {}

  static func number(_ value: Int64) -> ExpressionKind { .number(NumberLiteral(value: .integer(value))) }

  @Test(arguments: [
    ("42", Int64(42)), ("-7", -7), ("1_000", 1000), ("9223372036854775807", .max), ("-9223372036854775808", .min), ("0", 0),
  ]) func wholeNumbers(_ text: String, _ expected: Int64) throws { #expect(try Self.value(text) == Self.number(expected)) }

  @Test func otherNumbers() throws {
    #expect(try Self.value("0x2A") == .number(NumberLiteral(value: .integer(42), isHex: true)))
    #expect(try Self.value("0b1010") == Self.number(10))
    #expect(try Self.value("3.14") == .number(NumberLiteral(value: .real(3.14))))
    #expect(try Self.value("-2.5") == .number(NumberLiteral(value: .real(-2.5))))
    #expect(try Self.value("-70dBm") == .number(NumberLiteral(value: .integer(-70), isDecibel: true)))
  }

  @Test(arguments: [
    ("500ms", TimeSpan.milliseconds(500)), ("30s", .seconds(30)), ("5min", .minutes(5)), ("2h", .hours(2)), ("1d", .days(1)),
    ("1h30min", .minutes(90)), ("1.5s", .milliseconds(1500)), ("40us", .microseconds(40)), ("0s", .zero),
  ]) func durations(_ text: String, _ expected: TimeSpan) throws {
    #expect(try Self.value(text) == .duration(expected))
  }

  @Test func uuidsAndAddresses() throws {
    #expect(try Self.value("6e400001-b5a3-f393-e0a9-e50e24dcca9e") == .uuid(#require(UUID("6e400001-b5a3-f393-e0a9-e50e24dcca9e"))))
    let literal = try Self.value("C4:7C:8D:6A:12:0F/random")
    guard case .address(let address) = literal else { throw Unexpected() }
    #expect(address.hasKind)
    #expect(address.address == Address(bits: 0xC47C_8D6A_120F, kind: .random))
    guard case .address(let bare) = try Self.value("c4:7c:8d:6a:12:0f") else { throw Unexpected() }
    #expect(!bare.hasKind)
  }

  @Test func bytesAndTheRest() throws {
    #expect(try Self.value("hex \"01 02 ff\"") == .bytes([1, 2, 255]))
    #expect(try Self.value("true") == .boolean(true))
    #expect(try Self.value("nothing") == .nothing)
    #expect(try Self.value("it") == .it)
  }

  private func binary(_ kind: ExpressionKind) -> String {
    switch kind {
    case .number(let literal):
      if case .integer(let value) = literal.value { return "\(value)" }
      return "?"
    case .name(let name): return name
    case .binary(let sign, let left, let right): return "(\(binary(left.kind)) \(sign.rawValue) \(binary(right.kind)))"
    case .unary(let sign, let operand): return "(\(sign.rawValue) \(binary(operand.kind)))"
    case .conditional(let value, let condition, let other):
      return "(\(binary(value.kind)) if \(binary(condition.kind)) else \(binary(other.kind)))"
    case .member(let base, let name): return "\(binary(base.kind)).\(name.text)"
    case .index(let base, let index): return "\(binary(base.kind))[\(binary(index.kind))]"
    case .slice(let base, let from, let to): return "\(binary(base.kind))[\(binary(from.kind)) .. \(binary(to.kind))]"
    case .method(let base, let name, let list):
      return "\(binary(base.kind)).\(name.text)(\(list.map { binary($0.value.kind) }.joined(separator: ", ")))"
    case .call(let name, let list): return "\(name.text)(\(list.map { binary($0.value.kind) }.joined(separator: ", ")))"
    case .list(let items): return "[\(items.map { binary($0.kind) }.joined(separator: ", "))]"
    default: return "?"
    }
  }

  @Test(arguments: [
    ("1 + 2 * 3", "(1 + (2 * 3))"), ("(1 + 2) * 3", "((1 + 2) * 3)"), ("1 - 2 - 3", "((1 - 2) - 3)"),
    ("a or b and not c is d", "(a or (b and (not (c is d))))"), ("a is not b", "(a is not b)"), ("a in b", "(a in b)"),
    ("1 if a else 2 if b else 3", "(1 if a else (2 if b else 3))"), ("a.b.c(1)[2].d", "a.b.c(1)[2].d"), ("a[1 .. 3]", "a[1 .. 3]"),
    ("-a * b", "((- a) * b)"), ("a mod 2 is 0", "((a mod 2) is 0)"), ("a << 1 | b", "((a << 1) | b)"),
    ("(a & 1) + 1", "((a & 1) + 1)"),
    ("f(1, g(2))", "f(1, g(2))"), ("[1, 2,\n 3]", "[1, 2, 3]"), ("1 +\n 2", "(1 + 2)"), ("a.end", "a.end"),
    ("a.in + 1", "(a.in + 1)"),
    ("a matches b", "(a matches b)"), ("not a in b", "(not (a in b))"), ("a contains b or c", "((a contains b) or c)"),
  ]) func operatorPrecedenceFollowsTheReference(_ text: String, _ expected: String) throws {
    #expect(binary(try Self.value(text)) == expected)
  }

  @Test func anInterpolatedTextHasParts() throws {
    guard case .string(let text) = try Self.value(#""a\n{t:.1} {n:04}{data:hex}\{{x['k']}""#) else { throw Unexpected() }
    #expect(text.quote == .double)
    #expect(text.parts.count == 7)
    #expect(text.parts.first == .text("a\n"))
    if case .expression(let value, let format) = text.parts[1] {
      #expect(value.kind == .name("t"))
      #expect(format == .decimals(1))
    }
    if case .expression(_, let format) = text.parts[3] { #expect(format == .padded(4, zeros: true)) }
    if case .expression(_, let format) = text.parts[4] { #expect(format == .hex) }
    #expect(text.parts[5] == .text("{"))
    #expect(text.plain == nil)
  }

  @Test func rawAndLongTexts() throws {
    guard case .string(let raw) = try Self.value(#"'raw, no {} \n'"#) else { throw Unexpected() }
    #expect(raw.plain == #"raw, no {} \n"#)
    let long = "\"\"\"\n    one\n      two\n    \"\"\""
    guard case .string(let text) = try Self.value(long) else { throw Unexpected() }
    #expect(text.plain == "one\n  two")
    guard case .string(let empty) = try Self.value("\"\"") else { throw Unexpected() }
    #expect(empty.plain == "")
  }

  @Test func interpolatedValuesHaveRangesInTheFile() throws {
    let recipe = try Self.recipe("print \"x {beat} y\"\n")
    guard case .statement(let statement)? = recipe.body.first, case .output(let output) = statement.kind,
      case .string(let text)? = output.values.first?.kind, case .expression(let value, _) = text.parts[1]
    else { throw Unexpected() }
    #expect(value.range == SourceRange(start: 10, end: 14))
  }

  @Test func idsCountUpInTextualOrder() throws {
    let recipe = try Self.recipe(
      """
      remember r = 1
      procedure f()
        print 1
      end
      on stop
        print 2 otherwise print 3
      end
      try
        print 4
      otherwise if timeout
        print 5
      end
      peripheral p
        let x = 1
        on connect: print 6
      end
      """ + "\n")
    var ids = [recipe.remembers[0].id, recipe.procedures[0].id]
    func add(_ members: [Member]) {
      for member in members {
        ids.append(member.id)
        if case .handler(let handler) = member { add(handler.body) }
        if case .statement(let statement) = member {
          if let other = statement.otherwise { ids.append(other.id) }
          if case .try(let attempt) = statement.kind {
            add(attempt.body)
            for rescue in attempt.rescues {
              ids.append(rescue.id)
              add(rescue.body)
            }
          }
        }
      }
    }
    add(recipe.procedures[0].body)
    add(recipe.body)
    for part in recipe.peripherals[0].parts {
      if case .variable(let statement) = part.kind { ids.append(statement.id) }
      if case .handler(let handler) = part.kind {
        ids.append(handler.id)
        add(handler.body)
      }
    }
    #expect(ids == Array(0..<recipe.idCount))
  }

  @Test func theHeaderIsNormalised() throws {
    let recipe = try Self.recipe(
      "on   notify  a/b   where it.x>1 as v   # comment\n  print 1   otherwise   stop\nend\nif  a  and\n  b\n  leave\nend\n")
    guard case .handler(let handler) = recipe.body[0], case .statement(let inner) = handler.body[0],
      case .statement(let choice) = recipe.body[1]
    else { throw Unexpected() }
    #expect(handler.normalized == "on notify a / b where it . x > 1 as v")
    #expect(inner.normalized == "print 1")
    #expect(inner.otherwise?.normalized == "stop")
    #expect(choice.normalized == "if a and b")
    #expect(inner.range.end == inner.header.end)
    #expect(handler.header.end < handler.range.end)
  }

  @Test func helpCommentsPrecedeTheirDeclaration() throws {
    let recipe = try Self.recipe(
      """
      #!/usr/bin/env -S tooth run
      ## One reading.
      ## For cron.
      ## And more.
      input a: number "inline"
      ## Of the input.
      input b: number
      # no help

      ## Of the procedure.
      procedure f(): print 1
      """ + "\n")
    #expect(recipe.help == "One reading.\nFor cron.\nAnd more.")
    #expect(recipe.inputs.map(\.help) == ["inline", "Of the input."])
    #expect(recipe.procedures[0].help == "Of the procedure.")
  }

  @Test func severalStatementsInALine() throws {
    let recipe = try Self.recipe("print 1; print 2; if a: print 3; print 4\nprint 5\n")
    #expect(recipe.body.count == 4)
  }

  @Test func aOneLineTryKeepsItsOtherwise() throws {
    let recipe = try Self.recipe("try 3 times every 1s within 5s: connect; disconnect otherwise stop\n")
    guard case .statement(let statement)? = recipe.body.first, case .try(let attempt) = statement.kind else { throw Unexpected() }
    #expect(attempt.body.count == 2)
    #expect(attempt.rescues.count == 1)
    #expect(attempt.rescues[0].kinds.isEmpty)
    #expect(statement.otherwise == nil)
  }

  @Test func statementWordsMayNameValuesAndFields() throws {
    let recipe = try Self.recipe(
      "let read = 1\nset read to read + 1\nprint read, x.end, {if: 1, end: 2}\nlet count = 0\nprint count\n")
    #expect(recipe.body.count == 5)
  }

  @Test func endMayCarryItsWord() throws {
    _ = try Self.recipe(
      "on stop\n  if 1 is 1\n    for each x in [1]\n      print 1\n    end for\n  end if\nend on\ntest \"x\"\nend test\n")
  }
}
