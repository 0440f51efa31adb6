import Glibc
import Linux
import Testing
import Vocabulary

/// Real processes that are killed within a pairing: the next run pairs at most once more, and from
/// then on there is no pairing. Judged by the air's log and by what the runs print.
@Suite struct PairingKillTests {
  private let folder = Folder()

  private static let room = """
    peripheral lock named "Lock"
      passkey "042137"
      advertise 0xFFF0 every 50ms
      service 0xFFF0
        characteristic 0xFFF1 can read needs authentication starts as "open"
      end
    end
    peripheral lamp named "Lamp"
      advertise 0xFFF0 every 50ms
      service 0xFFF0
        characteristic 0xFFF1 can read needs encryption starts as "open"
      end
    end

    """

  private static func recipe(_ device: String) -> String {
    """
    use pairing automatic
    \(device == "Lock" ? "on passkey request\n  answer \"042137\"\nend" : "## It has no code.")
    scan for "\(device)" within 1min
    connect within 1min
    read 0xFFF1 as value
    print value.text()
    disconnect

    """
  }

  enum Victim: String, CaseIterable { case run, keeper, both, alone }

  struct Round: CustomTestStringConvertible, Sendable {
    var victim: Victim
    var device: String
    /// The PDU of the Security Manager after which the victim is killed.
    var pdu: Int

    var testDescription: String { "\(device), \(victim.rawValue) after \(pdu) PDUs" }

    /// Four rounds, and forty with `FULL=1`.
    static var all: [Round] {
      var dice = SplitMix(seed: UInt64(environment("PAIRING_SEED") ?? "") ?? 13)
      return (0..<(environment("FULL") == nil ? 4 : 40)).map { number in
        let isLamp = number % 2 == 0
        return Round(
          victim: Victim.allCases[number / 2 % 4], device: isLamp ? "Lamp" : "Lock", pdu: 1 + Int(dice.next() % (isLamp ? 13 : 86)))
      }
    }
  }

  /// The Security Manager's PDUs in the air's log, by their first octet.
  private var codes: [String] {
    let log = String(decoding: (try? readFile("\(folder.path)/air.log", limit: 1 << 26)) ?? [], as: UTF8.self)
    return log.matches(of: /"cid":6,"bytes":"([0-9a-f]{2})/).map { String($0.output.1) }
  }

  @Test(arguments: Round.all) func theNextRunReadsTheValue(round: Round) throws {
    let environment = [
      "TOOTH_STATE": "\(folder.path)/state", "TOOTH_KEEPER_DIRECTORY": "\(folder.path)/keeper",
      "TOOTH_ADAPTER": "unix:\(folder.path)/air", "HOME": folder.path,
    ]
    func start(_ words: String...) -> Tooth.Process { Tooth.start(words, environment: environment, directory: folder.path) }
    folder.file("room.ble", Self.room)
    folder.file("read.ble", Self.recipe(round.device))
    let air = start("air", "room.ble", "--listen", "unix:\(folder.path)/air", "--log", "air.log")
    try #require(air.read { $0.complaint.contains("on the air") }, "\(air.complaint)")
    func keeper() -> Tooth.Process {
      let process = start("keeper", "run", "--keep", "1min")
      process.read { $0.complaint.contains("its socket is ") }
      return process
    }
    var kept = round.victim == .alone ? nil : keeper()
    let run = start("run", "read.ble", round.victim == .alone ? "--direct" : "--keeper")
    let end = SystemClock.now().moment + .seconds(60)
    while codes.count < round.pdu, SystemClock.now().moment < end {
      _ = Poll.wait(for: [], until: SystemClock.now().moment + .milliseconds(1))
    }
    #expect(codes.count >= round.pdu, "no such pairing: \(run.complaint)")
    if round.victim != .keeper { run.signal(SIGKILL) }
    if round.victim == .keeper || round.victim == .both {
      kept?.signal(SIGKILL)
      _ = kept?.wait()
      kept = keeper()
    }
    // A run that lost only its keeper pairs again by itself.
    let first = run.wait()
    #expect(round.victim != .keeper || first.code == 0 && first.output == "open\n", "\(first)")
    let again = start("run", "read.ble").wait()
    #expect(again.code == 0 && again.output == "open\n", "\(again)")
    // A request during the delay after the first attempt is refused, so responses count.
    let pairings = codes.count { $0 == "02" }
    #expect(pairings <= 2, "\(pairings) pairings")
    let third = start("run", "read.ble").wait()
    #expect(third.code == 0 && third.output == "open\n", "\(third)")
    #expect(codes.count { $0 == "02" } == pairings, "paired, and pairs again")
    kept?.signal(SIGTERM)
    _ = kept?.wait()
    air.signal(SIGKILL)
  }
}
