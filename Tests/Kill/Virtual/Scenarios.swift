import Judgement
import Vocabulary

/// The recipes of the project as scenarios, with the facts that the judge may take as given.
extension Scenario {
  /// The handles of the simulated devices: GAP and GATT come first.
  enum Handles {
    static let beat = 0x0010
    static let beatConfiguration = 0x0011
    static let serviceChangedConfiguration = 0x0009
    static let temperature = 0x0010
    static let valve = 0x0010
  }

  /// `recipes/heart-rate.ble` for two virtual minutes. At its end it prints its count.
  static let heartRate = Scenario(
    name: "heart-rate", recipe: "recipes/heart-rate.ble", devices: "recipes/devices/heart-rate-strap.ble",
    edits: [("\nreconnect forever", "\non stop as why: print \"counted {beats}\"\n\nreconnect forever")], duration: .seconds(120),
    files: ["beats.csv"],
    facts: { address in
      var facts = Facts()
      let strap = address("strap")
      facts.devices = [
        Facts.Device(address: strap, subscriptions: [Handles.beatConfiguration, Handles.serviceChangedConfiguration])
      ]
      facts.output.source = .notifications(device: strap, handle: Handles.beat)
      facts.output.file = "beats.csv"
      facts.output.header = "time,bpm,number"
      facts.output.row = { row in
        let cells = row.split(separator: ",", omittingEmptySubsequences: false)
        return cells.count == 3 && cells[0].hasPrefix("2026-") && cells[0].utf8.count >= 20 ? "\(cells[1]) \(cells[2])" : nil
      }
      facts.output.rowOf = { value, _ in "\(Facts.beat(value).bpm) \(Facts.beat(value).number)" }
      facts.output.lineOf = { value, _ in "\(Facts.beat(value).bpm) bpm" }
      facts.output.line = { $0.hasSuffix(" bpm") ? $0 : nil }
      facts.output.counter = { Facts.beat($0).number }
      facts.output.count = { $0.hasPrefix("counted ") ? Int($0.dropFirst(8)) : nil }
      facts.output.announcesContinuation = { $0.contains("continues at ") }
      return facts
    })

  /// The link is lost three times: by request, by a strap that walks away, and at once at both
  /// ends.
  static var heartRateWithLosses: Scenario {
    var scenario = heartRate
    scenario.name = "heart-rate-losses"
    scenario.duration = .seconds(80)
    scenario.faults = [
      Fault(at: .milliseconds(10_300)) { air in air.controller(of: "strap").map { strap in air.make { $0.drop(strap, at: $0.now) } }
      },
      Fault(at: .milliseconds(30_020)) { air in
        air.controller(of: "strap").map { strap in air.make { $0.vanish(strap, at: $0.now) } }
      },
      Fault(at: .milliseconds(40_500)) { air in
        air.controller(of: "strap").map { strap in air.make { $0.appear(strap, at: $0.now) } }
      },
      Fault(at: .milliseconds(55_060)) { air in
        air.controller(of: "strap").map { strap in air.make { $0.drop(strap, atOnce: true, at: $0.now) } }
      },
    ]
    let losses = scenario.faults.map { $0.at }
    scenario.isKilledAt = { effect, at in
      let time = at - Moment.zero
      return effect % 6 == 0 || losses.contains { time >= $0 && time < $0 + .seconds(7) && effect % 2 == 0 }
    }
    return scenario
  }

  /// Every fourth PDU is lost.
  static var heartRateOnABadLink: Scenario {
    var scenario = heartRate
    scenario.name = "heart-rate-bad-link"
    scenario.duration = .seconds(15)
    scenario.faults = [Fault(at: .zero) { air in air.make { $0.loss = 0.25 } }]
    return scenario
  }

  /// A strap with a GATT service of its own, without a Database Hash.
  static var heartRateWithoutHash: Scenario {
    var scenario = heartRate
    scenario.name = "heart-rate-no-hash"
    scenario.duration = .seconds(15)
    scenario.deviceEdits = [
      (
        "  service heart_rate\n",
        "  service generic_attribute\n    characteristic service_changed can indicate\n  end\n  service heart_rate\n"
      )
    ]
    let facts = scenario.facts
    scenario.facts = { address in
      // Without hash and Client Supported Features, its GATT service is four attributes shorter.
      var facts = facts(address)
      facts.devices[0].subscriptions = [Handles.beatConfiguration - 4, Handles.serviceChangedConfiguration]
      facts.output.source = .notifications(device: address("strap"), handle: Handles.beat - 4)
      return facts
    }
    return scenario
  }

  static var heartRateTwice: Scenario {
    var scenario = heartRate
    scenario.name = "heart-rate-twice"
    scenario.duration = .seconds(15)
    scenario.againAt = { effect in 1 + (effect &* 7919) % 40 }
    return scenario
  }

  static let counting = Scenario(
    name: "counting", recipe: "Tests/Kill/recipes/count.ble", devices: "Tests/Kill/recipes/strap.ble", duration: .seconds(15),
    files: ["beats.csv"],
    facts: { address in .counting(strap: address("strap"), isVirtual: true) })

  /// `recipes/thermometer.ble` to its end.
  static let thermometer = Scenario(
    name: "thermometer", recipe: "recipes/thermometer.ble", devices: "recipes/devices/thermometer.ble", duration: .seconds(60),
    exitCode: 0,
    facts: { address in
      var facts = Facts()
      let room = address("room")
      facts.devices = [Facts.Device(address: room)]
      facts.output.source = .reading(device: room, handle: Handles.temperature)
      facts.output.line = { line in
        let words = line.split(separator: " ")
        guard line.hasPrefix("time=2026-"), line.contains(" percent="), let word = words.first(where: { $0.hasPrefix("celsius=") })
        else {
          return nil
        }
        return String(word.dropFirst(8))
      }
      facts.output.lineOf = { value, _ in
        guard value.count == 2 else { return "?" }
        let hundredths = Int(Int16(bitPattern: UInt16(value[0]) | UInt16(value[1]) << 8))
        let fraction = hundredths % 100
        return "\(hundredths / 100)"
          + (fraction == 0 ? "" : fraction % 10 == 0 ? ".\(fraction / 10)" : fraction < 10 ? ".0\(fraction)" : ".\(fraction)")
      }
      return facts
    })

  /// `recipes/valve.ble` for 30 virtual hours, in which it is due twice.
  static let valve = valve("fail", signs: [.read(Handles.valve)])

  static func valve(_ policy: String, signs: [Facts.UnsureSign] = []) -> Scenario {
    Scenario(
      name: "valve-\(policy)", recipe: "recipes/valve.ble", devices: "recipes/devices/valve.ble",
      edits: [("within 10min", "within 10min when unsure \(policy)")], inputs: [("at", "05:00")], duration: .hours(30),
      files: ["valve.log"],
      facts: { address in
        var facts = Facts()
        let valve = address("valve")
        let rule: Facts.Policy =
          switch policy {
          case "repeat": .repeat
          case "verify": .verify
          case "skip": .skip
          default: .fail
          }
        facts.devices = [
          Facts.Device(
            address: valve,
            writes: [
              Facts.Write(
                handle: Handles.valve, value: [1, 0x58, 0x02], policy: rule,
                occasions: [5, 29].map { TimeSpan.hours($0).nanoseconds }, unsure: signs)
            ])
        ]
        facts.output.source = rule == .skip || rule == .repeat ? .none : .writes(device: valve, handle: Handles.valve)
        facts.output.file = "valve.log"
        facts.output.row = { row in
          let words = row.split(separator: " ")
          return row.hasPrefix("2026-01-0") && words.count == 4 ? words.dropFirst().joined(separator: " ") : nil
        }
        facts.output.rowOf = { _, index in "opened, number \(index + 1)" }
        facts.output.printsLines = false
        facts.output.unsureExitCode = 1
        return facts
      })
  }
}
