import Glibc
import Linux
import Testing
import Vocabulary

/// `tooth do`, `read`, `write`, `watch` and `info` on the simulated air, as a user types them.
@Suite struct OneShotTests {
  /// A virtual minute, the same each time.
  static let world = ["--adapter", "sim:demo", "--clock", "virtual", "--time-limit", "1min", "--seed", "7"]

  private static func tooth(_ arguments: [String], _ more: [String: String] = [:]) -> Tooth.Result {
    let folder = Folder()
    return Tooth.start(arguments, environment: ["TOOTH_STATE": folder.path].merging(more) { $1 }).wait()
  }

  @Test func aValueByName() {
    let result = Self.tooth(["read", "Strap 7", "battery_level"] + Self.world)
    #expect(result == Tooth.Result(code: 0, output: "97\n", errors: ""))
  }

  @Test func aValueByAddress() {
    let result = Self.tooth(["read", "ec:ad:84:e6:82:49", "battery_level"] + Self.world)
    #expect(result == Tooth.Result(code: 0, output: "97\n", errors: ""))
  }

  @Test func aValueAsJSON() {
    let result = Self.tooth(["read", "Strap 7", "battery_level", "--output", "json"] + Self.world)
    #expect(result.output.hasPrefix("{\"time\":\"2026-01-01T00:00:"))
    #expect(result.output.hasSuffix("Z\",\"device\":\"Strap 7\",\"line\":4,\"value\":97}\n"))
  }

  /// Each recipe that `--show` prints does what its command does, in every output format.
  @Test(arguments: [
    ["read", "Strap 7", "battery_level"],
    ["read", "Strap 7", "battery_level", "--bytes"],
    ["read", "Strap*", "battery_level"],
    ["read", "EC:AD:84:E6:82:49", "battery_service/battery_level"],
    ["read", "EC:AD:84:E6:82:49/random", "handle 0x0016"],
    ["read", "Strap 7", "battery_level", "0x2A29", "body_sensor_location", "battery_level", "handle 0x0016", "--within", "20s"],
    ["read", "Strap 7", "temperature"],
    ["read", "Nothing \"here\" {at all} \\ \u{202E}", "battery_level", "--within", "3s"],
    ["write", "Strap 7", "battery_level", "5"],
    ["write", "Strap 7", "battery_level", "--hex", "01ff", "--when-unsure", "verify"],
    ["write", "Strap 7", "battery_level", "--text", "say \"{hi}\"", "--without-response"],
    ["write", "Nothing \"here\" {at all} \\ \u{202E}", "battery_level", "5", "--within", "1s"],
    ["pair", "Strap 7"], ["pair", "EC:AD:84:E6:82:49"], ["pair", "Strap 7", "--within", "1s"],
    ["write", "EC:AD:84:E6:82:49", "heart_rate_control_point", "u8(1) + u16(600)", "--within", "5s"],
    ["watch", "Strap 7", "heart_rate_measurement"],
    ["watch", "Strap 7", "heart_rate_measurement", "--times"],
    ["watch", "Strap 7", "heart_rate_measurement", "--count", "3"],
    ["watch", "Strap 7", "heart_rate_measurement", "--count", "2", "--times", "--within", "1min"],
    ["watch", "Room 3", "temperature", "--times"],
    ["watch", "Strap?7", "heart_rate_measurement", "battery_level"],
    ["info", "Strap 7"],
    ["info", "Room*", "--read", "--within", "9s"],
    ["clone", "Strap 7"],
    ["clone", "EC:AD:84:E6:82:49"],
    ["clone", "Room*", "--within", "9s"],
    ["do", "scan", "for", "heart_rate", "then", "connect", "then", "read", "battery_level"],
    ["do", "scan", "for", "Strap 7", "then", "connect", "then", "read", "battery_level", "as", "it_is", "then", "print", "it_is"],
    ["do", "scan for 'Room 3' stronger than -90dBm then connect", "then", "read", "temperature"],
    ["do", "print", "hex", "01 ff"],
  ])
  func theRecipeShownDoesTheSame(command: [String]) {
    let folder = Folder()
    for format in ["text", "json", "csv"] {
      let shown = Self.tooth(command + ["--show-recipe", "--output", format])
      #expect(shown.code == 0)
      #expect(shown.errors == "")
      let path = folder.file("shown.ble", shown.output)
      let own = Self.tooth(command + Self.world + ["--output", format])
      let run = Self.tooth(["run", path, "--output", format] + Self.world)
      #expect(own.code == run.code)
      #expect(own.output == run.output)
      // A command that prints nothing has failed with a reason, or only writes.
      #expect(!own.output.isEmpty || !own.errors.isEmpty)
    }
  }

  /// A long-range device is heard only with `--coded`.
  @Test(arguments: [
    (["read", "Far", "battery_level"], "50\n"), (["read", "Far", "battery_level", "--direct"], "50\n"),
    (["write", "Far", "battery_level", "40"], ""), (["watch", "Far", "battery_level", "--count", "1"], "50\n"),
    (["do", "scan for \"Far\"", "then", "connect", "then", "print", "device.phy"], "coded\n"),
    (["info", "Far"], "battery_level"), (["pair", "Far"], ""),
  ])
  func longRange(_ command: [String], _ said: String) {
    let folder = Folder()
    let path = folder.file(
      "far.ble",
      """
      peripheral far named "Far"
        advertise 0xFFF0 every 100ms with {phy: "coded"}
        service battery_service
          characteristic battery_level can read, write, notify starts as u8(50)
        end
        every 1s: notify battery_level with u8(50)
      end

      """)
    let world = ["--adapter", "sim:\(path)", "--clock", "virtual", "--time-limit", "1min", "--seed", "7"]
    let near = Self.tooth(command + world)
    #expect(near.code != 0 && near.output == "", "\(near)")
    let far = Self.tooth(command + world + ["--coded"])
    #expect(far.code == 0 && (said.hasSuffix("\n") ? far.output == said : said.isEmpty || far.output.contains(said)), "\(far)")
    let shown = Self.tooth(command + ["--coded", "--show-recipe"])
    #expect(shown.output.hasPrefix("use scan coded\n"), "\(shown)")
  }

  @Test func theRecipeOfThePage() {
    #expect(
      Self.tooth(["read", "Strap 7", "battery_level", "--show-recipe"]).output
        == "scan for \"Strap 7\"\nconnect\nread battery_level as value\nprint value\n")
    #expect(
      Self.tooth(["watch", "Strap 7", "temperature", "--show-recipe"]).output == """
        scan for "Strap 7"
        connect
        subscribe to temperature
        on notify temperature as value: print value
        reconnect forever

        """)
    #expect(
      Self.tooth(["watch", "Strap 7", "temperature", "--count", "5", "--show-recipe"]).output == """
        scan for "Strap 7"
        connect
        subscribe to temperature
        repeat 5 times
          wait for notify temperature within 30s as value
          print value
        end

        """)
    #expect(
      Self.tooth(["write", "EC:AD:84:E6:82:49", "0xFF01", "u8(1)", "--show-recipe"]).output
        == "connect to EC:AD:84:E6:82:49\nwrite u8(1) to 0xFF01\n")
    #expect(
      Self.tooth(["do", "scan", "for", "heart_rate", "then", "connect", "then", "read", "battery_level", "--show-recipe"]).output
        == "scan for heart_rate\nconnect\nread battery_level\nprint it\n")
  }

  /// Two lamps with the same name, and devices that each fail in another way.
  private static let odd = """
    peripheral left named "Lamp \\{1}"
      advertise 0xFFF7 every 100ms
      service 0xFFF7
        characteristic 0xFFF2 can read, write starts as "left"
      end
    end
    peripheral right named "Lamp \\{1}"
      advertise 0xFFF7 every 1s
      service 0xFFF7
        characteristic 0xFFF2 can read, write starts as "right"
      end
    end
    peripheral odd named "Odd"
      passkey "042137"
      advertise 0xFFF0 every 100ms
      service 0xFFF0
        characteristic 0xFFF1 can read needs authentication starts as "secret"
        characteristic 0xFFF2 can read, notify starts as hex "01"
      end
      service 0xFFF3
        characteristic 0xFFF4 can read starts as hex "01"
      end
    end
    \(PairCommandTests.panel)
    peripheral gone named "Gone"
      advertise 0xFFF1 every 100ms
      service 0xFFF1
        characteristic 0xFFF2 can read, write starts as "gone"
      end
      on write 0xFFF2: disconnect
    end

    """

  private static func oddly(_ words: [String], in folder: Folder) -> Tooth.Result {
    let path = folder.file("odd.ble", odd)
    return Tooth.start(
      words + ["--adapter", "sim:\(path)", "--clock", "virtual", "--time-limit", "2min", "--seed", "7"],
      environment: ["TOOTH_STATE": folder.path], directory: folder.path
    ).wait()
  }

  /// Commands that change a device need one device: an ambiguous name is refused, also by the
  /// recipe that is shown. Reading takes the first.
  @Test func aNameOfTwoDevicesIsNotWritten() throws {
    let folder = Folder()
    #expect(Tooth.run("alias", "lamp", "Lamp {1}", environment: ["TOOTH_STATE": folder.path]).code == 0)
    let scan = Self.oddly(["scan", "Lamp*", "--output", "csv"], in: folder)
    let addresses = scan.output.split(separator: "\n").dropFirst().compactMap { $0.split(separator: "/").first }
    #expect(addresses.count == 2, "\(scan)")
    for name in ["Lamp {1}", "lamp"] {
      for command in [["write", name, "0xFFF2", "u8(1)"], ["pair", name], ["forget", name]] {
        let refused = Self.oddly(command, in: folder)
        #expect(refused.code == 1 && refused.output.isEmpty, "\(command): \(refused)")
        for said in addresses.map(String.init) + ["have the name Lamp {1}", "address", "tooth alias"] {
          #expect(refused.errors.contains(said), "\(command): \(refused.errors)")
        }
        let shown = Self.oddly(command + ["--show-recipe"], in: folder)
        let run = Self.oddly(["run", folder.file("shown.ble", shown.output)], in: folder)
        #expect(shown.code == 0 && run.code == 1 && run.output.isEmpty, "\(run)")
        for address in addresses { #expect(run.errors.contains(address), "\(run)") }
      }
      #expect(Self.oddly(["read", name, "0xFFF2", "--bytes"], in: folder).code == 0)
    }
    for address in addresses {
      #expect(
        Self.oddly(["write", String(address), "0xFFF2", "u8(1)"], in: folder) == Tooth.Result(code: 0, output: "", errors: ""))
    }
    #expect(Self.oddly(["write", "Gone", "0xFFF2", "u8(1)"], in: folder).code == 10)
  }

  /// A keeper's link to one of two devices does not make their name unambiguous.
  @Test func aNameOfTwoDevicesIsNotWrittenThroughAKeeper() throws {
    let folder = Folder()
    folder.file(
      "twins.ble",
      """
      peripheral one named "Twin"
        advertise 0xFFF0 every 100ms
        service 0xFFF0
          characteristic 0xFFF1 can read, write
        end
        on write 0xFFF1: print "ONE written"
      end
      peripheral two named "Twin"
        advertise 0xFFF0 every 100ms
        service 0xFFF0
          characteristic 0xFFF1 can read, write
        end
        on write 0xFFF1: print "TWO written"
      end
      peripheral solo named "Solo"
        advertise 0xFFF0 every 100ms
        service 0xFFF0
          characteristic 0xFFF1 can read, write
        end
      end

      """)
    let environment = [
      "TOOTH_STATE": "\(folder.path)/state", "TOOTH_KEEPER_DIRECTORY": "\(folder.path)/keepers", "TOOTH_ADAPTER": "unix:./air",
    ]
    func start(_ words: [String]) -> Tooth.Process { Tooth.start(words, environment: environment, directory: folder.path) }
    let air = start(["air", "twins.ble", "--listen", "unix:air"])
    air.read { $0.complaint.contains("on the air") }
    for options in [[], ["--coded"]] {
      let none = Tooth.Result(code: 0, output: "", errors: "no device is paired\n")
      #expect(start(["forget", "--all"] + options).wait() == none)
    }
    folder.file("hold.ble", "scan for \"Twin\"\nconnect\nprint device.address\nwait forever\n")
    let run = start(["run", "hold.ble", "--keeper"])
    #expect(run.read { $0.text.hasSuffix("\n") }, "\(run.complaint)")
    for command in [["write", "Twin", "0xFFF1", "u8(1)"], ["pair", "Twin"], ["forget", "Twin"]] {
      let refused = start(command + ["--keeper"]).wait()
      #expect(refused.code == 1 && refused.output.isEmpty && refused.errors.contains("have the name Twin"), "\(refused)")
      let shown = start(command + ["--keeper", "--show-recipe"]).wait()
      folder.file("shown.ble", shown.output)
      let again = start(["run", "shown.ble", "--keeper"]).wait()
      #expect(shown.code == 0 && again.code == 1 && again.errors.contains("have the name Twin"), "\(shown) \(again)")
    }
    #expect(start(["read", "Twin", "0xFFF1", "--bytes", "--keeper"]).wait().code == 0)
    // A device that is linked and still advertises is one device.
    folder.file("solo.ble", "scan for \"Solo\"\nconnect\nprint \"up\"\nwait forever\n")
    let other = start(["run", "solo.ble", "--keeper"])
    #expect(other.read { $0.text == "up\n" }, "\(other.complaint)")
    let written = start(["write", "Solo", "0xFFF1", "u8(1)", "--keeper"]).wait()
    #expect(written == Tooth.Result(code: 0, output: "", errors: ""), "\(written)")
    other.signal(SIGTERM)
    _ = other.wait()
    #expect(!air.complaint.contains("written"), "\(air.complaint)")
    run.signal(SIGTERM)
    _ = run.wait()
    _ = start(["keeper", "stop", "--force"]).wait()
  }

  /// A hint of a command says what to type on the command line, not what to write in a recipe.
  @Test(arguments: [
    (["read", "Odd", "0xFFF1"], 7, "= note: run `tooth pair Odd` first"),
    (["read", "Odd", "0xFFF1"], 7, "--passkey"),
    (["write", "Odd", "0xFFF4", "u8(1)"], 7, "use 'handle 0x0016' instead of 0xFFF4"),
    (["watch", "Odd", "0xFFF4"], 7, "use 'handle 0x0016' instead of 0xFFF4"),
    (["write", "Gone", "0xFFF2", "u8(1)"], 10, "= note: --when-unsure repeat, verify or skip"),
    (
      ["write", "Gone", "0xFFF2", "u8(1)", "--when-unsure", "verify"], 6,
      "--when-unsure verify makes it safe to run the command again"
    ),
    (
      ["write", "Gone", "0xFFF2", "u8(1)", "--when-unsure", "repeat"], 6,
      "--when-unsure repeat makes it safe to run the command again"
    ),
    (["write", "Odd", "0xFFF2", "1"], 3, "= fix: tooth write Odd 0xFFF2 'u8(1)'"),
    (["write", "Odd", "0xFFF2", "[1, 2]"], 3, "= fix: tooth write Odd 0xFFF2 'hex \"01 02\"'"),
    (["write", "Odd", "0xFFF2", "now()"], 3, "hex \"01 ff\""), (["write", "Odd", "0xFFF2", "5s"], 3, "u16((5s).seconds)"),
    (["write", "Odd", "0xFFF2", "colour + 1"], 3, "nothing is named `colour`"),
    (["write", "Odd", "0xFFF2", "it"], 2, "it is not a value"),
    (["read", "Odd", "batery_level"], 3, "= fix: tooth read Odd battery_level"),
    (["read", "Odd", "battery_level", "batery_level", "--within", "5s"], 3, "= fix: tooth read Odd battery_level battery_level"),
    (["read", "Odd", "0xFFF1", "x", "batery_level"], 3, "= fix: tooth read Odd 0xFFF1 x battery_level"),
    (["write", "Odd", "0xFFF2", "lower(\"a\")"], 3, "= fix: tooth write Odd 0xFFF2 '\"a\".lower()'"),
    (["write", "Odd", "0xFFF2", "\"a\" + 1"], 3, "= fix: tooth write Odd 0xFFF2 '\"a{1}\"'"),
    (["watch", "Odd", "batery_level"], 3, "= fix: tooth watch Odd battery_level"),
    (["pair", "Panel", "--confirm", "111111"], 7, "differ"), (["pair", "Odd", "--passkey", "1"], 2, "six digits"),
  ])
  func hintsAreForACommandLine(_ words: [String], _ code: Int32, _ says: String) {
    let folder = Folder()
    let result = Self.oddly(words, in: folder)
    #expect(result.code == code && result.errors.contains(says), "\(words): \(result)")
    // Hints are plain text; the failed line of the recipe is shown unchanged.
    let hints = result.errors.split(separator: "\n").filter { $0.contains("= note:") || $0.contains("= fix:") || $0.contains("^") }
    let recipes = [
      "`pair`", "`connect`", "`reconnect`", "`scan for", "`use ", "`on ", "`otherwise", "`answer", "`when unsure", "`let ",
      "a format", "as value", "`handle", "`forget`", "`wait for`",
    ]
    for hint in hints {
      for recipe in recipes { #expect(!hint.contains(recipe), "\(words): \(hint)") }
    }
  }

  @Test func everyCharacteristicIsListed() {
    let result = Self.tooth(["info", "Strap 7", "--read", "--output", "csv"] + Self.world)
    let lines = result.output.split(separator: "\n")
    #expect(lines.first == "service,name,handle,uuid,can,value,problem")
    #expect(lines.contains { $0.hasPrefix("battery_service,battery_level,22,0x2A19,") && $0.hasSuffix(",97,") }, "\(result)")
    #expect(lines.count == 11)
  }

  /// Arguments, the exit code, and the expected text.
  @Test(arguments: [
    (["read"], 2, "needs a device"),
    (["read", "Strap 7"], 2, "tooth info 'Strap 7' lists those"),
    (["watch", "Strap 7", "heart_rate_measurement", "--plot", "--field", "bmp"], 2, "did you mean bpm?"),
    (["read", "Strap 7", "battery_level within 3s"], 2, "is not an attribute"),
    (["read", "Strap 7", "battery_level of strap"], 2, "is not an attribute"),
    (["read", "Strap 7", "battery_level\nprint 1"], 2, "is not an attribute"),
    (["read", "Strap 7", "2a19"], 2, "did you mean 0x2a19?"),
    (["read", "Strap 7", "Battery Level"], 2, "did you mean battery_level?"),
    (["watch", "Strap 7", "Battery_Level"], 2, "did you mean battery_level?"),
    (["read", "Strap 7", "batery_level"], 3, "did you mean `battery_level` (0x2A19)?"),
    (["read", "Strop 7", "battery_level", "--within", "2s"], 5, "2 devices were heard in 2s"),
    (["read", "00:11:22:33:44:55", "battery_level", "--within", "2s"], 6, "00:11:22:33:44:55"),
    (["read", "Strap 7", "temperature"], 7, "tooth info 'Strap 7' lists its attributes"),
    (["read", "Strap 7", "heart_rate_measurement"], 7, "read not permitted"),
    (["read", "Strap 7", "battery_level", "--within", "5"], 2, "takes a duration like"),
    (["write", "Strap 7", "battery_level"], 2, "needs a value"),
    (["write", "Strap 7", "battery_level", "1", "--hex", "01"], 2, "writes one value"),
    (["write", "Strap*", "battery_level", "1"], 2, "needs one device, but Strap* may match several"),
    (["write", "Strap 7", "0xFF01", "1"], 3, "this number needs a size: one, two or four bytes"),
    (["write", "Strap 7", "battery_level", "on"], 2, "--text on"),
    (["write", "Strap 7", "battery_level", "u8(1) # x"], 2, "is not a value"),
    (["write", "Strap 7", "battery_level", "300"], 3, "300 does not fit in `battery_level`"),
    (["write", "Strap 7", "alert_level", "hihg"], 2, "its values are none, mild, high"),
    (["write", "Strap 7", "battery_level", "1"], 7, "it cannot be written"),
    (["write", "Strap 7", "battery_level", "1"], 7, "to ask the device all the same"),
    (["write", "Strap 7", "battery_level", "--hex", "xy"], 2, "hex digits"),
    (["write", "Strap 7", "battery_level", "--file", "/nonexistent"], 1, "/nonexistent"),
    (["write", "Strap 7", "battery_level", "1", "--without-response", "--when-unsure", "skip"], 2, "cannot be used together"),
    (["watch", "Strap 7", "battery_level"], 7, "cannot be subscribed to"),
    (["watch", "Strap 7", "heart_rate_measurement", "--count", "0"], 2, "at least 1"),
    (["info", "Strap 7", "battery_level"], 2, "shows one device"),
    (["do"], 2, "needs statements"), (["do", ""], 2, "needs statements"), (["do", "then", " "], 2, "needs statements"),
    (["do", "# nothing"], 2, "needs statements"),
    (["do", "input x: number", "then", "print", "x"], 2, "cannot be given inputs, such as x"),
    (["do", "conect", "to", "EC:AD:84:E6:82:49"], 3, "did you mean `connect`?"),
  ])
  func mistakesAreExplained(command: [String], code: Int32, says: String) {
    let result = Self.tooth(command + Self.world)
    #expect(result.code == code)
    #expect(result.errors.contains(says), "\(result.errors)")
    #expect(result.output == "")
  }

  /// Two attributes that notify, and a link that its peripheral closes.
  private static let pair = """
    peripheral pair named "Pair"
      advertise battery_service every 100ms
      service heart_rate
        characteristic heart_rate_measurement can notify starts as {bpm: 60}
      end
      service battery_service
        characteristic battery_level can read, notify starts as 90
      end
      every 1s: notify battery_level with 91
      every 1500ms: notify heart_rate_measurement with {bpm: 70}
      on connect
        wait 10s
        disconnect
      end
    end
    """

  /// CSV rows have the same columns, whichever attribute notifies.
  @Test func severalAttributesHaveAColumnEach() {
    let folder = Folder()
    let world = [
      "--adapter", "sim:" + folder.file("pair.ble", Self.pair), "--clock", "virtual", "--time-limit", "1h", "--count", "3",
      "--output", "csv",
    ]
    let both = Tooth.start(["watch", "Pair", "battery_level", "heart_rate_measurement"] + world).wait()
    #expect(both.code == 0 && both.errors == "", "\(both)")
    let lines = both.output.split(separator: "\n").map(String.init)
    #expect(lines.first == "battery_level,heart_rate_measurement")
    #expect(lines.count == 4 && lines.contains("91,"), "\(lines)")
    let times = Tooth.start(["watch", "Pair", "battery_level", "--times"] + world).wait()
    #expect(times.output.hasPrefix("time,battery_level\n"), "\(times)")
  }

  @Test func aLostLinkReportsItsReason() {
    let folder = Folder()
    let world = ["--adapter", "sim:" + folder.file("pair.ble", Self.pair), "--clock", "virtual", "--time-limit", "1h"]
    let lost = Tooth.start(["watch", "Pair", "battery_level", "--count", "100"] + world).wait()
    #expect(lost.code == 6 && lost.errors.contains("the link to Pair was lost: closed by the peer"), "\(lost)")
  }

  /// A service without a SIG name is shown by its UUID, and an unreadable value differs from a
  /// readable one.
  @Test func infoShowsUUIDsWhereNoNameExists() {
    let folder = Folder()
    let text = """
      peripheral lamp named "Lamp"
        advertise battery_service every 100ms
        service d1a50001-31c5-4b39-9a3c-6f6d5f1e0001
          characteristic d1a50002-31c5-4b39-9a3c-6f6d5f1e0001 can read needs encryption starts as hex "01"
        end
      end
      """
    let world = [
      "--adapter", "sim:" + folder.file("lamp.ble", text), "--clock", "virtual", "--time-limit", "1h", "--output", "csv",
    ]
    let result = Tooth.start(["info", "Lamp", "--read"] + world).wait()
    let line = result.output.split(separator: "\n").last ?? ""
    #expect(line.hasPrefix("d1a50001-31c5-4b39-9a3c-6f6d5f1e0001,,"), "\(result)")
    #expect(line.contains("\"[\"\"read\"\"]\",,reading d1a50002"), "\(result)")
  }

  /// On a terminal `info` draws a tree, with values in their formats.
  @Test func infoIsATreeOnATerminal() throws {
    let folder = Folder()
    func seen(_ more: String...) throws -> String {
      let session = try TerminalSession(
        ["info", "Strap 7", "--read", "--adapter", "sim:demo", "-q"] + more, environment: ["TOOTH_STATE": folder.path],
        directory: folder.path)
      #expect(session.read { $0.contains("0x2A24") && $0.hasSuffix("\n") }, "\(session.text)")
      return session.text
    }
    let drawn = try seen()
    #expect(drawn.contains("Strap 7  EC:AD:84:E6:82:49  -") && drawn.contains(" dBm  MTU 517  every 50ms  1M\n"), "\(drawn)")
    #expect(drawn.contains("├ battery_service                           0x0014  0x180F\n"), "\(drawn)")
    #expect(drawn.contains("│ └ battery_level              read         0x0016  0x2A19  97 %\n"), "\(drawn)")
    #expect(drawn.contains("  └ model_number_string        read         0x001B  0x2A24  \"S7\"\n"), "\(drawn)")
    #expect(try seen("--ascii").contains("| `-battery_level              read         0x0016  0x2A19  97 %\n"))
    let plain = try seen("--plain")
    #expect(plain.contains("service=battery_service name=battery_level handle=22") && !plain.contains("\u{1B}"), "\(plain)")
  }

  /// Redrawn lines are not written to a pipe, whatever the command.
  @Test(arguments: [["--plain"], []]) func plainOutputRedrawsNothing(_ more: [String]) throws {
    let folder = Folder()
    let session = try TerminalSession(
      ["read", "Strap 7", "battery_level", "--adapter", "sim:demo"] + more,
      environment: ["TOOTH_STATE": folder.path, "ACCESSIBLE": more.isEmpty ? "1" : ""], directory: folder.path)
    #expect(session.read { $0.hasSuffix("97\n") }, "\(session.text)")
    #expect(!session.text.contains("\r") && !session.text.contains("\u{1B}"), "\(session.text)")
  }

  @Test(arguments: [[], ["--times"], ["--times", "--output", "csv"]]) func aSilentDeviceEndsACountedWatch(_ more: [String]) {
    let folder = Folder()
    let path = folder.file(
      "quiet.ble",
      """
      peripheral quiet named "Quiet"
        advertise battery_service every 100ms
        service battery_service
          characteristic battery_level can read, notify starts as u8(5)
        end
      end

      """)
    let words = ["watch", "Quiet", "battery_level", "--count", "2", "--adapter", "sim:\(path)", "--clock", "virtual"]
    let result = Tooth.start(words + ["--time-limit", "10min"] + more).wait()
    #expect(result.code == 8 && result.errors.contains("within 30s"), "\(result)")
  }

  /// A custom format encodes the initial value of an attribute, even if no statement names the
  /// attribute.
  @Test func aFirstValueHasItsFormat() {
    let folder = Folder()
    let path = folder.file(
      "own.ble",
      """
      let named = 5c1d0002-7e40-4f6e-9a0b-3d2f11aa0001
      format pair for characteristic named
        a is u8
        b is u8
      end
      format other for characteristic 0xFFF1
        n is u8
        l is list(n) of u8
      end
      peripheral own named "Own"
        advertise 0xFFF0 every 100ms
        service 0xFFF0
          characteristic named can read starts as {a: 1, b: 2}
          characteristic 0xFFF1 can read starts as {l: [7, 8]}
        end
      end

      """)
    let words = ["read", "Own", "5c1d0002-7e40-4f6e-9a0b-3d2f11aa0001", "0xFFF1", "--output", "csv"]
    let result = Tooth.start(words + ["--adapter", "sim:\(path)", "--clock", "virtual", "--time-limit", "1h"]).wait()
    #expect(result.code == 0 && result.output.hasSuffix("0102,020708\n"), "\(result)")
  }

  /// A refused value is a field of its row; a lost link is a failure.
  @Test func infoOfADeviceThatLeavesFails() {
    let folder = Folder()
    let path = folder.file(
      "mid.ble",
      """
      peripheral mid named "Mid"
        advertise 0xFFF0 every 100ms
        service 0xFFF0
          characteristic 0xFFF1 can read starts as "x"
          characteristic 0xFFF2 can read starts as "x"
        end
        on read 0xFFF2: disconnect
      end

      """)
    let words = ["info", "Mid", "--read", "--adapter", "sim:\(path)", "--clock", "virtual", "--time-limit", "1h"]
    let result = Tooth.start(words).wait()
    #expect(result.code == 6 && result.output.contains("uuid=0xFFF1") && result.errors.contains("was lost"), "\(result)")
  }

  /// A copy of a copy equals the copy, whatever the device's name and table.
  @Test func aCloneCanBeServed() {
    let folder = Folder()
    let text = #"""
      peripheral odd named "x \"q\" \{a}\\ \n end"
        advertise 0xFFF0, 0xFFF1 every 100ms with {manufacturer: {company: 0x0499, data: hex "01 02"}, tx_power: 4}
        service 0xFFF0
          include 5c1d0001-7e40-4f6e-9a0b-3d2f11aa0001
          include battery_service[1]
          characteristic heart_rate_measurement can notify, read starts as hex "01"
            descriptor characteristic_user_description can read starts as "abc"
          characteristic heart_rate_measurement can indicate, read needs authentication starts as hex "0102"
        end
        secondary service 5c1d0001-7e40-4f6e-9a0b-3d2f11aa0001
          include battery_service[0]
          characteristic battery_level can read, write reliably, write without response starts as u8(5)
        end
        service battery_service
          characteristic battery_level can read
        end
        service battery_service
          characteristic battery_level can read starts as u8(7)
        end
      end

      """#
    func clone(_ path: String) -> Tooth.Result {
      Tooth.start(["clone", "x*", "--adapter", "sim:\(path)", "--clock", "virtual", "--time-limit", "1h"]).wait()
    }
    func body(_ text: String) -> String { String(text[(text.firstIndex(of: "\n") ?? text.startIndex)...]) }
    let first = clone(folder.file("odd.ble", text))
    #expect(first.code == 0 && first.errors == "", "\(first)")
    #expect(
      body(first.output) == #"""

        peripheral copy named "x \"q\" \{a}\\ \n end"
          advertise 0xFFF0, 0xFFF1 with {manufacturer: {company: 1177, data: hex "0102"}, tx_power: 4}
          service generic_access
            characteristic device_name can read starts as hex "7820227122207b617d5c200a20656e64"
            characteristic appearance can read starts as hex "0000"
          end
          service 0xFFF0
            include 5c1d0001-7e40-4f6e-9a0b-3d2f11aa0001
            include battery_service[1]
            characteristic heart_rate_measurement can read, notify starts as hex "01"
              descriptor characteristic_user_description can read starts as hex "616263"
            characteristic heart_rate_measurement can read, indicate read needs encryption
          end
          secondary service 5c1d0001-7e40-4f6e-9a0b-3d2f11aa0001
            include battery_service[0]
            characteristic battery_level can read, write without response, write, write reliably starts as hex "05"
          end
          service battery_service
            characteristic battery_level can read
          end
          service battery_service
            characteristic battery_level can read starts as hex "07"
          end
        end

        """#)
    // An attribute that is unreadable, duplicated or not copied does not affect the others.
    let awkward = #"""
      peripheral awkward named "x200"
        advertise 5c1d0001-7e40-4f6e-9a0b-3d2f11aa0001 with {name: "xs"}
        service generic_access
          characteristic device_name can read starts as "xs in full"
          characteristic appearance can read, write reliably starts as hex "4103"
            descriptor 0x2900 can read needs authentication starts as hex "0100"
        end
        service 5c1d0001-7e40-4f6e-9a0b-3d2f11aa0001
          include generic_access
          characteristic appearance can read starts as hex "4203"
        end
        service 5c1d0001-7e40-4f6e-9a0b-3d2f11aa0001
          characteristic 0xFFF1 can read
        end
        on read appearance: refuse with 0x05
      end

      """#
    let second = clone(folder.file("awkward.ble", awkward))
    #expect(second.code == 0 && second.output.contains("  advertise 5c1d0001-7e40-4f6e-9a0b-3d2f11aa0001\n"), "\(second)")
    #expect(second.output.contains("named \"xs\"\n") && second.output.contains("starts as hex \"787320696e2066756c6c\"\n"))
    #expect(Tooth.start(["check", folder.file("awkward copy.ble", second.output)]).wait().code == 0, "\(second)")
    // A name cannot bring control characters into the file.
    let hostile = clone(
      folder.file(
        "hostile.ble",
        #"peripheral p named "x\u{1b}[31m\u{202e}\n\r\t\u{85}\\u\{41}""# + "\n  advertise 0xFFF1\n  service 0xFFF1\n  end\nend\n"))
    #expect(hostile.code == 0 && hostile.output.unicodeScalars.allSatisfy { $0 == "\n" || !Shown.isHostile($0) }, "\(hostile)")
    #expect(body(clone(folder.file("hostile copy.ble", hostile.output)).output) == body(hostile.output), "\(hostile)")
    let path = folder.file("copy.ble", first.output)
    let checked = Tooth.start(["check", path]).wait()
    #expect(checked.code == 0 && !checked.errors.contains("warning"), "\(checked)")
    #expect(body(clone(path).output) == body(first.output))
  }

  @Test func valuesAreDrawn() {
    let world = ["--adapter", "sim:demo", "--clock", "virtual", "--time-limit", "1h"]
    let words = ["watch", "Strap 7", "heart_rate_measurement", "--count", "3"]
    let plain = Tooth.start(words + world).wait()
    let drawn = Tooth.start(words + ["--plot", "--field", "bpm"] + world).wait()
    #expect(drawn.code == 0 && drawn.output == plain.output)
    #expect(drawn.errors.hasPrefix("bpm of Strap 7 · now 63 · 61 to 63 · 3 values\n 63 ┤  █\n"), "\(drawn.errors)")
    #expect(!drawn.errors.contains("\u{1B}"))
    #expect(Tooth.start(words + ["--field", "bpm"] + world).wait().code == 2)
    #expect(Tooth.start(words + ["--plot", "--show-recipe"]).wait().output == Tooth.start(words + ["--show-recipe"]).wait().output)
  }

  @Test func quotesOfADeviceNameReachTheRecipe() {
    let wrong = Self.tooth(["do", "scan", "for", "Room"] + Self.world)
    #expect(wrong.code == 3 && wrong.errors.contains("the shell removes quotes, so write '\"Room\"'"), "\(wrong)")
    #expect(Self.tooth(["do", "scan", "for", "\"Room\"", "--within", "1s"] + Self.world).code != 3)
  }

  /// A device drops a command that it does not support, so it is refused before it is sent.
  @Test func aCommandThatTheDeviceCannotTakeIsRefused() {
    let folder = Folder()
    let path = folder.file(
      "p.ble",
      "peripheral p named \"P\"\n  advertise 0x1111\n  service 0x1111\n    characteristic 0x2222 can read, write starts as hex \"00\"\n"
        + "    characteristic 0x3333 can read starts as hex \"00\"\n    characteristic 0x4444 can write without response\n  end\nend\n"
    )
    let world = ["--adapter", "sim:\(path)", "--clock", "virtual", "--time-limit", "1min"]
    func write(_ words: String...) -> Tooth.Result { Tooth.start(["write", "P"] + words + world).wait() }
    let refused = write("0x2222", "u8(7)", "--without-response")
    #expect(refused.code == 7 && refused.errors.contains("it cannot be written without response"), "\(refused)")
    #expect(refused.errors.contains("leave out --without-response"), "\(refused)")
    #expect(write("0x3333", "u8(7)", "--without-response").errors.contains("it cannot be written"))
    #expect(write("0x2222", "u8(7)").code == 0 && write("0x4444", "u8(7)", "--without-response").code == 0)
  }

  @Test func withoutAnAdapterItExits9() {
    let result = Self.tooth(["read", "Strap 7", "battery_level", "--adapter", "unix:/nonexistent/air"])
    #expect(result.code == 9)
    #expect(result.errors.contains("/nonexistent/air"))
  }

  @Test func aReaderThatLeavesEndsItQuietly() {
    let folder = Folder()
    let script = "'\(Tooth.path)' watch 'Strap 7' heart_rate_measurement --adapter sim:demo | head -n 1; echo ${PIPESTATUS[0]}"
    let result = Tooth.start(["-c", script], program: "/bin/bash", environment: ["TOOTH_STATE": folder.path]).wait()
    let lines = result.output.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.first?.hasPrefix("bpm=") ?? false)
    #expect(lines.last == "0")
    #expect(result.errors == "")
  }

  /// `--text` writes UTF-8, even to an attribute whose format is a number or has words.
  @Test(arguments: [
    ("body_sensor_location", "finger", 6), ("body_sensor_location", "foo", 3), ("battery_level", "5", 1), ("0xFFF1", "é", 2),
  ])
  func textIsWrittenAsUTF8(attribute: String, text: String, octets: Int) {
    let folder = Folder()
    let file = folder.file(
      "thing.ble",
      """
      peripheral thing named "Thing"
        advertise 0xFFF0 every 100ms
        service 0xFFF0
          characteristic body_sensor_location can read, write starts as u8(1)
          characteristic battery_level can read, write starts as u8(50)
          characteristic 0xFFF1 can read, write
        end
      end

      """)
    let result = Self.tooth(
      ["write", "Thing", attribute, "--text", text, "-v", "--adapter", "sim:\(file)", "--clock", "virtual", "--time-limit", "1min"])
    #expect(result.code == 0 && result.errors.contains("\(octets) byte"), "\(result)")
  }

  @Test func reportsAFullDisk() {
    let folder = Folder()
    let script = "'\(Tooth.path)' read 'Strap 7' battery_level \(Self.world.joined(separator: " ")) >/dev/full"
    let result = Tooth.start(["-c", script], program: "/bin/bash", environment: ["TOOTH_STATE": folder.path]).wait()
    #expect(result.code == 1)
    #expect(result.errors.contains("No space left"))
  }

  @Test func controlCEndsIt() {
    let folder = Folder()
    let watch = Tooth.start(
      ["watch", "Strap 7", "heart_rate_measurement", "--adapter", "sim:demo"], environment: ["TOOTH_STATE": folder.path])
    #expect(watch.read { $0.text.contains("\n") })
    watch.signal(2)
    let result = watch.wait()
    #expect(result.code == 130)
    #expect(result.errors == "")
  }
}
