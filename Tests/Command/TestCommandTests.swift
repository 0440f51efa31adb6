import Foundation
import Testing

/// `tooth test` as a user runs it.
@Suite struct TestCommandTests {
  private let folder = Folder()

  private static let mixed = """
    print "a"
    test "it prints & ends"
      start recipe as r
      wait until r.finished within 1min
      expect r.printed is ["a"]
    end
    test "it does # not"
      start recipe as r
      wait until r.finished within 1min
      expect r.exit_code is 3
    end

    """

  private func run(_ arguments: String...) -> Tooth.Result {
    Tooth.start(["test"] + arguments, input: "", environment: ["TMPDIR": folder.path], directory: folder.path).wait()
  }

  /// An unreadable test file is a failure, and anything but a regular file is skipped.
  @Test func reportsUnreadableTestFilesOfAFolder() throws {
    try FileManager.default.createDirectory(atPath: "\(folder.path)/all", withIntermediateDirectories: true)
    folder.file("all/a.ble", Self.mixed)
    #expect(mkfifo("\(folder.path)/all/pipe.ble", 0o600) == 0)
    #expect(run("all", "--name", "it prints*").code == 0)
    folder.file("all/b_test.ble", "conect\n")
    folder.file("all/c.ble", "test \"x\"\n  expct 1\nend\n")
    let result = run("all", "--name", "it prints*")
    #expect(result.code == 3, "\(result)")
    #expect(result.errors.contains("b_test.ble:1:1") && result.errors.contains("c.ble:2:3"), "\(result)")
    #expect(!result.output.contains("passed"))
  }

  @Test func followsALinkToAFolderOnlyAsAnArgument() throws {
    try FileManager.default.createDirectory(atPath: "\(folder.path)/real", withIntermediateDirectories: true)
    folder.file("real/a.ble", Self.mixed)
    try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/named", withDestinationPath: "real")
    try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/real/round", withDestinationPath: "../real")
    let result = run("named", "--name", "it prints*")
    #expect(result.code == 0, "\(result)")
    #expect(result.output.contains("1 passed"))
  }

  @Test func resultsAreForPeople() throws {
    folder.file("a.ble", Self.mixed)
    folder.file("none.ble", "print 1\n")
    let result = run()
    #expect(result.code == 4, "\(result)")
    #expect(result.output.hasPrefix("ok    a.ble:2  it prints & ends  (0s virtual)\nFAIL  a.ble:7  it does # not\n"))
    #expect(result.output.contains("= left   0\n") && result.output.contains("= right  3\n"))
    #expect(result.output.contains("again: tooth test a.ble --name 'it does # not' --seed 1\n"))
    #expect(result.output.contains("\n1 passed, 1 failed ("))
    // The packets are saved, and the output names their file.
    let path = try #require(result.output.split(separator: "\n").first { $0.contains("packets: ") }?.split(separator: " ").last)
    let packets = try #require(FileManager.default.contents(atPath: String(path)))
    #expect(packets.starts(with: Array("btsnoop\0".utf8)) && packets.count > 100)
    #expect(run("--name", "it prints*").code == 0)
    #expect(run("--name", "nothing").code == 2)
    #expect(run("none.ble").code == 2 && run("missing.ble").code == 2)
  }

  @Test func resultsAreTAP() {
    folder.file("a.ble", Self.mixed)
    let result = run("--tap", "a.ble")
    #expect(result.code == 4)
    #expect(result.output.hasPrefix("TAP version 13\n1..2\nok 1 - it prints & ends\nnot ok 2 - it does \\# not\n# "))
    #expect(result.output.split(separator: "\n").dropFirst(4).allSatisfy { $0.hasPrefix("# ") || $0 == "#" })
  }

  @Test func resultsAreJSON() throws {
    folder.file("a.ble", Self.mixed)
    let result = run("--output", "json", "--seed", "18446744073709551615", "a.ble")
    #expect(result.code == 4)
    let lines = try result.output.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    for line in lines {
      #expect(line.keys.sorted() == ["failure", "file", "line", "ms", "name", "outcome", "runs", "seed", "virtual_ms"])
      #expect(line["file"] as? String == "a.ble" && line["runs"] as? Int == 1)
      #expect(line["ms"] is Int && line["virtual_ms"] is Int && line["seed"] as? UInt64 == .max, "\(line)")
    }
    #expect(lines.map { $0["outcome"] as? String } == ["passed", "failed"])
    #expect(lines.map { $0["name"] as? String } == ["it prints & ends", "it does # not"])
    #expect(lines.first?["failure"] is NSNull)
    let failure = try #require(lines.last?["failure"] as? [String: Any])
    #expect(failure.keys.sorted() == ["circumstance", "message", "repeat", "report"], "\(failure)")
    #expect(failure["repeat"] as? String == "--seed 18446744073709551615" && lines.last?["line"] as? Int == 7)
    #expect(failure["message"] as? String == "expect r.exit_code is 3" && failure["circumstance"] is NSNull, "\(failure)")
    #expect((failure["report"] as? String)?.contains("left   0") ?? false)
  }

  /// Two formats at a time are refused, and so is an unknown one.
  @Test(arguments: [
    (["--tap", "--output", "json"], "--tap and --output json cannot be used together"),
    (["--output", "json", "--tap", "--junit", "x.xml"], "--tap and --output json cannot be used together"),
    (["--tap", "--output", "csv"], "--tap and --output csv cannot be used together"),
    (["--output", "csv"], "tooth test has no CSV"),
  ])
  func conflictingResultFormatsAreRefused(_ options: [String], _ says: String) {
    folder.file("a.ble", Self.mixed)
    let result = Tooth.start(["test", "a.ble"] + options, directory: folder.path).wait()
    #expect(result.code == 2 && result.output.isEmpty && result.errors.contains(says), "\(result)")
    #expect(folder.content("x.xml") == nil)
    // The command line overrides the environment.
    let typed = Tooth.start(
      ["test", "a.ble", "--tap"], environment: ["TOOTH_OUTPUT": "json", "TMPDIR": folder.path], directory: folder.path
    ).wait()
    #expect(typed.code == 4 && typed.output.hasPrefix("TAP version 13\n"), "\(typed)")
  }

  @Test func resultsAreJUnit() throws {
    folder.file("a.ble", Self.mixed)
    #expect(run("--junit", "out.xml", "a.ble").code == 4)
    let xml = try #require(folder.content("out.xml"))
    let document = try XMLDocumentStandIn(xml)
    #expect(document.cases == 2 && document.failures == 1)
    #expect(xml.contains("name=\"it prints &amp; ends\"") && xml.contains("left   0"))
  }

  /// A well-formed document closes every element that it opens, in order.
  struct XMLDocumentStandIn {
    var cases = 0
    var failures = 0

    init(_ text: String) throws {
      var open: [String] = []
      for part in text.split(separator: "<").dropFirst() where !part.hasPrefix("?") {
        let name = String(part.drop { $0 == "/" }.prefix { $0.isLetter })
        if part.hasPrefix("/") {
          #expect(open.popLast() == name)
        } else {
          if name == "testcase" { cases += 1 }
          if name == "failure" { failures += 1 }
          let tag = part.prefix { $0 != ">" }
          if !tag.hasSuffix("/") { open.append(name) }
        }
      }
      #expect(open.isEmpty)
    }
  }

  @Test func errorsOfAFileAreShown() {
    folder.file("a.ble", "test \"x\"\n  simulate nothing_such\nend\n")
    let result = run("a.ble")
    #expect(result.code == 3 && result.errors.contains("error[T256]"))
    #expect(Tooth.run("check", "\(folder.path)/a.ble").code == 3)
    #expect(run("--kill=often", "a.ble").code == 2)
  }

  @Test func numbersAreFromOneOn() {
    folder.file("a.ble", Self.mixed)
    #expect(run("--chaos", "0", "a.ble").code == 2 && run("--jobs", "0", "a.ble").code == 2)
    #expect(run("--allow", "write-files=/", "a.ble").code == 2)
  }

  /// One file named twice, by a folder and by a link.
  @Test func aFileIsRunOnce() throws {
    folder.file("a.ble", Self.mixed)
    try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/b.ble", withDestinationPath: "a.ble")
    let result = run("a.ble", "./a.ble", "b.ble", ".", "--name", "it prints*")
    #expect(result.code == 0 && result.output.contains("1 passed"), "\(result)")
  }

  /// The command printed after `again:` repeats the failure.
  @Test(arguments: ["plain", "it's", "a\tb", "c\u{1B}[1md", "ünï"])
  func thePrintedCommandRepeatsTheFailure(name: String) throws {
    folder.file(
      "a b.ble",
      "print 1\nprint 2\ntest \"\(name)\"\n  start recipe as r\n  wait until r.finished within 1min\n  expect not r.resumed\nend\n")
    let result = run("--kill=sample:2", "a b.ble")
    #expect(result.code == 4)
    let line = try #require(result.output.split(separator: "\n").first { $0.contains("again: ") })
    let again = try #require(line.components(separatedBy: "again: ").last)
    #expect(again.contains("--kill=sample:2 --seed 1") && !again.unicodeScalars.contains("\u{1B}"))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-c", again.replacing("tooth test", with: "\(Tooth.path) test")]
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 4, "\(again)")
  }

  /// In every format, and in the packets.
  @Test(arguments: [[], ["--tap"], ["--output", "json"], ["--junit", "out.xml"], ["--kill"], ["--jobs", "2"]])
  func writtenFilesHoldNoSecret(options: [String]) throws {
    folder.file(
      "a.ble",
      """
      input pin: secret
      peripheral lock
        advertise 0xFFF0 every 100ms
        service 0xFFF0
          characteristic 0xFFF1 can read, write
        end
      end
      scan for 0xFFF0
      connect
      write pin to 0xFFF1
      test "one"
        simulate lock
        start recipe with {pin: "planted-secret"} as r
        wait until r.finished within 1min
        expect r.exit_code is 3, "planted-secret"
      end
      test "two"
        simulate lock
        start recipe with {pin: "planted-secret"} as r
        wait until r.finished within 1min
        expect r.exit_code is 3 or r.errors is "planted-secret"
      end

      """)
    let words = ["test", "a.ble"] + options
    let result = Tooth.start(words, input: "", environment: ["TMPDIR": folder.path], directory: folder.path).wait()
    #expect(result.code == 4, "\(result)")
    #expect(!result.output.contains("planted") && !result.errors.contains("planted"), "\(result)")
    let secret = Data("planted-secret".utf8)
    let files = try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap { $0 as? String }
    #expect(files.contains { $0.hasSuffix(".btsnoop") })
    for file in files where file != "a.ble" {
      guard let bytes = FileManager.default.contents(atPath: "\(folder.path)/\(file)") else { continue }
      #expect(bytes.range(of: secret) == nil, "\(file)")
    }
  }

  @Test func jobsGiveTheSameResults() throws {
    folder.file("a.ble", Self.mixed)
    try FileManager.default.createDirectory(atPath: "\(folder.path)/b", withIntermediateDirectories: false)
    folder.file("b/c_test.ble", Self.mixed)
    func plain(_ result: Tooth.Result) -> [Substring] {
      result.output.split(separator: "\n").filter { !$0.contains("packets: ") && !$0.contains(" passed") }
    }
    let (one, many) = (run("--kill"), run("--kill", "--jobs", "3"))
    #expect(one.code == 4 && many.code == 4)
    #expect(plain(one) == plain(many), "\(one.output)\n\(many.output)\(many.errors)")
  }

  /// With `FULL=1` at every effect, and under fifty seeds.
  private static let sweep = getenv("FULL") == nil ? ["--kill=sample:4", "--chaos", "2"] : ["--kill", "--chaos", "50"]

  /// The recipes of the project keep their promises when killed and under faults.
  @Test func theRecipesOfTheProjectPass() throws {
    let result = Tooth.start(["test", "recipes", "--jobs", "2"] + Self.sweep, input: "", directory: Tooth.package)
      .wait(within: .minutes(30))
    #expect(result.code == 0, "\(result.output)\(result.errors)")
    // Each recipe has a device to try it with, and tests.
    let folder = "\(Tooth.package)/recipes"
    let all = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".ble") }
    let recipes = all.filter { !$0.hasSuffix("_test.ble") }.map { $0.dropLast(4) }
    #expect(recipes.count >= 15)
    for name in recipes {
      #expect(all.contains("\(name)_test.ble"), "\(name)")
      let test = try String(contentsOfFile: "\(folder)/\(name)_test.ble", encoding: .utf8)
      #expect(test.contains("include \"devices/") && test.contains("start recipe \"\(name).ble\""), "\(name)")
    }
  }

  /// The samples of the language reference do as well, with the tests beside them or inside them.
  @Test func theSamplesOfTheLanguagePass() throws {
    let folder = "Tests/Samples"
    let all = try FileManager.default.contentsOfDirectory(atPath: "\(Tooth.package)/\(folder)").map { "\(folder)/\($0)" }
    let files = all.filter { !$0.hasSuffix("/05-gateway_test.ble") } + ["Tests/Golden/samples/10-valve.ble"]
    #expect(files.count == all.count)
    let result = Tooth.start(["test"] + files + ["--jobs", "2"] + Self.sweep, input: "", directory: Tooth.package).wait()
    #expect(result.code == 0, "\(result.output)\(result.errors)")
  }

  /// The gateway's `run` says nothing of what happens when it is unsure. A kill while the program
  /// runs ends that run, and the test names the line.
  @Test func aSampleIsToldWhereAKillLeavesItUnsure() {
    func run(_ more: String...) -> Tooth.Result {
      Tooth.start(["test", "Tests/Samples/05-gateway_test.ble"] + more, input: "", directory: Tooth.package).wait()
    }
    let quiet = run("--chaos", "2")
    #expect(quiet.code == 0, "\(quiet.output)\(quiet.errors)")
    let result = run("--kill")
    #expect(result.code == 4, "\(result.output)\(result.errors)")
    #expect(result.output.contains("it is not known what the program has done: the run was killed while it ran"))
    #expect(result.output.contains("05-gateway.ble:17:3"), "\(result.output)")
  }
}
