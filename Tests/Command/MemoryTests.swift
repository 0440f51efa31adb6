import Testing

/// Recipes that would need more memory than the machine has fail with an error and do not crash.
@Suite struct MemoryTests {
  private static func run(_ text: String, kilobytes: Int, _ command: String = "run") throws -> Program.Outcome {
    let folder = Folder()
    folder.file("x.ble", text)
    return try Program.run(
      [
        "-c", "ulimit -v \(kilobytes); exec \"$0\" \(command) \"$1\" --adapter \"sim:$2\"", Program.path, "\(folder.path)/x.ble",
        "\(Program.root)/recipes/devices/valve.ble",
      ], program: "/bin/sh", limit: 120)
  }

  /// Three gigabytes. A text of 8 MiB repeated 200 times is half of that, and is held several
  /// times.
  @Test(
    arguments: [
      "repeat 200 times: set l to l + [big]\nprint l",
      "let i = 0\nrepeat 200 times\n  set r[i] to big\n  set i to i + 1\nend\nsave r to \"/dev/null\"",
      "repeat 200 times\n  let m = l + [{a: big}]\n  set l to m\n  wait 1ms\nend\nprint count(json(l))",
    ])
  func expandingASharedTextTooOftenFailsTheRecipe(_ text: String) throws {
    let big = "let big = \"0123456789abcdef\"\nrepeat 19 times: set big to big + big\nlet l = []\nlet r = {}\n"
    let outcome = try Self.run(big + text + "\n", kilobytes: 3_000_000)
    #expect((1...20).contains(outcome.code), "\(outcome.code)")
    #expect(outcome.errors.contains("more than 4,194,304 parts"), "\(outcome.errors.suffix(300))")
  }

  @Test func checkReportsProgramsTooLargeToCompile() throws {
    let folder = Folder()
    for (name, text) in [
      ("names", (0..<17_000).map { "let a\($0) = nothing\n" }.joined()),
      ("values", "print 1\n" + (0..<17_000).map { "set x to \($0 + 1000)\n" }.joined()),
    ] {
      folder.file("\(name).ble", name == "values" ? "let x = 0\n" + text : text)
      let outcome = try Program.run(["check", "-q", "\(folder.path)/\(name).ble"])
      #expect(outcome.code == 3, "\(name)")
      #expect(outcome.errors.contains("T299"), "\(name): \(outcome.errors.suffix(300))")
    }
  }
}
