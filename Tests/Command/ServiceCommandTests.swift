import Glibc
import Linux
import Testing
import Vocabulary

/// `tooth service`, with a `systemctl` that records its arguments.
@Suite struct ServiceCommandTests {
  let folder = Folder()

  init() {
    mkdir("\(folder.path)/bin", 0o755)
    let script = folder.file(
      "systemctl",
      """
      #!/bin/sh
      echo "$*" >>"\(folder.path)/told"
      case "$*" in
        *show-environment*) [ ! -e "\(folder.path)/down" ] || { echo "Failed to connect to bus: No medium found" >&2; exit 1; } ;;
        *restart*) [ ! -e "\(folder.path)/broken" ] || { echo "Job failed" >&2; exit 1; } ;;
        *StatusText*) printf 'ActiveState=active\\nStatusText=line 2: wait 1h\\n' ;;
      esac

      """)
    _ = folder.executable("bin/systemctl", copying: script)
    folder.file("r.ble", "input limit: number = 3\nprint limit\nwait 1h\n")
  }

  func service(_ arguments: String..., path: String? = nil) -> Tooth.Result {
    Tooth.start(
      ["service"] + arguments,
      environment: ["PATH": path ?? "\(folder.path)/bin:/usr/bin:/bin", "HOME": folder.path], directory: folder.path
    ).wait()
  }

  var unit: String { ".config/systemd/user/tooth-r.service" }

  @Test func installsAndRemovesAService() throws {
    let made = service("install", "r.ble", "--user", "--", "--limit", "5", "--adapter", "unix:/tmp/a b")
    #expect(made.code == 0, "\(made.errors)")
    let text = try #require(folder.content(unit))
    let place = try #require(realPath(folder.path))
    #expect(text.hasPrefix("# Made by tooth service install"))
    #expect(text.contains("\nExecStart=\(Tooth.path) run \(place)/r.ble --limit 5 --adapter \"unix:/tmp/a b\"\n"), "\(text)")
    for line in ["Type=notify", "WatchdogSec=30", "Restart=on-failure", "WorkingDirectory=\(place)", "WantedBy=default.target"] {
      #expect(text.contains("\n\(line)\n"), "\(line)")
    }
    let told = (folder.content("told") ?? "").split(separator: "\n").map {
      $0.split(separator: " ").dropFirst(3).joined(separator: " ")
    }
    #expect(told == ["show-environment", "daemon-reload", "enable tooth-r.service", "restart tooth-r.service"])
    #expect(folder.content("told")?.hasPrefix("--user ") ?? false)

    #expect(service("status", "--user").output == "r                     active      line 2: wait 1h\n")
    let json = service("status", "--user", "--output", "json").output
    #expect(json.hasPrefix(#"{"name":"r","unit":"tooth-r.service","state":"active","doing":"line 2: wait 1h","command":""#))

    let gone = service("remove", "r", "--user")
    #expect(gone.code == 0)
    #expect(folder.content(unit) == nil)
    #expect(folder.content("told")?.contains("disable --now tooth-r.service") ?? false)
    #expect(service("remove", "r.ble", "--user").errors.contains("there is no service r"))
    #expect(service("--user").errors.contains("no recipe is a service"))
  }

  @Test func noStartDoesNotCallSystemd() {
    #expect(service("install", "r.ble", "--user", "--no-start", "--as", "mine", path: "/nonexistent").code == 0)
    #expect(folder.content(".config/systemd/user/tooth-mine.service") != nil)
    #expect(folder.content("told") == nil)
  }

  @Test func printWritesNothing() {
    let shown = service("install", "r.ble", "--user", "--print")
    #expect(shown.code == 0)
    #expect(shown.output.contains("ExecStart="))
    #expect(folder.content(unit) == nil)
    #expect(folder.content("told") == nil)
  }

  @Test func refusesToInstallAServiceThatCannotRun() {
    func refused(_ code: Int32, _ words: String, _ arguments: [String]) {
      let result = Tooth.start(
        ["service", "install"] + arguments, environment: ["PATH": "\(folder.path)/bin:/usr/bin:/bin", "HOME": folder.path],
        directory: folder.path
      ).wait()
      #expect(result.code == code, "\(arguments) \(result.errors)")
      #expect(result.errors.contains(words), "\(arguments) \(result.errors)")
    }
    folder.file("bad.ble", "conect\n")
    folder.file("needs.ble", "input name: text\nprint name\n")
    refused(2, "needs a recipe", [])
    refused(2, "there is no file", ["none.ble", "--user"])
    refused(3, "did you mean", ["bad.ble", "--user"])
    refused(2, "the input name is missing", ["needs.ble", "--user"])
    refused(2, "--limit takes a number", ["r.ble", "--user", "--", "--limit", "warm"])
    refused(2, "did you mean --limit?", ["r.ble", "--user", "--", "--limt", "1"])
    refused(2, "not more", ["r.ble", "--user", "--", "more"])
    refused(2, "--as is not for a service", ["r.ble", "--user", "--", "--as", "x"])
    refused(2, "in a file that all users can read", ["r.ble", "--user", "--", "--secret", "a=b"])
    refused(9, "there is no adapter usb:0", ["r.ble", "--user", "--", "--adapter", "usb:0"])
    refused(2, "letters, digits", ["r.ble", "--user", "--as", "a/b"])
    #expect(folder.content("told") == nil)
    #expect(folder.content(unit) == nil)
    #expect(service("instal").errors.contains("did you mean install?"))
  }

  @Test func withoutSystemdNothingIsWritten() {
    let absent = service("install", "r.ble", "--user", path: "/nonexistent")
    #expect(absent.code == 1)
    #expect(absent.errors.contains("there is no systemctl"), "\(absent.errors)")
    #expect(absent.errors.contains("--no-start"))
    folder.file("down", "")
    let down = service("install", "r.ble", "--user")
    #expect(down.code == 1)
    #expect(down.errors.contains("systemd does not answer: Failed to connect to bus"), "\(down.errors)")
    #expect(folder.content(unit) == nil)
  }

  @Test func reportsAServiceThatDoesNotStart() {
    folder.file("broken", "")
    let result = service("install", "r.ble", "--user")
    #expect(result.code == 1)
    #expect(result.errors.contains("restart tooth-r.service failed: Job failed"), "\(result.errors)")
  }

  @Test func leavesUnitsOfOthersUnchanged() {
    #expect(service("install", "r.ble", "--user", "--no-start").code == 0)
    folder.file(unit, "[Service]\nExecStart=/bin/true\n")
    #expect(service("install", "r.ble", "--user").errors.contains("was not made by tooth service install"))
    #expect(service("remove", "r", "--user").errors.contains("was not made by tooth service install"))
    #expect(folder.content(unit) == "[Service]\nExecStart=/bin/true\n")
    #expect(service("status", "--user").output == "")
  }

  // MARK: doctor

  @Test func theDoctorLooksAtThisMachine() {
    let state = ["TOOTH_STATE": "\(folder.path)/state", "TOOTH_KEEPER_DIRECTORY": "\(folder.path)/keepers"]
    folder.file("file", "")
    let file = Tooth.run("doctor", "--state", "\(folder.path)/file")
    #expect(file.output.contains("BAD   checkpoints  \(folder.path)/file is not a folder\n"), "\(file)")
    let inFile = Tooth.run("doctor", "--state", "\(folder.path)/file/deep/state")
    #expect(inFile.output.contains("deep/state cannot be created: \(folder.path)/file is not a folder\n"), "\(inFile)")
    let empty = Tooth.run("doctor", environment: state)
    #expect([0, 1, 9].contains(empty.code), "\(empty.errors)")
    #expect(empty.output.contains("\(folder.path)/state does not exist yet"))
    #expect(empty.output.contains("versions     tooth "))
    #expect(empty.output.contains("SQLite 3."))
    #expect(empty.errors == "")
    // Querying creates nothing.
    #expect(realPath("\(folder.path)/state") == nil)

    folder.file("r.ble", "print 1\n")
    let valve = "sim:\(Tooth.package)/recipes/devices/valve.ble"
    #expect(Tooth.run("run", "r.ble", "--adapter", valve, environment: state, directory: folder.path).code == 0)
    #expect(Tooth.run("doctor", environment: state).output.contains("has 1 run in "))
    let run = Files.names(in: "\(folder.path)/state").first { $0.hasSuffix(".db") && $0 != "shared.db" } ?? ""
    folder.file("state/\(run)", String(repeating: "rubbish", count: 1000))
    let damaged = Tooth.run("doctor", "--output", "json", environment: state)
    #expect(damaged.output.contains("\"area\":\"checkpoints\",\"good\":false,\"text\":\"unreadable in "), "\(damaged.output)")
    #expect([9, 11].contains(damaged.code))
    // A socket without a listener.
    mkdir("\(folder.path)/keepers", 0o700)
    folder.file("keepers/hci7.socket", "")
    let keeper = Tooth.run("doctor", environment: state)
    #expect(keeper.code == 9)
    #expect(keeper.output.contains("BAD   keeper       the keeper at \(folder.path)/keepers/hci7.socket has a problem"))
  }
}
