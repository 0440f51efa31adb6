import Glibc
import Linux
import Testing
import Vocabulary

/// The program started with stdin, stdout and stderr closed, in every combination.
@Suite struct ClosedDescriptorTests {
  let folder = Folder()

  private static let recipe = """
    scan for environmental_sensing
    connect within 10s
    read temperature as celsius
    append "row" to "rows.txt"
    save "whole" to "saved.txt"
    log "logged"
    print "printed"
    disconnect

    """

  private func start(_ arguments: [String], closed: [Int]) -> Tooth.Result {
    let redirections = closed.map { "\($0)>&-" }.joined(separator: " ")
    return Tooth.start(
      ["-c", "exec \"$0\" \"$@\" \(redirections)", Tooth.path] + arguments, program: "/bin/sh", directory: folder.path
    ).wait()
  }

  /// Every file that the program made, with its contents.
  private func files(_ path: String) -> [(name: String, text: String)] {
    Files.names(in: path).map { name in
      ("\(name)", (try? readFile("\(path)/\(name)", limit: 1 << 24)).map { String(decoding: $0, as: UTF8.self) } ?? "")
    }
  }

  @Test(arguments: [[], [0], [1], [2], [0, 1], [0, 2], [1, 2], [0, 1, 2]])
  func closedStandardDescriptorsAreNotReused(closed: [Int]) {
    folder.file("r.ble", Self.recipe)
    let device = "\(Tooth.package)/recipes/devices/thermometer.ble"
    let result = start(
      ["run", "r.ble", "--adapter", "sim:\(device)", "--state", "state", "--capture", "c.btsnoop"], closed: closed)
    // Failing to write the output is an error; having no stdin or no stderr is not.
    #expect(result.code == (closed.contains(1) ? 1 : 0), "\(closed): \(result)")
    #expect(result.output == (closed.contains(1) ? "" : "printed\n"))
    #expect(result.errors.contains("stdout: Bad file descriptor") == (closed.contains(1) && !closed.contains(2)))
    #expect(folder.content("rows.txt") == "row\n")
    #expect(folder.content("saved.txt") == "whole\n")
    for (name, text) in files("\(folder.path)/state") {
      if name.hasSuffix(".lock") { #expect(text.dropLast().contains { !$0.isNumber } == false, "\(closed): \(text)") }
      #expect(!text.hasPrefix("printed") && !text.contains("logged\n"), "\(closed): \(name)")
    }
    #expect(folder.content("c.btsnoop")?.hasPrefix("btsnoop\0") ?? false, "\(closed)")
    let runs = Tooth.run("runs", "--state", "\(folder.path)/state")
    #expect(runs.code == 0 && !runs.output.contains("unreadable"))
  }

  /// A controller's socket receives packets and nothing else.
  @Test(arguments: [[1], [2], [1, 2], [0, 1, 2]]) func outputNeverGoesToTheControllerSocket(closed: [Int]) {
    let device = "\(Tooth.package)/recipes/devices/thermometer.ble"
    let air = Tooth.start(
      ["air", device, "--listen", "unix:\(folder.path)/air", "--log", "\(folder.path)/log"], directory: folder.path)
    #expect(air.read { $0.complaint.contains("on the air") })
    folder.file("r.ble", Self.recipe)
    let result = start(["run", "r.ble", "--adapter", "unix:air", "--state", "state"], closed: closed)
    #expect(result.code == (closed.contains(1) ? 1 : 0), "\(closed): \(result)")
    air.signal(SIGTERM)
    let end = air.wait()
    #expect(!end.errors.contains("out of step") && !end.errors.contains("garbage"), "\(end.errors)")
    #expect(folder.content("rows.txt") == "row\n")
  }

  @Test func aClosedStdinIsNotARecipe() {
    let result = start(["run", "-", "--adapter", "sim:\(Tooth.package)/recipes/devices/valve.ble"], closed: [0])
    #expect(result.code == 2)
    #expect(result.errors.contains("stdin cannot be read: Bad file descriptor"))
  }
}

/// The files of a run are truncated while it runs.
@Suite struct CutFileTests {
  @Test(arguments: ["-wal", ""]) func endsWithExitCode11(suffix: String) throws {
    let folder = Folder()
    folder.file("r.ble", "let n = 0\nrepeat forever\n  wait 20ms\n  set n to n + 1\n  print n\nend\n")
    let device = "sim:\(Tooth.package)/recipes/devices/valve.ble"
    let run = Tooth.start(
      ["run", "r.ble", "--adapter", device, "--state", "state", "--checkpoint-sync", "50ms"], directory: folder.path)
    #expect(run.read { $0.text.contains("3\n") })
    let name = try #require(Files.names(in: "\(folder.path)/state").first { $0.hasSuffix(".db") })
    truncate("\(folder.path)/state/\(name)\(suffix)", 0)
    let end = run.wait(within: .seconds(10))
    #expect(end.code == 11, "\(end)")
    #expect(end.errors.contains("cut off") || end.errors.contains("damaged"), "\(end.errors)")
  }
}
