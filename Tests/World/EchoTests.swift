import Testing
import Vocabulary

@testable import Session

@Suite struct EchoTests {
  @Test(arguments: [
    ("  it = 97", 80, "  it = 97                               a number\n"),
    ("  it = 97", 40, "  it = 97               a number\n"),
    ("  it = 97", 20, "  it = 97  a number\n"), ("  it = 1234567890", 20, "  it = 1234567890\n    a number\n"),
    ("  a text that is about as wide as this", 40, "  a text that is about as wide as this\n                        a number\n"),
  ])
  func theKindFollowsTheValue(text: String, columns: Int, shown: String) {
    #expect(PrintFormatter.echo(text, kind: "a number", columns: columns) == shown)
  }

  @Test(arguments: 16...100) func noLineIsWiderThanTheTerminal(columns: Int) {
    for length in 2...columns {
      let lines = PrintFormatter.echo(String(repeating: "x", count: length), kind: "a number", columns: columns)
        .split(separator: "\n")
      #expect(lines.allSatisfy { $0.utf8.count <= columns } && lines.last?.hasSuffix("a number") == true, "\(length) of \(columns)")
    }
  }
}
