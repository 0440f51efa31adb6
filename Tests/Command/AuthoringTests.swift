import Glibc
import Exchange
import Recipe
import Terminal
import Testing

/// The commands that help to write recipes: `check --fix`, `fmt` and `explain`.
@Suite struct AuthoringTests {
  private let folder = Folder()
  private static let mistake = "scan heart_rate\nconnect\nprnt \"ready\"\n"
  private static let mended = "scan for heart_rate\nconnect\nprint \"ready\"\n"

  private func run(_ arguments: String..., input: String = "") -> Tooth.Result {
    Tooth.start(arguments, input: input, environment: [:], directory: folder.path).wait()
  }

  @Test func fixWritesAFileThatHasFewerProblems() {
    folder.file("a.ble", Self.mistake)
    chmod("\(folder.path)/a.ble", 0o640)
    let result = run("check", "--fix", "a.ble")
    #expect(result.code == 0 && result.output == "")
    #expect(result.errors == "a.ble: 2 problems fixed\na.ble: no problems (3 lines)\n")
    #expect(folder.content("a.ble") == Self.mended)
    var status = stat()
    #expect(stat("\(folder.path)/a.ble", &status) == 0 && status.st_mode & 0o777 == 0o640)
  }

  /// A patch with the line ends of Windows can be applied, too.
  @Test func aDryRunKeepsLineEnds() {
    folder.file("crlf.ble", "let x = 1\r\nx += 1\r\nprint x\r\n")
    let result = run("check", "--fix", "--dry-run", "crlf.ble")
    let lines = "@@ -1,3 +1,3 @@\n let x = 1\r\n-x += 1\r\n+set x to x + 1\r\n print x\r\n"
    #expect(result.output == "--- crlf.ble\n+++ crlf.ble\n" + lines, "\(result)")
  }

  @Test func dryRunShowsTheDifferenceAndWritesNothing() {
    folder.file("a.ble", Self.mistake)
    let result = run("check", "--fix", "--dry-run", "a.ble")
    #expect(result.code == 3)
    #expect(
      result.output == """
        --- a.ble
        +++ a.ble
        @@ -1,3 +1,3 @@
        -scan heart_rate
        +scan for heart_rate
         connect
        -prnt "ready"
        +print "ready"

        """)
    #expect(folder.content("a.ble") == Self.mistake)
    #expect(run("check", "--dry-run", "-", input: Self.mistake).output.hasPrefix("--- stdin\n"))
    #expect(run("check", "--fix", "-", input: Self.mistake).code == 2)
  }

  /// A file that cannot be fixed stays as it is.
  @Test func leavesAFileThatCannotBeFixedUnchanged() {
    let text = "let n = 5\nwait m\nprint 1 ~ 2\n"
    folder.file("a.ble", text)
    var before = stat()
    var after = stat()
    stat("\(folder.path)/a.ble", &before)
    #expect(run("check", "--fix", "a.ble").code == 3)
    stat("\(folder.path)/a.ble", &after)
    #expect(folder.content("a.ble") == text && before.st_ino == after.st_ino)
  }

  /// A link stays a link, and anything but a regular file is refused.
  @Test func fixFollowsLinksAndRefusesNonFiles() {
    folder.file("real.ble", Self.mistake)
    #expect(symlink("real.ble", "\(folder.path)/link.ble") == 0)
    #expect(run("check", "--fix", "link.ble").code == 0)
    #expect(folder.content("real.ble") == Self.mended)
    var status = stat()
    #expect(lstat("\(folder.path)/link.ble", &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    let result = Tooth.run("check", "--fix", "/dev/stdin", input: Self.mistake)
    #expect(result.code != 0 && result.errors.contains("cannot be written"))
  }

  @Test func formattingKeepsTheFileAndItsLinks() throws {
    folder.file("a.ble", "if  true\nprint 1\nend\n")
    let path = "\(folder.path)/a.ble"
    #expect(link(path, "\(folder.path)/b.ble") == 0)
    #expect(run("fmt", "a.ble").code == 0)
    #expect(folder.content("b.ble") == "if true\n  print 1\nend\n", "both names lead to one file")
    folder.file("c.ble", "if  true\nprint 1\nend\n")
    chmod("\(folder.path)/c.ble", 0o444)
    let result = run("fmt", "c.ble")
    #expect(result.code == 2 && result.errors.contains("c.ble cannot be written: Permission denied"), "\(result)")
    #expect(folder.content("c.ble") == "if  true\nprint 1\nend\n")
    chmod("\(folder.path)/c.ble", 0o640)
    #expect(run("fmt", "c.ble").code == 0)
    var status = stat()
    #expect(stat("\(folder.path)/c.ble", &status) == 0 && status.st_mode & 0o7777 == 0o640)
  }

  @Test func fixReportsWhatNeedsAChoice() {
    folder.file("a.ble", "wait 5\n")
    let result = run("check", "--fix", "a.ble")
    #expect(
      result.code == 3 && result.errors.contains("a.ble: several fixes are possible and none was applied; choose one"), "\(result)")
  }

  @Test func reportsAnUnreadableFileAsJSON() {
    let result = run("check", "--diagnostics", "json", "none.ble")
    #expect(result.code == 2 && result.errors.hasPrefix("{\"severity\":\"error\",\"message\":\""), "\(result)")
  }

  @Test func explainListsAndExplains() {
    let list = run("explain")
    #expect(list.code == 0 && list.output.split(separator: "\n").count == Explanations.all().count)
    #expect(list.output.contains("T231  nothing subscribes to this characteristic\n"))
    let page = run("explain", "t231")
    #expect(page.code == 0 && page.output.hasPrefix("T231: nothing subscribes") && page.output.contains("\nWrong:\n"))
    let unknown = run("explain", "T239")
    #expect(unknown.code == 2 && unknown.errors.contains("there is no code T239 — did you mean T230?"))
    #expect(run("explain", "T231", "T232").code == 2)
  }

  /// Users look up exit codes here when a script fails.
  @Test func explainKnowsExitCodes() {
    let refused = run("explain", "7").output
    #expect(refused.hasPrefix("exit code 7: refused by the device"), "\(refused)")
    // Each failure whose page names its exit code is listed under that code only.
    let named = Explanations.all().filter { $0.text.contains("exit code is") || $0.text.contains("exit\ncode is") }
    #expect(named.count > 10)
    let listed = (0...12).flatMap { run("explain", "\($0)").output.split(separator: "\n").filter { $0.hasPrefix("  T") } }
    #expect(listed.map { String($0.dropFirst(2).prefix(4)) }.sorted() == named.map(\.code).sorted())
    #expect(run("explain", "42").output == "exit code 42: chosen by the recipe: stop with code, fail … with code\n")
    #expect(run("explain", "143").output == "exit code 143: ended by SIGHUP, SIGINT, SIGTERM\n")
    #expect(run("explain", "231").output.hasPrefix("T231: "))
    #expect(run("explain", "129").output == run("explain", "143").output.replacing("143", with: "129"))
    for kind in Failure.Kind.allCases { #expect(run("explain", kind.word).output.hasPrefix("T3"), "\(kind.word)") }
    #expect(run("explain", "stale_bond").output.hasPrefix("T308: "))
    #expect(run("explain", "stale_bnd").errors.contains("did you mean stale_bond?"))
    #expect(run("explain", "14").code == 2 && run("explain", "999").code == 2)
  }

  @Test func fmtFormatsFilesAndStdin() {
    let text = "if  true\nprint 1   # one\nend\n"
    let formatted = "if true\n  print 1  # one\nend\n"
    folder.file("a.ble", text)
    let check = run("fmt", "--check", "a.ble")
    #expect(check.code == 1 && check.output == "a.ble\n" && folder.content("a.ble") == text)
    #expect(run("fmt", "a.ble").code == 0)
    #expect(folder.content("a.ble") == formatted)
    #expect(run("fmt", "--check", "a.ble").code == 0)
    #expect(run("fmt", "-", input: text) == Tooth.Result(code: 0, output: formatted, errors: ""))
    #expect(run("fmt", "none.ble").code == 2)
    let broken = run("fmt", "-", input: "if true\n")
    #expect(broken.code == 3 && broken.output == "" && broken.errors.contains("T016"))
  }

  @Test func aMistypedFileIsSuggested() {
    folder.file("first.ble", "include \"comon.ble\"\nprint limit\n")
    folder.file("common.ble", "let limit = 5\n")
    #expect(run("check", "frist.ble").errors.contains("did you mean first.ble?"))
    #expect(run("run", "frist").errors.contains("did you mean first.ble?"))
    let shown = run("check", "first.ble").errors
    #expect(shown.contains("did you mean `common.ble`?") && shown.contains("fix: include \"common.ble\""))
    #expect(run("check", "--fix", "first.ble").code == 0)
  }

  /// Files that include each other are fixed before any of them is checked again.
  @Test func includedFilesAreFixedIfTheyAreNamed() {
    func write() -> (String, String) {
      (folder.file("whole.ble", "include \"part.ble\"\nf()\n"), folder.file("part.ble", "procedure f()\n  echo \"x\"\nend\n"))
    }
    let (whole, part) = write()
    let alone = run("check", "--fix", whole)
    #expect(alone.code == 3 && alone.errors.contains("/part.ble, which it includes, name that file, too"), "\(alone)")
    #expect(!alone.errors.contains("was not applied"), "\(alone)")
    for files in [[whole, part], [part, whole]] {
      _ = write()
      let both = run("check", "--fix", files[0], files[1])
      #expect(both.code == 0 && both.errors.contains("1 problem fixed"), "\(files): \(both)")
    }
  }

  /// Examples of failures fail with their code in a simulated world, and their corrections do not.
  /// T308 needs a device that forgets its bond (`PairingTimeTests`), T320 an adapter that breaks
  /// (`RecoveryTests`) and T410 a kill (`EditedRecipeTests`). T399 covers every other failure.
  @Test(arguments: Explanations.all().map(\.code).filter { $0 >= "T299" && !["T308", "T320", "T399", "T410"].contains($0) })
  func examplesOfFailuresFail(_ code: String) throws {
    let page = try #require(Explanations.page(code))
    folder.file("air.ble", page.air?.shown ?? "peripheral nothing_there\n  advertise heart_rate\nend\n")
    folder.file("wrong.ble", String(decoding: page.wrong.recipe, as: UTF8.self))
    folder.file("right.ble", String(decoding: page.right.recipe, as: UTF8.self))
    let air = ["--direct", "--fresh", "--adapter", "sim:air.ble", "--clock", "virtual", "--time-limit", "1h"]
    func result(_ file: String) -> Tooth.Result {
      let arguments = code == "T331" ? ["test", file] : ["run", file] + air
      return Tooth.start(arguments, input: "", environment: [:], directory: folder.path).wait()
    }
    let (wrong, right) = (result("wrong.ble"), result("right.ble"))
    #expect(wrong.code != 0 && (wrong.errors + wrong.output).contains("[\(code)]"), "\(wrong)")
    #expect(right.code == 0, "\(right)")
  }
}
