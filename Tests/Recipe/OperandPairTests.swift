import Recipe
import Testing

/// Every operator with values of every two types: no fix turns a calculation or a comparison into
/// something else.
@Suite struct OperandPairTests {
  private static let values = [
    "5", "2.5", "5s", "\"a\"", "hex \"01\"", "true", "heart_rate", "0x180D", "C4:7C:8D:6A:12:0F", "[1, 2]", "{a: 1}", "now()",
    "nothing", "device",
  ]

  private static let operators = [
    "+", "-", "*", "/", "mod", "&", "|", "^", "<<", ">>", "<", "<=", ">", ">=", "is", "is not", "and", "or", "in", "contains",
    "matches",
  ]

  @Test func everyFixKeepsTheOperator() throws {
    var complaints: [String] = []
    var fixes = 0
    for sign in Self.operators {
      for left in Self.values {
        for right in Self.values {
          let line = "print \(left) \(sign) \(right)"
          let parsed = RecipeFile.parseAndCheck(Array("scan for heart_rate\nconnect\n\(line)\n".utf8), name: "pair")
          for finding in parsed.diagnostics {
            for fix in finding.fixes {
              fixes += 1
              let text = String(decoding: parsed.source.applying(fix) ?? [], as: UTF8.self)
              let last = text.split(separator: "\n").last.map(String.init) ?? ""
              // `+` concatenates any value with a text; `in` and `contains` mirror each other.
              let isText = sign == "+" && last.contains("{")
              let isMirror = sign == "in" && last.contains(" contains ") || sign == "contains" && last.contains(" in ")
              if !last.contains(" \(sign) "), !isText, !isMirror, finding.code != "T024" { complaints.append("\(line): \(last)") }
            }
          }
        }
      }
    }
    #expect(fixes > 20)
    #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
  }
}
