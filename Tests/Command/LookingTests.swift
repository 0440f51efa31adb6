import Glibc
import Journal
import Linux
import Testing
import Vocabulary

/// `tooth alias`, `names`, `decode`, `status`, the failure in `tooth runs show`, and completion.
@Suite struct LookingTests {
  let folder = Folder()

  private func tooth(_ arguments: String...) -> Tooth.Result {
    Tooth.start(arguments, environment: ["TOOTH_STATE": "\(folder.path)/state"], directory: folder.path).wait()
  }

  private static let world = OneShotTests.world

  // MARK: Aliases

  @Test func anAliasNamesADevice() {
    #expect(tooth("alias").output == "")
    #expect(access("\(folder.path)/state", F_OK) != 0)
    #expect(tooth("alias", "strap", "ec:ad:84:e6:82:49/random") == Tooth.Result(code: 0, output: "", errors: ""))
    for verb in ["rm", "remove", "delete"] {
      let refused = tooth("alias", verb, "strap")
      #expect(refused.code == 2 && refused.errors.contains("tooth alias drop strap"), "\(refused)")
    }
    #expect(tooth("alias", "any_strap", "Strap*").code == 0)
    #expect(tooth("alias", "second", "strap").code == 0)
    #expect(
      tooth("alias").output
        == "any_strap  Strap*\nsecond     EC:AD:84:E6:82:49/random\nstrap      EC:AD:84:E6:82:49/random\n")
    #expect(tooth("alias", "--output", "json").output.hasPrefix("{\"name\":\"any_strap\",\"device\":\"Strap*\"}\n"))
    #expect(
      tooth("read", "strap", "battery_level", "--show-recipe").output
        == "let strap = EC:AD:84:E6:82:49/random\nconnect to strap\nread battery_level as value\nprint value\n")
    for name in ["strap", "any_strap", "second"] {
      let own = Tooth.start(
        ["read", name, "battery_level"] + Self.world, environment: ["TOOTH_STATE": "\(folder.path)/state"]
      ).wait()
      #expect(own == Tooth.Result(code: 0, output: "97\n", errors: ""))
    }
    let words = ["do", "connect", "to", "strap", "then", "read", "battery_level"]
    let spoken = Tooth.start(words + Self.world, environment: ["TOOTH_STATE": "\(folder.path)/state"]).wait()
    #expect(spoken == Tooth.Result(code: 0, output: "97\n", errors: ""))
    // A name that may mean several devices is refused as a target.
    #expect(tooth("write", "any_strap", "battery_level", "1").code == 2)
    #expect(tooth("alias", "drop", "strop").errors.contains("did you mean strap?"))
    #expect(tooth("alias", "drop", "strap").code == 0)
    #expect(!tooth("alias").output.contains("\nstrap"))
  }

  @Test(arguments: ["Strap", "heart_rate", "value", "a b", "for", "x\u{1B}[31m", "device"])
  func notEveryWordIsAnAlias(name: String) {
    let result = tooth("alias", name, "EC:AD:84:E6:82:49")
    #expect(result.code == 2)
    #expect(!result.errors.contains("\u{1B}"))
  }

  /// In a terminal without UTF-8, failures are framed in ASCII, too.
  @Test func aStoredFailureIsDrawnInASCII() throws {
    folder.file("over.ble", "input limit: number\nfail \"over {limit}\"\n")
    #expect(tooth("run", "over.ble", "--limit", "7").code == 1)
    func shown(_ more: String...) -> String {
      Tooth.start(
        ["runs", "show", "over.ble"] + more, environment: ["TOOTH_STATE": "\(folder.path)/state"], directory: folder.path
      ).wait().output
    }
    #expect(shown().contains("┌─ ") && shown().contains("│"), "\(shown())")
    let plain = shown("--ascii")
    #expect(plain.contains("--> ") && plain.utf8.allSatisfy { $0 < 0x80 }, "\(plain)")
  }

  /// A run that is killed during its `on stop` has its failure in its history.
  @Test func aRunKilledWhileItEndsShowsWhyItFailed() {
    folder.file("ends.ble", "on stop: wait 1h\nlet why = \"out of \" + \"paper\"\nfail why with code 30\n")
    let environment = ["TOOTH_STATE": "\(folder.path)/state"]
    let run = Tooth.start(["run", "ends.ble"], environment: environment, directory: folder.path)
    #expect(run.readErrors { $0.complaint.contains("out of paper") }, "\(run.complaint)")
    run.signal(SIGKILL)
    #expect(run.wait().code == 128 + SIGKILL)
    let shown = Tooth.start(["runs", "show", "ends.ble"], environment: environment, directory: folder.path).wait()
    #expect(shown.output.contains("line 3: out of paper"), "\(shown.output)")
  }

  /// A recipe that cron starts every hour still shows why it failed yesterday.
  @Test func failuresOfEarlierRunsStay() {
    func earlier(_ more: String...) -> [Substring] {
      let shown = Tooth.start(
        ["runs", "show", "hourly.ble"] + more, environment: ["TOOTH_STATE": "\(folder.path)/state"], directory: folder.path
      ).wait()
      return shown.output.split(separator: "\n").filter { $0.hasPrefix("earlier") }
    }
    for number in 0..<25 {
      folder.file("hourly.ble", "fail \"failure \(number)\"\n")
      #expect(tooth("run", "hourly.ble").code == 1)
      let wanted = (max(0, number - 3)..<number).map { "failure \($0)" }
      let lines = earlier()
      #expect(lines.count == wanted.count && zip(lines, wanted).allSatisfy { $0.hasSuffix($1) }, "\(lines)")
    }
    folder.file("hourly.ble", "print 1\n")
    #expect(tooth("run", "hourly.ble").code == 0)
    let all = earlier("--all")
    #expect(all.count == 20 && all.last?.hasSuffix("failure 24") ?? false, "\(all)")
    #expect(tooth("runs", "show", "hourly.ble", "--output", "json").output.contains("failure 24\"}]"))
    #expect(tooth("runs", "show", "hourly.ble", "--html", "hourly.html").code == 0)
    #expect(textOf("hourly.html").contains("failure of an earlier run"))
  }

  // MARK: Names and formats

  /// One rule: an unknown name is a usage error.
  @Test(arguments: [
    ["runs", "show", "nope"], ["runs", "drop", "nope"], ["alias", "drop", "nope"], ["bonds", "C0:00:00:00:00:01/random"],
    ["resume", "nope"], ["runs", "show", "nope", "--link"], ["runs", "show", "nope", "--output", "json"],
  ])
  func namesThatAreNotKnown(_ words: [String]) throws {
    // An ended run exists but is not meant.
    folder.file("r.ble", "print 1\n")
    #expect(tooth("run", "r.ble").code == 0)
    let result = Tooth.start(words, environment: ["TOOTH_STATE": "\(folder.path)/state"], directory: folder.path).wait()
    #expect(result.code == 2 && result.output.isEmpty && !result.errors.isEmpty, "\(words): \(result)")
  }

  @Test func namesAreFound() {
    #expect(tooth("names", "battery", "level").output.hasPrefix("battery_level "))
    #expect(tooth("names", "0x2A19").output == "battery_level  characteristic   0x2A19  u8 %\n")
    #expect(
      tooth("names", "0x2A19", "--output", "json").output
        == "{\"kind\":\"characteristic\",\"name\":\"battery_level\",\"uuid\":\"0x2A19\",\"format\":\"u8 %\"}\n")
    #expect(tooth("names", "ibeacon").output.contains("format"))
    #expect(tooth("names", "qqqq").code == 1)
    #expect(tooth("names", "").code == 2)
    #expect(
      tooth("names", "0x2A19", "--output", "csv").output == "kind,name,uuid,format\ncharacteristic,battery_level,0x2A19,u8 %\n")
  }

  @Test func decodeShowsEachField() {
    let result = tooth("decode", "heart_rate_measurement", "16", "3d", "40", "03")
    #expect(result.code == 0)
    #expect(result.output.contains("1  3d     bpm    61\n"), "\(result.output)")
    #expect(
      tooth("decode", "battery_level", "61", "--output", "json").output
        == "{\"offset\":0,\"bytes\":\"61\",\"field\":\"value\",\"value\":97}\n")
    #expect(tooth("decode", "0x2A19", "0x61").output == "0  61  value  97 %\n")
    let short = tooth("decode", "heart_rate_measurement", "16")
    #expect(short.code == 1)
    #expect(short.errors.contains("bpm"))
    #expect(short.errors.contains("^"))
    #expect(tooth("decode", "hart_rate_measurement", "16").errors.contains("did you mean heart_rate_measurement?"))
    #expect(tooth("decode", "battery_level", "xy").code == 2)
    let long = tooth("decode", "battery_level", "6162")
    #expect(long.code == 0 && long.errors == "note: the last byte is not part of battery_level\n", "\(long)")
    #expect(
      tooth("decode", "heart_rate_measurement", "06:48").output == tooth("decode", "heart_rate_measurement", "06", "48").output)
    #expect(tooth("decode", "heart_rate_measurement", "06-48").code == 0)
    let url = tooth("decode", "eddystone_url", "10ee0167746f6f746807").output
    #expect(url.split(separator: "\n").first?.hasSuffix("  kind   0x10") == true, "\(url)")
    let ruuvi = tooth("decode", "ruuvi", "0512FC5394C37C0004FFFC040CAC364200CDCBB8334C884F").output
    #expect(
      ruuvi.hasPrefix("1  12 fc              temperature     24.3\n3  53 94              humidity        53.49\n"), "\(ruuvi)")
    #expect(ruuvi.hasSuffix("18 cb b8 33 4c 88 4f  address         CB:B8:33:4C:88:4F\n"))
    #expect(
      tooth("decode", "bthome", "40 02 c4 09 2e 35 02 c4 08 99 01", "--output", "csv").output
        == "offset,bytes,field,value\n0,40,encrypted,false\n0,40,triggered,false\n2,c4 09,temperature,25.0\n5,35,humidity,53\n"
        + "7,c4 08,temperature_2,22.44\n9,99 01,rest,9901\n")
    #expect(tooth("decode", "govee", "00 03 21 5d 64 00").output.hasPrefix("1  03 21 5d  temperature  20.5\n"))
    #expect(tooth("decode", "switchbot", "54 00 64 05 97 36").output.contains("3  05 97  temperature  23.5\n"))
    let mibeacon = tooth("decode", "mibeacon", "50 20 aa 01 da b5 12 00 65 8d 44 0d 10 04 fe 00 48 02").output
    #expect(mibeacon.contains("14 fe 00              temperature  25.4\n16 48 02              humidity     58.4\n"), "\(mibeacon)")
    let beacon = tooth("decode", "ibeacon", "0215 00112233445566778899aabbccddeeff 0001 0002 c5").output
    #expect(beacon.contains("major") && !beacon.contains("_kind"), "\(beacon)")
    // Bytes that are always the same have a row of their own.
    #expect(beacon.hasPrefix("0  02 15 ") && beacon.split(separator: "\n").first?.hasSuffix("  kind   0x0215") == true, "\(beacon)")
  }

  // MARK: Links

  private static let slow = """
    peripheral strap named "Strap 7"
      advertise heart_rate every 100ms
      service heart_rate
        characteristic body_sensor_location can read
        characteristic heart_rate_control_point can read, write
      end
      on read body_sensor_location
        wait 20s
        answer hex "01"
      end
      on read heart_rate_control_point: refuse with 0x05
    end

    """

  /// The keeper keeps the packets, and the run asks for them when it fails.
  @Test func aLostLinkOfAKeeperIsExplained() {
    folder.file("slow.ble", Self.slow)
    folder.file("r.ble", "scan for heart_rate\nconnect\nread body_sensor_location within 1500ms\n")
    let environment = [
      "TOOTH_STATE": "\(folder.path)/state", "TOOTH_KEEPER_DIRECTORY": "\(folder.path)/keepers", "TOOTH_ADAPTER": "unix:./air",
    ]
    let air = Tooth.start(["air", "slow.ble", "--listen", "unix:air"], environment: environment, directory: folder.path)
    air.read { $0.complaint.contains("on the air") }
    let run = Tooth.start(["run", "r.ble", "--keeper"], environment: environment, directory: folder.path).wait()
    #expect(run.code == 8, "\(run)")
    let status = Tooth.start(["keeper", "status"], environment: environment, directory: folder.path).wait()
    #expect(status.output.hasPrefix("unix:./air: kept by process"), "\(status)")
    _ = Tooth.start(["keeper", "stop", "--force"], environment: environment, directory: folder.path).wait()
    let link = tooth("runs", "show", "r.ble", "--link")
    #expect(link.code == 0 && link.output.contains("read of body_sensor_location had no answer"), "\(link)")
    // The events are listed, too, and drawn.
    let shown = tooth("runs", "show", "r.ble", "--html", "page.html")
    #expect(shown.code == 0 && shown.output.isEmpty && shown.errors.contains("wrote page.html"), "\(shown)")
    let page = textOf("page.html")
    #expect(page.hasPrefix("<!DOCTYPE html>") && page.contains("linked with ") && page.contains("line 3: "), "\(page)")
    #expect(tooth("runs", "show", "r.ble").output.contains("├ linked with "))
    #expect(tooth("runs", "show", "r.ble", "--output", "json").output.contains("\"timeline\":[{\"time\":"))
    let nowhere = tooth("runs", "show", "r.ble", "--html", "none/page.html")
    #expect(nowhere.code == 2 && nowhere.errors.contains("none/page.html"), "\(nowhere)")
  }

  private func textOf(_ name: String) -> String {
    String(decoding: (try? readFile("\(folder.path)/\(name)", limit: 1 << 24)) ?? [], as: UTF8.self)
  }

  @Test func aSurveyIsAPage() {
    let scan = tooth("scan", "--adapter", "sim:demo", "--clock", "virtual", "--time-limit", "5s", "--survey", "s.html")
    #expect(scan.code == 0 && scan.errors.contains("wrote s.html") && scan.output.contains("Strap 7"), "\(scan)")
    let page = textOf("s.html")
    #expect(page.contains("<td>Strap 7</td>") && page.contains(" dBm after 4 s</title>") && page.contains("default-src 'none'"))
    let nowhere = tooth("scan", "--adapter", "sim:demo", "--clock", "virtual", "--time-limit", "5s", "--survey", "none/s.html")
    #expect(nowhere.code == 2 && nowhere.output.isEmpty, "\(nowhere)")
  }

  @Test func aLostLinkIsExplained() {
    folder.file("slow.ble", Self.slow)
    folder.file("r.ble", "scan for heart_rate\nconnect\nread body_sensor_location within 3s\n")
    let world = ["--adapter", "sim:slow.ble", "--clock", "virtual", "--time-limit", "1h"]
    let environment = ["TOOTH_STATE": "\(folder.path)/state"]
    let run = Tooth.start(["run", "r.ble"] + world, environment: environment, directory: folder.path).wait()
    #expect(run.code == 8 && !run.errors.contains("btsnoop"), "\(run)")
    let link = tooth("runs", "show", "r.ble", "--link")
    #expect(link.code == 0 && link.output.contains("read of body_sensor_location had no answer for 3.0 s"), "\(link)")
    folder.file("s.ble", "print 1\n")
    _ = Tooth.start(["run", "s.ble"] + world, environment: environment, directory: folder.path).wait()
    let none = tooth("runs", "show", "s.ble", "--link")
    #expect(none.code == 1 && none.errors.contains("no packets of s-"), "\(none)")
    // A capture shows the same.
    folder.file("t.ble", "scan for heart_rate\nconnect\nread heart_rate_control_point\n")
    _ = Tooth.start(
      ["run", "t.ble", "--capture", "t.btsnoop"] + world, environment: environment, directory: folder.path
    ).wait()
    let refused = tooth("decode", "t.btsnoop")
    #expect(refused.output.contains("refused read of heart_rate_control_point: insufficient authentication (0x05)"), "\(refused)")
    #expect(refused.output.contains("must be paired"), "\(refused)")
    let json = tooth("decode", "t.btsnoop", "--output", "json").output
    #expect(json.contains("\"kind\":\"refused\"") && json.contains("\"code\":5"), "\(json)")
    folder.file("no.btsnoop", "not one")
    #expect(tooth("decode", "no.btsnoop").code == 2)
    #expect(tooth("decode", "none.btsnoop").code == 2)
  }

  // MARK: Looking back

  @Test func theFailureOfARunIsShown() {
    folder.file("r.ble", "scan for \"Strap 7\"\nconnect\nread temperature\n")
    let environment = ["TOOTH_STATE": "\(folder.path)/state"]
    let failed = Tooth.start(["run", "r.ble"] + Self.world, environment: environment, directory: folder.path).wait()
    #expect(failed.code == 7)
    let id = tooth("runs").output.newestRun
    let shown = tooth("runs", "show", "r.ble")
    #expect(shown.output.hasPrefix("\(id): failed (7)\n"))
    #expect(shown.output.contains("error[T307]"), "\(shown.output)")
    #expect(shown.output.contains("3 │ read temperature"), "\(shown.output)")
    #expect(
      shown.output.hasSuffix(
        "next       tooth resume \(id)  (continues at the statement where it ended; give it the same options, such as --adapter)\n")
    )
    #expect(tooth("runs", "show", "r.ble", "--output", "json").output.contains("\"failure\":\"error[T307]"))
    // A run that ends well has no failure.
    folder.file("r.ble", "print 1\n")
    #expect(
      Tooth.start(["run", "r.ble", "--fresh"] + Self.world, environment: environment, directory: folder.path).wait().code == 0)
    let fine = tooth("runs", "show", "r.ble").output
    #expect(fine.hasPrefix("\(id): finished (0)\n"))
    #expect(!fine.contains("T307"))
    #expect(tooth("runs", "drop", "r").code == 0)
    #expect(tooth("runs").output == "")
  }

  @Test func twentyRunsAreListed() {
    folder.file("r.ble", "input n: number = 0\nprint n\n")
    for number in 1...22 {
      let words = ["run", "r.ble", "--n", "\(number)"] + Self.world
      _ = Tooth.start(words, environment: ["TOOTH_STATE": "\(folder.path)/state"], directory: folder.path).wait()
    }
    let list = tooth("runs")
    #expect(list.output.split(separator: "\n").count == 21)
    #expect(list.errors == "2 older runs: tooth runs --all\n")
    #expect(tooth("runs", "--all").output.split(separator: "\n").count == 23)
    #expect(tooth("runs", "show", "r.ble").errors.contains("could be any of 22 runs"))
  }

  /// A complete name, ID or path takes precedence over a prefix.
  @Test func anExactNameWinsOverAPrefix() throws {
    let state = ["TOOTH_STATE": "\(folder.path)/state"]
    func run(_ words: String...) -> Tooth.Result { Tooth.start(words, environment: state, directory: folder.path).wait() }
    for name in ["prompt", "prompt-2", "prompt-3"] {
      let prompt = Tooth.start(["repl", "--as", name, "--adapter", "sim:demo"], input: "print 1\n", environment: state).wait()
      #expect(prompt.code == 0, "\(prompt)")
    }
    for path in ["lamp", "lamp.ble", "lamp-2.ble"] { folder.file(path, "print 2\n") }
    for path in ["lamp.ble", "lamp-2.ble"] { #expect(run("run", path).code == 0) }
    #expect(run("run", "-e", "print 3", "--as", "lamp-2").code == 0)
    #expect(run("runs", "show", "prompt").output.hasPrefix("prompt-1"), "\(run("runs", "show", "prompt"))")
    let resumed = run("resume", "prompt")
    #expect(resumed.code == 2 && resumed.errors.contains("tooth repl --as prompt\n"), "\(resumed)")
    #expect(run("resume", "prompt-2").errors.contains("tooth repl --as prompt-2\n"))
    #expect(run("runs", "show", "promp").errors.contains("could be any of 3 runs"))
    #expect(run("runs", "show", "prompt-").errors.contains("could be any of 3 runs"))
    let lamp = run("runs", "show", "lamp.ble").output
    #expect(lamp.hasPrefix("lamp-") && run("runs", "show", "lamp").output == lamp)
    #expect(run("runs", "show", "lamp-2").errors.contains("could be any of 2 runs"))
    #expect(run("runs", "drop", "prompt").errors.contains("dropped prompt-1"))
    #expect(tooth("runs").output.contains("prompt-2-"))
  }

  @Test func simulatedTimesAreMarked() {
    folder.file("v.ble", "print 1\nwait 10h\nrun shell \"kill -9 $PPID\"\n")
    let world = ["--adapter", "sim:demo", "--clock", "virtual", "--time-limit", "20h"]
    func run() -> Tooth.Result {
      Tooth.start(["run", "v.ble"] + world, environment: ["TOOTH_STATE": "\(folder.path)/state"], directory: folder.path).wait()
    }
    #expect(run().code == 128 + SIGKILL)
    let list = tooth("runs").output
    #expect(list.contains("killed") && list.contains(" virtual  "), "\(list)")
    let csv = tooth("runs", "--output", "csv").output
    #expect(csv.hasPrefix("id,state,exit_code,process,started,last,clock,recipe,inputs\nv-"), "\(csv)")
    #expect(csv.contains(",killed,,,2026-01-01T00:00:00Z,") && csv.contains(",virtual,"), "\(csv)")
    #expect(tooth("runs", "--output", "json").output.contains("\"clock\":\"virtual\""))
    #expect(tooth("runs", "show", "v").output.contains("clock      virtual"))
    let again = run()
    #expect(again.errors.contains("(killed"), "\(again.errors)")
  }

  /// A run that connects by address does not know the name, but a scan has heard it.
  @Test func statusShowsNamesThatAScanHeard() throws {
    folder.file("slow.ble", Self.slow)
    let environment = [
      "TOOTH_STATE": "\(folder.path)/state", "TOOTH_KEEPER_DIRECTORY": "\(folder.path)/keepers", "TOOTH_ADAPTER": "unix:./air",
    ]
    let air = Tooth.start(["air", "slow.ble", "--listen", "unix:air"], environment: environment, directory: folder.path)
    air.read { $0.complaint.contains("on the air") }
    func start(_ words: String...) -> Tooth.Process { Tooth.start(words, environment: environment, directory: folder.path) }
    // A scan creates no folder to store names.
    mkdir("\(folder.path)/state", 0o700)
    let scan = start("scan", "--time-limit", "2s", "--output", "json").wait()
    let found = try #require(scan.output.firstMatch(of: /"address":"([^"]+)"/), "\(scan)")
    folder.file("r.ble", "connect to \(found.output.1)\nprint \"up\"\nwait forever\n")
    let run = start("run", "r.ble", "--keeper")
    #expect(run.read { $0.text == "up\n" }, "\(run.complaint)")
    let status = start("status").wait()
    #expect(status.output.contains("  ● Strap 7         \(found.output.1.prefix(17))"), "\(status) \(scan.output)")
    // A prompt lists the links that it can share.
    let prompt = try TerminalSession(["repl"], environment: environment, directory: folder.path)
    #expect(
      prompt.read { $0.contains("● Strap 7         \(found.output.1)  held by the keeper for r-") }, "\(prompt.text)")
    prompt.type("status\nquit\n")
    #expect(prompt.wait() == 0 && prompt.text.ranges(of: "held by the keeper for r-").count > 1, "\(prompt.text)")
    let words = Tooth.start(["repl", "--output", "json"], input: "status\n", environment: environment, directory: folder.path)
      .wait()
    #expect(words.output.contains("\"held\":[{\"name\":\"Strap 7\""), "\(words)")
    run.signal(SIGTERM)
    _ = run.wait()
    _ = start("keeper", "stop", "--force").wait()
  }

  @Test func thePageOfStatus() {
    folder.file("r.ble", "print 1\nwait forever\n")
    let environment = ["TOOTH_STATE": "\(folder.path)/state"]
    let run = Tooth.start(["run", "r.ble", "--adapter", "sim:demo"], environment: environment, directory: folder.path)
    #expect(run.read { $0.text == "1\n" })
    let text = tooth("status")
    #expect(text.code == 0)
    #expect(text.output.contains("running (process \(run.pid))  r.ble"), "\(text.output)")
    #expect(text.output.contains("line 2: wait forever"), "\(text.output)")
    let json = tooth("status", "--output", "json").output
    #expect(json.hasPrefix("{\"adapters\":["))
    #expect(json.contains("\"process\":\(run.pid)"))
    run.signal(SIGKILL)
    _ = run.wait()
    #expect(tooth("status").output.contains("killed"))
  }

  // MARK: Completion

  /// The completions that bash offers for this line.
  private func offers(_ line: String) -> [String] {
    let script = """
      PATH=\(parent(of: Tooth.path)):$PATH
      eval "$(tooth completions bash)"
      COMP_LINE=$1 COMP_POINT=${#1}
      _tooth tooth "${1##* }" ""
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let result = Tooth.start(
      ["-c", script, "bash", line], program: "/bin/bash", environment: ["TOOTH_STATE": "\(folder.path)/state"],
      directory: folder.path
    ).wait()
    #expect(!result.errors.contains("command not found"), "\(result.errors)")
    return result.output.split(separator: "\n").map(String.init)
  }

  @Test(arguments: [
    (device: "EC:AD:84:E6:82:49/random", words: ["connect", "to", "my_strap", "then", "read", "battery_level"]),
    (device: "Strap 7", words: ["connect", "to", "my_strap", "then", "read", "battery_level"]),
    (device: "Strap*", words: ["connect to my_strap", "then", "read battery_level of my_strap"]),
    (device: "Strap 7", words: ["scan for my_strap", "then", "connect", "then", "read battery_level"]),
    (device: "EC:AD:84:E6:82:49", words: ["scan for my_strap", "then", "connect to my_strap", "then", "read battery_level"]),
    (device: "Strap 7", words: ["scan", "for", "my_strap", "then", "connect", "then", "read", "battery_level"]),
  ]) func anAliasNamesADeviceInStatements(_ device: String, _ words: [String]) {
    _ = tooth("alias", "my_strap", device)
    let result = Tooth.start(
      ["do"] + words + Self.world, environment: ["TOOTH_STATE": "\(folder.path)/state"], directory: folder.path
    ).wait()
    #expect(result.code == 0 && result.output == "97\n", "\(result)")
  }

  static func has(_ shell: String) -> Bool { access("/usr/bin/\(shell)", X_OK) == 0 }

  /// A line, and what the shell turns it into when Tab is pressed.
  static let completed = [
    ("tooth rea", "tooth read"), ("tooth scan --so", "tooth scan --sort"), ("tooth runs sh", "tooth runs show"),
    ("tooth runs --ou", "tooth runs --output"), ("tooth decode ibea", "tooth decode ibeacon"),
    ("tooth write x battery_level --when-unsure fa", "tooth write x battery_level --when-unsure fail"),
    ("tooth adapter re", "tooth adapter reset"), ("tooth run --repl-at", "tooth run --repl-at-end"),
  ]

  @Test(.enabled(if: has("fish"))) func fishCompletes() {
    let script = """
      set -x PATH \(parent(of: Tooth.path)) $PATH
      tooth completions fish | source
      complete -C $argv[1]
      """
    let parsed = Tooth.start(["--no-execute", "\(Tooth.package)/completions/tooth.fish"], program: "/usr/bin/fish").wait()
    #expect(parsed.code == 0 && parsed.errors.isEmpty, "\(parsed)")
    for (line, whole) in Self.completed {
      let result = Tooth.start(
        ["--no-config", "-c", script, line], program: "/usr/bin/fish", environment: ["HOME": folder.path], directory: folder.path
      ).wait()
      let word = whole.split(separator: " ").last ?? ""
      #expect(result.output.split(separator: "\n").contains { $0.prefix { $0 != "\t" } == word }, "\(line): \(result)")
    }
  }

  @Test(.enabled(if: has("zsh"))) func zshCompletes() throws {
    let script = """
      path=(\(parent(of: Tooth.path)) $path)
      mkdir -p functions
      tooth completions zsh >functions/_tooth
      zmodload zsh/zpty
      zpty z zsh -f -i
      zpty -w z "PROMPT= RPROMPT=; fpath=($PWD/functions \\$fpath); autoload -Uz compinit; compinit -u -D; print RE''ADY"
      zpty -r -m z line '*READY*'
      zpty -w -n z "$1"$'\\t'$'\\C-x'
      # Whatever comes within a while of silence.
      for i in {1..100}; do
        if zpty -r -t z line; then print -rn -- $line; idle=0; else (( ++idle > 20 )) && break; fi
        sleep 0.05
      done
      zpty -d z
      """
    let parsed = Tooth.start(["-n", "\(Tooth.package)/completions/tooth.zsh"], program: "/usr/bin/zsh").wait()
    #expect(parsed.code == 0 && parsed.errors.isEmpty, "\(parsed)")
    for (line, whole) in Self.completed {
      let result = Tooth.start(
        ["-f", "-c", script, "zsh", line], program: "/usr/bin/zsh", environment: ["HOME": folder.path, "TERM": "dumb"],
        directory: folder.path
      ).wait()
      #expect(result.output.contains(whole.dropFirst(6)), "\(line): \(result)")
    }
  }

  @Test func bashCompletes() {
    _ = tooth("alias", "my_strap", "EC:AD:84:E6:82:49/random")
    folder.file("r.ble", "input limit: number = 0\nprint limit\n")
    _ = Tooth.start(
      ["run", "r.ble"] + Self.world, environment: ["TOOTH_STATE": "\(folder.path)/state"], directory: folder.path
    ).wait()
    #expect(offers("tooth rea") == ["read"])
    #expect(offers("tooth read my") == ["my_strap"])
    #expect(offers("tooth read my_strap battery_lev").contains("battery_level"))
    #expect(offers("tooth write my_strap battery_level --when-unsure ") == ["fail", "repeat", "verify", "skip"])
    #expect(offers("tooth runs show r").first?.hasPrefix("r-") ?? false)
    #expect(offers("tooth run r.ble --lim") == ["--limit"])
    #expect(offers("tooth do scan for heart_r").contains("heart_rate"))
    #expect(offers("tooth decode ibea") == ["ibeacon"])
    #expect(offers("tooth run r") == ["r.ble"])
    #expect(offers("tooth explain T23").contains("T231"))
    #expect(offers("tooth nonsense ") == [])
  }

  /// A device is offered once by its address, also if its name cannot be typed.
  @Test func anAddressIsOfferedOnce() throws {
    let environment = ["TOOTH_STATE": "\(folder.path)/state"]
    mkdir("\(folder.path)/state", 0o700)
    let store = try LazySharedStore(in: StateDirectory(path: "\(folder.path)/state")).open()
    try store.hear(
      [("EC:AD:84:E6:82:49/random", "A\nB"), ("C4:7C:8D:6A:12:0F/random", "Flower care")], at: SystemClock.now().wall)
    let offered = Tooth.start(["__complete", "plain", "tooth read "], environment: environment, directory: folder.path).wait()
      .output
      .split(separator: "\n")
    #expect(offered.count == 3 && Set(offered).count == offered.count, "\(offered)")
  }

  /// On a narrow terminal each run has two lines, and nothing is wrapped.
  @Test func runsFitANarrowTerminal() throws {
    let environment = ["TOOTH_STATE": "\(folder.path)/state"]
    folder.file("temperature-logger-of-the-living-room-and-the-kitchen.ble", "fail \"no\"\n")
    folder.file("b.ble", "print 1\n")
    for name in ["temperature-logger-of-the-living-room-and-the-kitchen", "b"] {
      _ = Tooth.start(["run", "\(name).ble", "--as", String(name.prefix(20))], environment: environment, directory: folder.path)
        .wait()
    }
    let session = try TerminalSession(["runs"], environment: environment, directory: folder.path, columns: 60)
    #expect(session.wait() == 0)
    let lines = session.text.split { $0.isNewline }
    #expect(lines.count == 6 && lines.allSatisfy { $0.count <= 60 }, "\(session.text)")
    #expect(lines.first?.hasPrefix("RUN") ?? false, "\(session.text)")
    #expect(lines.indices.allSatisfy { lines[$0].hasPrefix("  ") == ($0 % 2 == 1) }, "\(session.text)")
    let recipes = [1, 3, 5].compactMap { lines.indices.contains($0) ? lines[$0] : nil }
    let titles = Set(
      recipes.map { line in line.distance(from: line.startIndex, to: line.lastIndex { $0 == " " } ?? line.startIndex) })
    #expect(titles.count == 1, "\(session.text)")
  }

  /// `runs show --link` explains the link of this run, and not one of an earlier run.
  @Test func onlyTheLinkOfThisRunIsExplained() {
    folder.file(
      "flaky.ble",
      """
      peripheral p named "Flaky"
        advertise heart_rate every 100ms
        service heart_rate
          characteristic heart_rate_control_point can write
        end
        on write heart_rate_control_point as v
          if v.u8(0) is 9: refuse with 0x80
          disconnect
        end
      end

      """)
    func run(_ text: String) -> Int32 {
      folder.file("st.ble", text)
      return tooth("run", "st.ble", "--fresh", "--adapter", "sim:flaky.ble").code
    }
    let link = "scan for \"Flaky\"\nconnect\n"
    #expect(run(link + "write u8(9) to heart_rate_control_point\n") == 7)
    #expect(tooth("runs", "show", "st", "--link").output.contains("application error (0x80)"))
    #expect(run("print \"fine\"\n") == 0)
    let none = tooth("runs", "show", "st", "--link")
    #expect(none.code == 1 && none.errors.contains("no packets"), "\(none)")
    // The answer to a write is lost with the link.
    #expect(run(link + "write u8(1) to heart_rate_control_point\n") == 10)
    let lost = tooth("runs", "show", "st", "--link")
    #expect(lost.code == 0 && lost.output.contains("lost after") && lost.output.contains("not answered"), "\(lost)")
    #expect(run("fail \"other\"\n") == 1)
    #expect(tooth("runs", "show", "st", "--link").code == 1)
    // Nor does a killed run show what came before it.
    #expect(run(link + "write u8(9) to heart_rate_control_point\n") == 7)
    folder.file("st.ble", "run shell \"kill -9 $PPID\"\n")
    #expect(tooth("run", "st.ble", "--fresh", "--adapter", "sim:flaky.ble").code == 128 + SIGKILL)
    #expect(tooth("runs", "show", "st", "--link").code == 1)
  }
}
