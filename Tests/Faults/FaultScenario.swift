import Linux
import Recipe
import Session
import Vocabulary

/// A recipe with a plausible air, and its expected behaviour.
struct FaultScenario: Sendable {
  enum End: Sendable {
    /// It ends by itself within this time, whatever happens.
    case within(TimeSpan)
    /// It runs until stopped, or ends with a failure. Once the faults are over it prints or appends
    /// again.
    case goesOn
    /// The same for a run that only has to be linked again.
    case staysConnected
    /// The same for a run that only has to listen again.
    case listens
  }

  var name: String
  var recipe: LoadedRecipe
  var devices: LoadedRecipe
  var inputs: [(name: String, value: String)] = []
  /// How long the faults last.
  var window: TimeSpan = .seconds(30)
  var end: End
  /// At most this many writes of this value may leave the host.
  var writes: (value: [UInt8], most: Int)?

  struct Missing: Error, CustomStringConvertible {
    var description: String
  }

  private static let root = #filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/" + $1 }

  private static func text(_ path: String) throws -> String {
    String(decoding: try readFile("\(root)/\(path)", limit: 1 << 20), as: UTF8.self)
  }

  /// A file of the project, edited to remove what this version does not support.
  private static func load(
    _ path: String, upTo end: String? = nil, _ edits: [(from: String, to: String)] = [], without: (from: String, to: String)? = nil
  ) throws -> LoadedRecipe {
    var text = try text(path)
    for edit in edits {
      guard text.contains(edit.from) else { throw Missing(description: "\(path) has no \(edit.from)") }
      text = text.replacing(edit.from, with: edit.to)
    }
    if let without, let first = text.firstRange(of: without.from), let last = text.firstRange(of: without.to) {
      text.removeSubrange(first.lowerBound..<last.upperBound)
    }
    if let end, let range = text.firstRange(of: end) { text = String(text[..<range.lowerBound]) }
    let loaded = RecipeLoader.parse(name: path, Array(text.utf8))
    guard !loaded.hasErrors else { throw Missing(description: "\(path): \(loaded.findings.map(\.message))") }
    return loaded
  }

  /// The scenarios of the first 1,000 seeds. Later ones have their own seeds, so a seed stays the
  /// same run when a scenario is added.
  static let early = 16

  static func place(of seed: UInt64, among count: Int) -> Int {
    guard seed >= 1000, count > early else { return Int(seed % UInt64(early)) }
    return early + Int((seed - 1000) % UInt64(count - early))
  }

  static func all() throws -> [FaultScenario] {
    let samples = "Tests/Golden/samples"
    let own = "Tests/Faults/recipes"
    let strap = try load("recipes/devices/heart-rate-strap.ble")
    let room = try load("recipes/devices/thermometer.ble")
    let rooms = try load("\(own)/rooms.ble")
    let others = try load("\(own)/devices.ble")
    func address(_ name: String) -> String { "\(Address.simulated(name))/random" }
    // Several of the longest writes.
    let image = "\(root)/LICENSE"
    return [
      FaultScenario(name: "heart-rate", recipe: try load("recipes/heart-rate.ble"), devices: strap, end: .goesOn),
      FaultScenario(
        name: "thermometer", recipe: try load("recipes/thermometer.ble"), devices: room, window: .seconds(100),
        end: .within(.seconds(125))),
      FaultScenario(
        name: "valve", recipe: try load("recipes/valve.ble"), devices: try load("recipes/devices/valve.ble"),
        inputs: [("at", "00:01")], window: .seconds(90), end: .staysConnected, writes: ([1, 0x58, 0x02], 1)),
      FaultScenario(
        name: "everything", recipe: try load("\(own)/everything.ble"), devices: try load("\(own)/box.ble"), window: .seconds(60),
        end: .within(.seconds(330))),
      FaultScenario(
        name: "three", recipe: try load("\(own)/three.ble"), devices: rooms,
        inputs: [("one", address("attic")), ("two", address("cellar")), ("three", address("kitchen"))], end: .goesOn),
      FaultScenario(
        name: "meters", recipe: try load("\(own)/meters.ble"), devices: rooms, window: .seconds(100), end: .within(.seconds(160))),
      FaultScenario(
        name: "counting", recipe: try load("Tests/Kill/recipes/count.ble"), devices: try load("Tests/Kill/recipes/strap.ble"),
        end: .goesOn, writes: ([1], 1)),
      FaultScenario(name: "01-heart", recipe: try load("\(samples)/01-heart.ble"), devices: strap, end: .goesOn),
      FaultScenario(
        name: "02-lock",
        recipe: try load(
          "\(samples)/02-lock.ble",
          [
            ("input pin: secret   \"Six-digit pairing code\"\n", ""), ("on passkey request: answer pin\n", ""), ("\npair\n", "\n"),
            ("run \"notify-send {device.name} 'door jammed'\"", "warn \"jammed\""), ("now().hour >= 22", "now().hour >= 0"),
            ("  log \"door is", "  print \"door is"),
          ]), devices: others, inputs: [("lock", address("lock"))], end: .goesOn),
      FaultScenario(
        name: "03-thermo", recipe: try load("\(samples)/03-thermo.ble"), devices: room, window: .seconds(100),
        end: .within(.seconds(115))),
      FaultScenario(
        name: "04-firmware",
        recipe: try load(
          "\(samples)/04-firmware.ble",
          [("request mtu 247\n", ""), ("device.mtu - 7", "240"), ("  progress sent of count(image)\n", "")]), devices: others,
        inputs: [("image", image)],
        end: .within(.seconds(240))),
      FaultScenario(
        name: "06-uart",
        recipe: try load(
          "\(samples)/06-uart.ble",
          [
            (
              "on line where it is not nothing as typed: write typed + \"\\n\" to uart_rx without response in pieces",
              "every 5s: write \"typed\\n\" to uart_rx without response"
            )
          ]), devices: others, end: .goesOn),
      FaultScenario(
        name: "08-glucose",
        recipe: try load(
          "\(samples)/08-glucose.ble",
          [
            ("input pin: secret \"Code printed on the meter\"\n", ""), ("on passkey request: answer pin\n", ""),
            ("\npair\n", "\n"),
          ]),
        devices: try load(
          "\(samples)/09-sim.ble", upTo: "test \"",
          [("  passkey \"123456\"                                   # printed on its label\n", ""), (" needs authentication", "")]),
        window: .seconds(60), end: .within(.seconds(260))),
      FaultScenario(
        name: "10-valve", recipe: try load("\(samples)/10-valve.ble", upTo: "peripheral toy_valve", [("06:00", "00:01")]),
        devices: try load(
          "\(samples)/10-valve.ble", upTo: "test \"",
          [
            ("input valve: address\n", ""), ("on restore as past\n", "#"), ("  log \"back after", "# "),
            ("  if past.down_for > 6h: restart\nend\n", ""),
          ], without: ("every 1d", "reconnect forever\n")), inputs: [("valve", address("toy_valve"))], window: .seconds(90),
        end: .staysConnected, writes: ([1, 0x58, 0x02], 1)),
      FaultScenario(
        name: "11-ota",
        recipe: try load(
          "\(samples)/11-ota.ble",
          [("request mtu 247\n", ""), ("device.mtu - 7", "240"), ("    progress sent of count(image)\n", "")]), devices: others,
        inputs: [("unit", address("dfu")), ("image", image)], window: .seconds(60), end: .within(.minutes(35))),
      FaultScenario(
        name: "13-fridge",
        recipe: try load(
          "\(samples)/13-fridge.ble",
          [
            (
              "run \"notify-send fridge '{celsius:.1} degrees'\" when unsure repeat otherwise warn \"not told: {it}\"",
              "warn \"{celsius:.1} degrees\""
            ), ("run \"notify-send fridge 'silent for {silence}'\" when unsure repeat", "warn \"silent\""),
            ("  set last_seen to now()\n", "  set last_seen to now()\n  print celsius\n"),
          ]),
        devices: try load(
          "recipes/devices/thermometer.ble", [("update temperature to", "notify temperature with"), ("every 10s", "every 5s")]),
        inputs: [("fridge", address("room"))], end: .goesOn),
      FaultScenario(
        name: "05-gateway",
        recipe: try load(
          "\(samples)/05-gateway.ble",
          [("  run \"mosquitto_pub -h broker -t home/{sensor.address} -m {json(rooms[sensor.address])}\" within 5s\n", "")]),
        devices: rooms, end: .listens),
      FaultScenario(
        name: "07-beacons", recipe: try load("\(samples)/07-beacons.ble"), devices: try load("recipes/devices/beacons.ble"),
        end: .listens),
      FaultScenario(
        name: "12-night",
        recipe: try load(
          "\(samples)/12-night.ble",
          [
            ("input meters: file \"One address per line\"\n", ""),
            ("meters.text().lines()", "[\"\(address("attic"))\", \"\(address("cellar"))\", \"\(address("kitchen"))\"]"),
          ]), devices: rooms, window: .seconds(90), end: .within(.minutes(41))),
    ]
      + (try ["beacons", "room-sensors", "plant", "button"].map { name in
        FaultScenario(
          name: name, recipe: try load("recipes/\(name).ble"), devices: try load("recipes/devices/\(name).ble"), end: .listens)
      })
      + (try Self.others(image).map { name, inputs, window, end in
        FaultScenario(
          name: name, recipe: try load("recipes/\(name).ble"), devices: try load("recipes/devices/\(name).ble"), inputs: inputs,
          window: .seconds(window), end: end)
      })
  }

  /// Recipes of recipes/, each with the device of the same name.
  private static func others(_ image: String) -> [(String, [(name: String, value: String)], Int64, End)] {
    [
      ("lock", [], 30, .staysConnected), ("firmware", [("image", image)], 60, .within(.minutes(70))),
      ("uart", [("say", "hello")], 30, .within(.seconds(150))), ("glucose", [], 60, .within(.seconds(260))),
      ("scale", [], 150, .listens), ("light-bulb", [], 60, .within(.seconds(125))),
      ("battery-survey", [], 30, .within(.seconds(150))), ("gateway", [], 60, .listens),
      ("bonded-lock", [], 30, .within(.seconds(230))), ("panic-button", [], 60, .goesOn),
    ]
  }
}
