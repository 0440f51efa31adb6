import Foundation
import Recipe
import Terminal
import Testing

/// Correct recipes, in which the checker finds nothing.
@Suite struct ValidRecipeTests {
  static func findings(_ text: String) -> String {
    let parsed = RecipeFile.parseAndCheck(Array(text.utf8), name: "x.ble")
    return DiagnosticRenderer().text(parsed.diagnostics, in: [parsed.source])
  }

  static let recipes: [(what: String, text: String)] = [
    (
      "a file name that was `it` when it was named",
      "ask \"file\"\nlet r = {out: it}\nscan for heart_rate\nconnect\nread battery_level\nappend it to r.out\n"
    ),
    (
      "a secret and another name of the same spelling",
      "ask secret \"code\" as p\non passkey request: answer p\nscan for heart_rate\nconnect\npair\nprocedure shown(p): print p\nshown(1)\n"
    ),
    (
      "a name of the body that a handler gives another value",
      "scan for heart_rate\nconnect\nread battery_level as level\non connect: read manufacturer_name_string as level\nreconnect 3 times\nif level is \"Tooth\": print level + \"!\"\n"
    ),
    (
      "a `let` that `read` gives a value",
      "let level = nothing\nscan for heart_rate\nconnect\nread battery_level as level\nprint level + 1\nif level is 97: print \"full\"\n"
    ),
    (
      "names that a scan and a loop give other values",
      "let d = nothing\nscan for heart_rate as d otherwise print \"none\"\nif d is not nothing: print d.name\nconnect to d\nlet x = \"a\"\nfor each x in [1, 2]: print x + 1\n"
    ),
    (
      "names that `run` and `otherwise` give other values",
      "let e = 0\nlet r = \"none\"\nrun \"echo 5\" as r\nprint r.out\ntry\n  fail \"boom\"\notherwise as e\n  print e.message\nend\n"
    ),
    (
      "`it` of two paths",
      "scan for heart_rate\nconnect\nread battery_level\nif now().hour is 1: read manufacturer_name_string\nprint it + 1\nrepeat 3 times\n  print it is \"Tooth Works\"\n  read manufacturer_name_string\nend\n"
    ),
    (
      "`it` that a later read changes",
      "scan for heart_rate\nconnect\nread battery_level\nlet first = it\nread manufacturer_name_string\nprint first + 1\n"
    ),
    (
      "`set` that changes the kind of a decoded value, an event, a tick and a failure",
      "scan for heart_rate\nconnect\nread battery_level as level\nset level to {percent: level}\nprint level.percent\nsubscribe to heart_rate_measurement\non notify heart_rate_measurement as beat\n  set beat.speed to 1\n  print beat.speed\nend\nevery 1s as t\n  set t to t.due\n  print t.year\nend\non failure as p\n  set p.when to now()\n  print p.when.year\nend\nwait 10s\n"
    ),
    (
      "a UUID compared with its number, and a name of another language",
      "input u: uuid = 0x180D\nif u is 0x180D: print \"same\"\nprint uuid(\"180d\") is 0x180D\nfor each k in [0x180D]: print k is heart_rate\nlet none = 5\nprint none\nremember rooms = {}\nif rooms is [1]: print \"old\"\n"
    ),
    (
      "a device compared with nothing",
      "scan for heart_rate as d\nprint device is nothing, d is nothing\n"
    ),
    (
      "a loop that connects",
      "repeat forever\n  scan for heart_rate\n  connect\n  read battery_level as level\n  print level\n  disconnect\n  wait 1min\nend\n"
    ),
    (
      "several devices by address",
      "input meters: addresses\nfor each meter in meters\n  connect to (meter)\n  read temperature as celsius\n  print celsius\n  disconnect\nend\n"
    ),
    (
      "two devices with of",
      "input left: address\ninput right: address\nconnect to left\nconnect to right\nread battery_level of left as a\nread battery_level of right as b\nprint a + b\n"
    ),
    (
      "whenever knows the names around it",
      "input gap_between: duration = 5min\ninput limit: number = -80\nwhenever ibeacon stronger than limit where it.rssi < limit + 60 appears again after gap_between as d\n  print d.address\nend\nwait forever\n"
    ),
    (
      "a file name in a field that is set by its key",
      "let k = \"out\"\nlet r = {out: []}\nset r[k] to \"o.txt\"\nappend 1 to r.out\n"
    ),
    (
      "file names in fields that a loop sets",
      "remember r = {a: 1, b: 2}\nfor each k in r.keys(): set r[k] to k + \".txt\"\nappend 1 to r.a\n"
    ),
    (
      "a file name in a field of a device that is set by its key",
      "scan for heart_rate\nconnect\nlet d = device\nset d.out to []\nset d[\"out\"] to \"o.txt\"\nappend 1 to device.out\n"
    ),
    ("all devices", "scan for all heart_rate within 10s as found\nfor each strap in found: print strap.name\n"),
    (
      "a try that leaves",
      "scan for heart_rate\ntry 3 times: connect within 5s otherwise stop\nread battery_level as level\nprint level\n"
    ),
    (
      "a rescue that leaves",
      "scan for heart_rate\ntry 3 times\n  connect\notherwise if unreachable or timeout as problem\n  fail \"no {problem}\" with code 21\nend\nread battery_level as level\nprint level\n"
    ),
    (
      "both branches connect",
      "input near: flag\nif near\n  scan for heart_rate\n  connect\nelse\n  connect to C4:7C:8D:6A:12:0F\nend\nread battery_level as level\nprint level\n"
    ),
    (
      "a procedure that waits",
      "procedure level()\n  read battery_level as value\n  return value\nend\nscan for heart_rate\nconnect\nlet now_is = level()\nprint now_is\nset now_is to level()\nlevel()\n"
    ),
    ("a procedure that calls itself", "procedure f(n)\n  if n < 2: return 1\n  return n * f(n - 1)\nend\nprint f(5)\n"),
    ("own fields of a device", "scan for heart_rate\nconnect\nset device.count to 1\nprint device.count, device.name\n"),
    (
      "a timer that connects",
      "input strap: address\nevery 1h\n  connect to strap\n  read battery_level as level\n  print level\n  disconnect\nend\nwait forever\n"
    ),
    (
      "a timer for the only device",
      "scan for heart_rate\nconnect\nevery 1min\n  read battery_level as level\n  print level\nend\nreconnect forever\n"
    ),
    (
      "a timer that scans",
      "every 1h\n  scan for heart_rate within 20s as strap\n  connect\n  print strap.name\n  disconnect\nend\nwait forever\n"
    ),
    (
      "subscribing in on connect",
      "on connect: subscribe to heart_rate_measurement\non notify heart_rate_measurement as beat: print beat.bpm\nscan for heart_rate\nconnect when it appears\nreconnect forever\n"
    ),
    (
      "subscribing in a procedure",
      "procedure go()\n  subscribe to heart_rate_measurement\nend\non notify heart_rate_measurement as beat: print beat.bpm\nscan for heart_rate\nconnect\ngo()\nwait forever\n"
    ),
    (
      "everything in one try",
      "on notify heart_rate_measurement as beat: print beat.bpm\ntry within 1h\n  scan for heart_rate\n  connect\n  subscribe to heart_rate_measurement\n  wait 10min\nend\n"
    ),
    (
      "a wait above the feed, in a loop",
      "on notify heart_rate_measurement as beat: print beat.bpm\nscan for heart_rate\nconnect\nrepeat forever\n  wait 1s\n  subscribe to heart_rate_measurement\nend\n"
    ),
    (
      "names with values of the recipe",
      "let total = 0\non notify heart_rate_measurement as beat\n  set total to total + beat.bpm\nend\nscan for heart_rate\nconnect\nsubscribe to heart_rate_measurement\nwait until total > 1000 within 10min\nprint total\n"
    ),
    ("constants above", "let limit = 5\non stop as why: print why, limit\nwait 5s\n"),
    (
      "a constant that is looked for",
      "let who = \"Polar*\"\nlet my_service = 6e400001-b5a3-f393-e0a9-e50e24dcca9e\nlet short = 0x180D\nscan for who or my_service or short or 0xFEEE or C4:7C:8D:6A:12:0F or \"x\"\n"
    ),
    (
      "inputs that are looked for",
      "input who: text = \"x\"\ninput what: uuid\nscan for who\nscan for what\nconnect\nread what as x\nprint x\n"
    ),
    (
      "names of the SIG as values",
      "let temperature = 5\nscan for environmental_sensing\nconnect\nread temperature as celsius\nprint celsius, temperature, heart_rate\n"
    ),
    (
      "paths",
      "scan for heart_rate\nconnect\nread heart_rate/body_sensor_location as a\nread battery_service[1]/battery_level as b\nread battery_level/characteristic_user_description as c\nread handle 0x000c as d\nread rssi as e\nread raw battery_level as f\nprint a, b, c, d, e, f\n"
    ),
    ("one let a branch", "if 1 is 1\n  let x = 1\nelse if 2 is 2\n  let x = 2\nelse\n  let x = 3\nend\nprint x\n"),
    (
      "a let in otherwise", "scan for heart_rate\nconnect\nread battery_level as level otherwise let level = nothing\nprint level\n"
    ),
    ("a let in a loop", "repeat 3 times\n  let x = random(5)\n  print x\nend\n"),
    ("leaving loops", "repeat forever\n  wait 1s\n  if random(5) is 1: leave\n  if random(5) is 2: skip\nend\nprint \"out\"\n"),
    (
      "giving up inside",
      "on notify battery_level: disconnect\nscan for heart_rate\nconnect\nsubscribe to battery_level\nreconnect forever\nprint \"given up\"\n"
    ),
    ("with", "input left: address\nconnect to left\nwith left\n  read battery_level as level\n  print level, device.name\nend\n"),
    (
      "a format of one's own",
      "let lock_state = 5c1d0002-7e40-4f6e-9a0b-3d2f11aa0001\nformat report for characteristic lock_state\n  state is u8 meaning open = 0, shut = 1\n  battery is u8 unit \"%\"\nend\nscan for \"Lock\"\nconnect\nsubscribe to lock_state\non notify lock_state where it.state is \"open\" as door\n  print door.state, door.battery, door.at, door.bytes, door.rest\nend\nread lock_state as now_is\nprint now_is.battery\nwrite {state: \"open\", battery: 5} to lock_state\nreconnect forever\n"
    ),
    (
      "a peripheral",
      "let led = 5c1d0003-7e40-4f6e-9a0b-3d2f11aa0001\nperipheral lamp named \"Lamp\"\n  let on_now = false\n  advertise led every 100ms with {appearance: 1}\n  procedure tell(what)\n    notify led with what\n  end\n  service led\n    characteristic led can read, write, write without response, notify starts as u8(0)\n  end\n  on read led: answer u8(1)\n  on write led as value\n    if value is nothing: refuse with 0x80\n    set on_now to true\n    update led to value\n    tell(value)\n    indicate led with value\n  end\n  on subscribe led: log device.address\n  on unsubscribe led: log device.address\n  on connect: log \"there\"\n  on disconnect as reason: log reason\n  every 1s: if_on()\n  after 5s: print on_now\n  procedure if_on()\n    if on_now: notify led with u8(1)\n  end\nend\n"
        .replacingOccurrences(of: "indicate led with value", with: "notify led with value")
    ),
    ("settings", "use timeout 20s\nuse strict\nuse language 1\nprint 1\n"),
    (
      "restoring",
      "on restore as past\n  log \"back after {past.down_for}\"\n  if past.down_for > 6h: restart\nend\nremember seen = []\non failure as problem: warn problem\non stop as why: log why\nscan for heart_rate\nconnect\nset seen to seen + [device.address]\ncheckpoint\n"
    ),
    ("discovered services", "scan for heart_rate\nconnect\ndiscover everything\nprint device.services\n"),
    ("files", "append {a: 1} to \"x.csv\"\nsave [1] to \"y.json\"\n"),
    (
      "waiting in all forms",
      "scan for heart_rate\nconnect\nsubscribe to heart_rate_measurement\nwait 1s\nwait for notify heart_rate_measurement where it.bpm > 50 within 5s as beat\nprint beat.bpm\nwait until now().hour > 5 within 1h\nwait for disconnect\nwait for connect within 1min otherwise stop\n"
    ),
    ("an empty recipe", ""), ("only comments", "# nothing\n## help\n"),
    (
      "unsure",
      "let valve = 5c1d0003-7e40-4f6e-9a0b-3d2f11aa0001\nscan for \"Valve\"\nconnect\nwrite u8(1) to valve within 10s when unsure verify otherwise print it\nwrite hex \"01\" to valve without response\n"
    ),
    (
      "a decoded record written back",
      "format m for characteristic 0xFFF1\n  a is u8\nend\nformat outer for characteristic 0xFFF2\n  inner is m\n  b is u8\nend\nscan for 0xFFF0\nconnect\nread 0xFFF1 as r\nprint r.a\nwrite r to 0xFFF1\nread 0xFFF2 as o\nlet i = o.inner\nwrite {inner: i, b: 3} to 0xFFF2\nlet one = {a: 1}\nset one.a to 2\nwrite one to 0xFFF1\n"
    ),
    (
      "lets that a test gives",
      "peripheral toy\n  let last = nothing\n  let mode = \"idle\"\n  let config = {interval: 1}\n  advertise 0xFFF0\n  service 0xFFF0\n    characteristic 0xFFF1 can read\n  end\n  on read 0xFFF1\n    if mode is 7: log \"seven\"\n    if last is not nothing: answer last.a\n    log config.extra\n  end\nend\ntest \"a\"\n  simulate toy with {last: {a: hex \"05\"}, config: {interval: 2, extra: 3}}\n  set toy.mode to 7\n  scan for 0xFFF0\n  connect\n  read 0xFFF1 as x\n  expect x is u8(5)\n  expect count(toy.centrals) is 1 and toy.centrals[0] is toy.subscribers[0]\nend\n"
    ),
    (
      "a value to come",
      "let t = nothing\nif t is not nothing and t.name is \"x\": print \"y\"\n"
    ),
    (
      "an address in a text",
      "print \"{C4:7C:8D:6A:12:0F} and {C4:7C:8D:6A:12:0F/random}\"\n"
    ),
  ]

  @Test(arguments: recipes.map(\.what)) func validRecipesHaveNoFindings(_ what: String) throws {
    let text = try #require(Self.recipes.first { $0.what == what }?.text)
    #expect(Self.findings(text) == "", "\(what)")
  }

  /// Every recipe of the project.
  @Test func theProjectRecipesAreValid() throws {
    let folder = TestFiles.root.deletingLastPathComponent().appendingPathComponent("recipes")
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".ble") }.sorted()
    #expect(!names.isEmpty)
    // Test files include others, and `tooth test` runs them.
    for name in names where !name.hasSuffix("_test.ble") {
      let bytes = Array(try Data(contentsOf: folder.appendingPathComponent(name)))
      #expect(Self.findings(String(decoding: bytes, as: UTF8.self)) == "", "\(name)")
    }
  }
}
