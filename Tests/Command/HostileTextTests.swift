import Exchange
import Glibc
import Linux
import Testing
import Vocabulary
@testable import Keeper

/// Names and values of devices, files and arguments never reach a terminal or a log unescaped.
@Suite(.serialized) struct HostileTextTests {
  let folder = Folder()

  /// A title, an 8-bit control sequence, a line break, TAB, DEL, an overwritten line, right-to-left
  /// text, an invisible character, a tag.
  static let scalars: [UInt32] = [
    0x1B, 0x5D, 0x30, 0x3B, 0x78, 0x07, 0x9B, 0x33, 0x31, 0x6D, 0x0A, 0x09, 0x7F, 0x0D, 0x202E, 0x200B, 0xE0041, 0x2028, 0x2066,
  ]
  /// As text, and as a literal of a recipe.
  static let hostile = scalars.reduce(into: "") { $0.unicodeScalars.append(UnicodeScalar($1) ?? " ") }
  static let written = scalars.map { "\\u{\(String($0, radix: 16))}" }.joined()

  /// Characters that arguments and file names may contain.
  static let name = "x\(hostile.filter { $0 != "/" })y"

  static let devices = """
    peripheral strap named "a\(written)b"
      advertise heart_rate every 50ms with {name: "n\(written)"}
      service heart_rate
        characteristic heart_rate_measurement can notify
        characteristic body_sensor_location can read
        characteristic 0x2A24 can read starts as "m\(written)"
      end
      on read body_sensor_location: refuse with 0x80
    end

    """

  var environment: [String: String] {
    ["TOOTH_STATE": "\(folder.path)/state", "TOOTH_KEEPER_DIRECTORY": "\(folder.path)/keeper"]
  }

  private static let virtual = ["--adapter", "sim:devices.ble", "--clock", "virtual", "--time-limit", "10s", "--seed", "1"]

  @discardableResult
  private func expectNothing(
    _ arguments: [String], environment more: [String: String] = [:], tabs: Bool = false, at place: SourceLocation = #_sourceLocation
  ) throws -> String {
    let session = try TerminalSession(
      arguments, environment: environment.merging(more) { $1 }, directory: folder.path)
    session.wait()
    let breaches = TerminalSession.breaches(in: session.bytes, tabs: tabs)
    #expect(breaches.isEmpty, "tooth \(arguments)\n\(breaches.joined(separator: "\n"))", sourceLocation: place)
    return session.text
  }

  @Test(arguments: ["text", "json", "csv"]) func devicesInAScan(format: String) throws {
    folder.file("devices.ble", Self.devices)
    let shown = try expectNothing(["scan", "--output", format] + Self.virtual, tabs: format == "csv")
    #expect(shown.contains(format == "json" ? "n\\u001b]0;x" : "n\\x1b]0;x"), "\(shown)")
    if format == "text" { #expect(shown.contains("…\"")) }
    // Text in a pipe is escaped and complete; the other formats are for programs.
    let piped = Tooth.start(
      ["scan", "--output", format] + Self.virtual, environment: environment, directory: folder.path
    ).wait()
    if format == "text" { #expect(piped.output.contains("\\u{2028}\t"), "\(piped)") }
    if format == "csv" { #expect(piped.output.unicodeScalars.contains("\u{202E}"), "\(piped)") }
  }

  static let recipe = """
    ## Says\u{1B}]0;x\u{7} everything.
    input note: text = "\(written)" "help\u{1B}[31m"
    scan for "n*"
    let name = device.name
    print name
    print {name: name, other: note}
    log "log {name}"
    warn "warn {name}"
    debug "debug {name}"
    connect
    read model_number_string as model
    print model
    read body_sensor_location otherwise log "it said {it.message}"
    fail "failed {name}"

    """

  @Test(arguments: [
    [], ["--output", "json"], ["--output", "json", "--events"], ["--output", "csv"], ["-vv"], ["--diagnostics", "json", "-v"],
    ["--color", "never", "--ascii"],
  ])
  func valuesLogsAndFailuresOfARun(options: [String]) throws {
    folder.file("devices.ble", Self.devices)
    folder.file("r\u{1B}[31m\u{202E}.ble", Self.recipe)
    let shown = try expectNothing(["run", "r\u{1B}[31m\u{202E}.ble"] + Self.virtual + options, tabs: true)
    #expect(shown.contains("failed "), "\(shown)")
    if options.contains("--ascii") { #expect(shown.utf8.allSatisfy { $0 < 0x80 }, "\(shown)") }
    if options == [] {
      #expect(shown.contains("log n\\x1b]0;x\\x07\\x9b31m\n"), "\(shown)")
      // Line ends and TAB of a printed text are kept.
      #expect(shown.contains("x\\x07\\x9b31m\n\t\\x7f\\x0d\\u{202e}\\u{200b}\\u{e0041}\\u{2028}\\u{2066}"), "\(shown)")
    }
  }

  @Test func printRawIsNotEscaped() throws {
    folder.file("devices.ble", Self.devices)
    folder.file("r.ble", "print \"\\u{1b}[32mgreen\\u{1b}[0m\\r\"\n")
    let arguments = ["run", "r.ble"] + Self.virtual
    let escaped = try expectNothing(arguments)
    // CR LF ends a line.
    #expect(escaped == "\\x1b[32mgreen\\x1b[0m\n")
    let raw = try TerminalSession(arguments + ["--raw"], environment: environment, directory: folder.path)
    raw.wait()
    #expect(raw.text == "\u{1B}[32mgreen\u{1B}[0m\r\n")
    // Elsewhere `print` writes the bytes that it is given.
    #expect(Tooth.start(arguments, environment: environment, directory: folder.path).wait().output == raw.text)
  }

  @Test func namesOfFilesAndArguments() throws {
    let name = Self.name
    folder.file("\(name).ble", "wait 1s\nconect\u{1B}[31m \u{9B}1m\"\u{202E}\n")
    folder.file("good.ble", "input note: text\nprint note\nwait 1ms\nfail note\n")
    for arguments in [
      ["check", "\(name).ble"], ["check", "--diagnostics", "json", "\(name).ble"], ["check", "\(name)-none.ble"],
      ["run", "\(name).ble"],
      ["help", "\(name).ble"], ["help", name], [name], ["run", "--\(name)"], ["run", "good.ble", "--note", name] + Self.virtual,
      ["run", "good.ble", "--adapter", name, "--note", "x"], ["run", "good.ble", "--adapter", "sim:\(name)", "--note", "x"],
      ["run", "good.ble", "--adapter", "unix:\(folder.path)/\(name)", "--note", "x"], ["resume", name], ["runs", "show", name],
      ["runs", "drop", name], ["runs", name], ["scan", "--adapter", "serial:/dev/\(name)"], ["scan", "--time-limit", name],
      ["scan", name],
      ["adapter", name], ["adapter", "reset", "--adapter", name], ["disconnect", "--all", "--adapter", name],
      ["keeper", "status", "--adapter", "unix:\(folder.path)/\(name)"],
      ["keeper", "stop", "--adapter", "unix:\(folder.path)/\(name)"],
      ["service", "remove", name], ["service", "install", "\(name).ble"], ["completions", name],
      ["air", name, "--listen", "unix:air"],
      ["air", "good.ble", "--listen", name], ["doctor", "--state", "\(folder.path)/\(name)"], ["adapters", "--output", "json"],
    ] { try expectNothing(arguments) }
    try expectNothing(["scan"], environment: ["TOOTH_TIME_LIMIT": name])
    try expectNothing(["run", "good.ble", "--note", "x"], environment: ["TOOTH_STATE": "/dev/null/\(name)"])
  }

  @Test func theTableOfAScan() throws {
    folder.file("devices.ble", Self.devices)
    let shown = try expectNothing(["scan", "--adapter", "sim:devices.ble", "--time-limit", "1s"])
    #expect(shown.contains("1 device · ") && shown.contains("s left") && shown.contains("\\x1b]0;x"), "\(shown)")
    #expect(shown.contains("Asim:devices.ble · 1 device\u{1B}[K\n"), "\(shown)")
    let plain = try expectNothing(["scan", "--plain"] + Self.virtual)
    #expect(!plain.contains("\u{1B}["))
    #expect(Tooth.start(["scan", "--sort", "name"] + Self.virtual, directory: folder.path).wait().code == 2)
  }

  @Test func runsThatAreListedAndShown() throws {
    let name = Self.name
    folder.file("devices.ble", Self.devices)
    folder.file("\(name).ble", "input note: text = \"\(Self.written)\"\nprint \"x\u{1B}[31m\"\nwait forever # \u{1B}[31m\u{202E}\n")
    for options in [[], ["--as", name]] {
      try expectNothing(["run", "\(name).ble", "--note", name] + options + Self.virtual)
    }
    for format in ["text", "json", "csv"] {
      let shown = try expectNothing(["runs", "--output", format], tabs: format == "csv")
      let state = ["text": "failed (8)", "json": "\"state\":\"failed\",\"exit_code\":8", "csv": ",failed,8,"][format] ?? "?"
      #expect(shown.contains(state), "\(shown)")
    }
    let ids = Tooth.start(["runs"], environment: environment).wait().output.split(separator: "\n").dropFirst().map {
      $0.prefix { $0 != " " }
    }
    #expect(ids.count == 2)
    for id in ids { #expect(try expectNothing(["runs", "show", String(id)]).contains("wait forever")) }
    for id in ids { try expectNothing(["resume", String(id)] + Self.virtual) }
  }

  @Test func airEscapesNamesOfItsPeripherals() throws {
    folder.file("devices.ble", Self.devices)
    let air = try TerminalSession(
      ["air", "devices.ble", "--listen", "unix:\(folder.path)/air", "-v"], environment: environment, directory: folder.path)
    #expect(air.read { $0.contains("on the air") }, "\(air.text)")
    kill(air.pid, SIGTERM)
    air.wait()
    #expect(TerminalSession.breaches(in: air.bytes) == [])
  }

  @Test func clientsOfAKeeper() throws {
    let adapter = "unix:\(folder.path)/air"
    let fake = try FakeKeeper(adapter, in: "\(folder.path)/keeper")
    for format in ["text", "json"] {
      // The shell keeps the pipes open until the program has ended, so the stand serves until they
      // close.
      let asking = Tooth.start(
        ["-c", "\"$0\" \"$@\" > out 2>&1; exit $?", Tooth.path, "keeper", "status", "--adapter", adapter, "--output", format],
        program: "/bin/sh", environment: environment, directory: folder.path)
      try fake.serve(asking) { _ in
        var status = FakeKeeper.status(adapter, [])
        status.clients = [
          KeeperStatus.Client(
            name: Self.name, process: 7, user: 0, heldFor: nil, links: [], waiting: 0, missed: 0)
        ]
        return .statusReport(status)
      }
      _ = asking.wait()
      guard format == "text" else { continue }
      let text = folder.content("out") ?? ""
      #expect(text.contains("x\\x1b]0;x"), "\(text)")
      #expect(TerminalSession.breaches(in: Array(text.utf8)) == [])
    }
  }

  /// A service's stderr goes to the journal. Each line carries its priority, including lines with
  /// text of a device.
  @Test(arguments: [
    "log \"one\\ntwo\\n\\n<0>three\"\nwait 1ms\n", "warn \"a\\r\\nb\"\nwait 1ms\nfail \"it\\nends\"\n", "conect\nwait 5\n",
    "scan for \"nobody\" within 1s\n",
  ])
  func everyLineOfTheJournalHasItsPriority(recipe: String) {
    folder.file("devices.ble", Self.devices)
    folder.file("r.ble", recipe)
    let result = Tooth.start(
      ["run", "r.ble"] + Self.virtual, environment: environment.merging(["JOURNAL_STREAM": "1:2"]) { $1 }, directory: folder.path
    ).wait()
    let lines = result.errors.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    #expect(!lines.isEmpty)
    for line in lines {
      #expect(line.utf8.count > 3 && line.hasPrefix("<") && line.dropFirst(2).hasPrefix(">"), "\(line.debugDescription)")
    }
    if recipe.hasPrefix("log") { #expect(lines.last?.hasSuffix(" log <0>three") ?? false, "\(result.errors)") }
  }

  /// A spreadsheet would run a name that begins like a formula.
  @Test func aNameOfADeviceIsNoFormula() {
    let folder = Folder()
    folder.file("evil.ble", "peripheral p named \"=1+1\"\n  advertise 0xFFF0\nend\n")
    func scan(_ more: String...) -> Tooth.Result {
      Tooth.start(
        ["scan", "--output", "csv", "--adapter", "sim:evil.ble", "--clock", "virtual", "--time-limit", "3s"] + more,
        directory: folder.path
      ).wait()
    }
    #expect(scan().output.contains(",=1+1,"))
    let escaped = scan("--csv-escape")
    #expect(escaped.code == 0 && escaped.output.contains(",'=1+1,"), "\(escaped)")
  }
}
