import Glibc
import Testing

/// The exit code of every one-shot command in every situation, as EXIT STATUS of tooth(1) says.
@Suite struct ExitCodeTests {
  private let folder = Folder()
  private let air: String

  init() { air = folder.file("world.ble", Self.world) }

  private static let world = """
    peripheral open named "Open"
      advertise 0xFFF0 every 100ms
      service 0xFFF0
        characteristic 0xFFF1 can read, write, notify starts as hex "01"
      end
      every 1s: notify 0xFFF1 with hex "02"
    end
    peripheral left named "Twin"
      advertise 0xFFF0 every 100ms
      service 0xFFF0
        characteristic 0xFFF1 can read, write, notify starts as hex "01"
      end
      every 1s: notify 0xFFF1 with hex "02"
    end
    peripheral right named "Twin"
      advertise 0xFFF0 every 100ms
      service 0xFFF0
        characteristic 0xFFF1 can read, write, notify starts as hex "01"
      end
      every 1s: notify 0xFFF1 with hex "02"
    end
    peripheral locked named "Locked"
      passkey "042137"
      advertise 0xFFF0 every 100ms
      service 0xFFF0
        characteristic 0xFFF1 can read, write, notify needs authentication starts as hex "01"
      end
    end
    peripheral mute named "Mute"
      advertise 0xFFF0 every 100ms
      service 0xFFF0
        characteristic 0xFFF1 can read, write starts as hex "01"
      end
      on read 0xFFF1: wait 1h
      on write 0xFFF1: wait 1h
    end

    """

  /// DEVICE stands for the device.
  private static let commands = [
    ["read", "DEVICE", "0xFFF1", "--bytes"], ["write", "DEVICE", "0xFFF1", "u8(1)"], ["watch", "DEVICE", "0xFFF1", "--count", "1"],
    ["info", "DEVICE", "--read"], ["clone", "DEVICE"], ["pair", "DEVICE"], ["forget", "DEVICE"], ["scan", "DEVICE"],
    ["do", "scan", "for", "\"DEVICE\"", "then", "connect", "then", "read", "raw", "0xFFF1"],
  ]

  private func command(_ words: [String], _ device: String, _ adapter: [String]? = nil) -> [String] {
    let virtual = [
      "--adapter", "sim:\(air)", "--clock", "virtual", "--seed", "7", "--time-limit", "2min",
    ]
    return words.map { $0.replacing("DEVICE", with: device) } + (adapter ?? virtual)
  }

  private var environment: [String: String] { ["TOOTH_STATE": "\(folder.path)/state"] }

  /// A device and the codes of the commands above.
  @Test(arguments: [
    ("Open", [0, 0, 0, 0, 0, 0, 0, 0, 0]),
    // Nobody has the name.
    ("Nobody", [5, 5, 5, 5, 5, 5, 5, 5, 5]),
    // Two have it: what changes a device takes neither.
    ("Twin", [0, 1, 0, 0, 0, 1, 1, 0, 0]),
    // It refuses. `info` shows what it can, and a bond needs no code.
    ("Locked", [7, 7, 7, 0, 0, 0, 0, 0, 7]),
    // It never answers. Whether a write was done is unknown.
    ("Mute", [8, 10, 7, 8, 8, 0, 0, 0, 8]),
    // It is not in range.
    ("00:11:22:33:44:55", [6, 6, 6, 6, 6, 6, 0, 5, 5]),
  ])
  func eachSituationHasItsCode(device: String, codes: [Int32]) {
    for (words, code) in zip(Self.commands, codes) {
      let result = Tooth.start(command(words, device), environment: environment).wait()
      #expect(result.code == code, "\(words) of \(device): \(result)")
      #expect(code == 0 || !result.errors.isEmpty, "\(words) of \(device) fails without a word")
    }
  }

  @Test func withoutAnAdapterEachExits9() {
    // `forget` and `do` of what needs no adapter are not among them.
    for words in Self.commands {
      let result = Tooth.start(
        command(words, "Open", ["--adapter", "unix:\(folder.path)/none"]), environment: environment
      ).wait()
      #expect(result.code == 9 && result.output.isEmpty && result.errors.contains("/none"), "\(words): \(result)")
    }
  }

  /// A full disk is a failure, and a reader that closes its pipe early is not.
  @Test func eachReportsAFullDiskAndLeavesWithItsReader() {
    for words in Self.commands where words[0] != "write" {
      func run(_ rest: String) -> Tooth.Result {
        let line = ([Tooth.path] + command(words, "Open")).map { "'\($0)'" }.joined(separator: " ")
        return Tooth.start(["-c", line + rest], program: "/bin/bash", environment: environment).wait()
      }
      let full = run(" >/dev/full")
      #expect(full.code == 1 && full.errors.contains("No space left"), "\(words): \(full)")
      let closed = run(" 2>&1 | exec 0<&-; echo ${PIPESTATUS[0]}")
      #expect(closed.output == "0\n", "\(words): \(closed)")
    }
  }

  /// Ctrl-C while the device is searched for, for real.
  @Test func eachEndsWithCtrlC() {
    let processes = Self.commands.map { words in
      Tooth.start(command(words, "Nobody", ["--adapter", "sim:\(air)", "-v"]), environment: environment)
    }
    for (words, process) in zip(Self.commands, processes) {
      // The scan is on.
      #expect(process.read { !$0.complaint.isEmpty }, "\(words) says nothing")
      process.signal(SIGINT)
      let result = process.wait()
      #expect(result.code == (words[0] == "scan" ? 5 : 130), "\(words): \(result)")
    }
  }
}
