import Recipe
import Testing

/// When a prompt asks for another line: a block, a bracket or a line is open, and nothing is wrong.
@Suite struct OpenEntryTests {
  @Test(
    arguments: [
      "if 1 < 2\n", "if 1 < 2\n  print 1\n", "on notify battery_level as v\n", "every 5s\n", "repeat 2 times\n", "try\n",
      "try\n  print 1\notherwise\n", "for each x in [1]\n", "format t\n", "format t\n  a is u8\n", "format t\n  a is\n",
      "procedure f(\n)\n", "procedure f(a)\n",
      "with device\n",
      "let l = [\n", "let l = [1,\n", "let a = 1 +\n", "print \"\"\"abc\n", "whenever heart_rate appears\n",
      "if 1 < 2\n  repeat 2 times\n    print 1\n  end\n", "if 1 < 2 or\n",
    ])
  func moreLinesFollow(_ text: String) { #expect(RecipeFile.isOpen(entry: text)) }

  @Test(
    arguments: [
      "print 1\n", "on foo\n", "on every\n", "on\n", "every\n", "if\n", "on notify battery_level as\n", "repeat times\n",
      "for each in [1]\n", "if 1 < 2\n  prnt 5\n", "if 1 < 2\n  print 1\nend\n",
      "whenever appears\n", "try\n  read\n",
    ])
  func theEntryEnds(_ text: String) { #expect(!RecipeFile.isOpen(entry: text)) }
}
