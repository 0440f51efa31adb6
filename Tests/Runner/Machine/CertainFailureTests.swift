import Exchange
import Recipe
import Testing

@testable import Runner

/// The check against the run: what fails for every value of a kind is an error of the check, and
/// what runs is not an error.
@Suite struct CertainFailureTests {
  /// Values of each kind. One that an operation takes shows that the kind is possible there.
  private static let values: [(kind: String, texts: [String])] = [
    ("number", ["5", "1", "2.5"]),
    ("duration", ["5s", "1h"]),
    (
      "text",
      [
        "\"a\"", "\"5\"", "\"C4:7C:8D:6A:12:0F\"", "\"01020304050607080102030405060708\"", "\"[1]\"", "\"180F\"",
        "\"sixteen octets !\"",
      ]
    ),
    ("bytes", ["hex \"01\"", "hex \"01020304050607080102030405060708\"", "hex \"5b315d\""]),
    ("truth", ["true"]),
    ("UUID", ["6e400001-b5a3-f393-e0a9-e50e24dcca9e"]),
    ("address", ["C4:7C:8D:6A:12:0F"]),
    ("list", ["[1, 2]", "[\"a\"]", "[hex \"01\"]", "[{a: 1}]"]),
    ("record", ["{a: 1}"]),
    ("time", ["now()"]),
    ("nothing", ["nothing"]),
  ]

  private static let fields = [
    "first", "last", "ms", "seconds", "minutes", "hours", "year", "month", "day", "hour", "minute", "second", "weekday", "date",
    "unix", "name", "length", "rest",
  ]

  private static let methods = [
    "upper()", "lower()", "trim()", "split(\",\")", "lines()", "starts_with(\"a\")", "ends_with(\"a\")", "replace(\"a\", \"b\")",
    "bytes()", "hex()", "text()", "text(0)", "sort()", "reverse()", "keys()", "values()", "get(\"a\", 0)", "without(\"a\")",
    "u8()", "u8(0)", "i16be(0)", "f32(0)",
  ]

  /// `V` stands for a value.
  private static let operations =
    fields.map { "(V).\($0)" } + methods.map { "(V).\($0)" } + [
      "count(V)", "text(V)", "number(V)", "bytes(V)", "address(V)", "uuid(V)", "json(V)", "csv(V)", "crc16(V)", "crc32(V)",
      "sha256(V)", "hmac_sha256(V, \"a\")", "hmac_sha256(\"a\", V)", "aes_cmac(V, \"a\")", "aes(V, V)", "min(V)", "max(V, V)",
      "round(V)", "round(V, 1)", "round(2.5, V)", "floor(V)", "ceil(V)", "abs(V)", "sum(V)", "average(V)", "chunks(V, 1)",
      "chunks([1], V)", "join(V)", "join(V, \",\")", "join([hex \"01\", hex \"02\"], V)", "random(V)", "random(V, 9)", "u8(V)",
      "i16(V)", "f32(V)", "sfloat(V)", "(V)[\"a\"]", "(V)[0 .. 1]", "[1, 2][V]", "hex \"010203040506\"[V]",
      "\"abcdefg\"[V]", "[1, 2][V .. 2]", "[1, 2][0 .. V]", "-(V)", "not (V)", "1 if V else 2", "\"a,b\".split(V)",
      "\"a\".starts_with(V)", "\"a\".ends_with(V)", "\"a\".replace(V, \"b\")", "\"a\".replace(\"a\", V)", "{a: 1}.get(V, 0)",
      "{a: 1}.without(V)", "hex \"010203040506070809\".u16(V)", "hex \"41424344454647\".text(V)",
    ]

  private static let operators = [
    "+", "-", "*", "/", "mod", "&", "|", "^", "<<", ">>", "<", "<=", ">", ">=", "is", "is not", "and", "or", "in", "contains",
    "matches",
  ]

  /// Statements that take a value, `x` of which is never reached if the value is refused.
  private static let statements = [
    "for each x in V: print x", "repeat V times: print 1", "try V times: print 1", "if V: print 1", "expect V", "wait V",
    "wait until V", "print \"{V}\"",
  ]

  private struct Outcome {
    var runs: Bool
    var isRefused: Bool
  }

  private static func outcome(_ lines: String) -> Outcome? {
    let text = lines + "\n"
    let parsed = RecipeFile.parseAndCheck(Array(text.utf8), name: "certain")
    let errors = parsed.diagnostics.filter { $0.severity == .error }
    // What the grammar refuses is not about kinds.
    if errors.contains(where: { $0.code.hasPrefix("T0") }) { return nil }
    guard var bench = try? Bench(text) else { return Outcome(runs: false, isRefused: !errors.isEmpty) }
    // `wait` ends by itself.
    if bench.exit == nil { bench.advance(.seconds(7200)) }
    return Outcome(runs: bench.failures.isEmpty && bench.exit?.code == 0, isRefused: !errors.isEmpty)
  }

  /// - Returns: how many combinations of an operation and kinds always fail.
  private func compare(_ name: String, _ combinations: [String]) -> (certain: Int, complaints: [String]) {
    let outcomes = combinations.compactMap { line in Self.outcome(line).map { (line, $0) } }
    // `and` and `or` may skip their second value, but a value that is no condition is refused.
    let isShort = name.contains(" and ") || name.contains(" or ")
    var complaints = outcomes.filter { $0.1.runs && $0.1.isRefused && !isShort }.map { "refused, but it runs: \($0.0)" }
    guard !outcomes.isEmpty, !outcomes.contains(where: \.1.runs) else { return (0, complaints) }
    if let passed = outcomes.first(where: { !$0.1.isRefused }) { complaints.append("always fails, but passes: \(passed.0)") }
    return (1, complaints)
  }

  /// Besides its members, a failure may have fields of its own: `Problem.extra`.
  @Test func theCheckKnowsTheFieldsOfFailures() {
    #expect(Set(KnownRecord.failure.fields) == Set(Problem.memberNames + ["attempts", "others", "out", "err"]))
  }

  @Test func whatAlwaysFailsIsRefused() {
    var complaints: [String] = []
    var certain = 0
    for operation in Self.operations.map({ "let x = \($0)" }) + Self.statements {
      for (kind, texts) in Self.values {
        let found = compare("\(operation) with \(kind)", texts.map { operation.replacing("V", with: $0) })
        certain += found.certain
        complaints += found.complaints
      }
    }
    #expect(certain > 700)
    #expect(complaints.isEmpty, "\(complaints.count)\n\(complaints.prefix(200).joined(separator: "\n"))")
  }

  @Test func whatNoPairTakesIsRefused() {
    var complaints: [String] = []
    var certain = 0
    for sign in Self.operators {
      for (left, lefts) in Self.values {
        for (right, rights) in Self.values {
          let lines = lefts.flatMap { one in rights.map { "let x = (\(one)) \(sign) (\($0))" } }
          let found = compare("\(left) \(sign) \(right)", lines)
          certain += found.certain
          complaints += found.complaints
        }
      }
    }
    #expect(certain > 1000)
    #expect(complaints.isEmpty, "\(complaints.count)\n\(complaints.prefix(200).joined(separator: "\n"))")
  }
}
