import Judgement

/// A made-up log of the air for tests of the judge: a strap that counts, and a host that discovers,
/// subscribes and is killed.
struct LogBuilder {
  static let host = "00:1B:DC:00:00:01"
  static let strap = "C0:00:00:00:00:01/random"
  static let value = 0x000C
  static let control = 0x000F
  static let configuration = 0x000D

  var lines: [String] = []
  private(set) var time: Int64 = 0
  private(set) var link = 0

  static func facts(policy: Facts.Policy = .fail) -> Facts {
    var facts = Facts()
    facts.devices = [
      Facts.Device(
        address: strap,
        writes: [Facts.Write(handle: control, value: [1], policy: policy, unsure: [.standardError("unsure"), .exitCode(10)])],
        subscriptions: [configuration])
    ]
    facts.output.source = .notifications(device: strap, handle: value)
    facts.output.file = "beats.csv"
    facts.output.header = "time,bpm"
    facts.output.row = { row in
      let cells = row.split(separator: ",", omittingEmptySubsequences: false)
      return cells.count == 2 && cells[0].hasSuffix("Z") ? String(cells[1]) : nil
    }
    facts.output.rowOf = { value, _ in "\(value[1])" }
    facts.output.lineOf = { value, _ in "\(value[1]) bpm" }
    facts.output.line = { $0.hasSuffix(" bpm") ? $0 : nil }
    facts.output.counter = { Int($0[1]) }
    facts.output.count = { $0.hasPrefix("counted ") ? Int($0.dropFirst(8)) : nil }
    return facts
  }

  private func stamp(_ time: Int64) -> String {
    let fraction = String(time % 1_000_000_000)
    return "\(time / 1_000_000_000).\(String(repeating: "0", count: 9 - fraction.count))\(fraction)"
  }

  mutating func pass(_ milliseconds: Int64) { time += milliseconds * 1_000_000 }

  mutating func add(_ kind: String, from: String, to: String? = nil, link: Int? = nil, rest: String = "") {
    var text = "{\"t\":\(stamp(time)),\"kind\":\"\(kind)\",\"from\":\"\(from)\""
    if let to { text += ",\"to\":\"\(to)\"" }
    if let link { text += ",\"link\":\(link)" }
    lines.append(text + rest + "}")
  }

  mutating func acl(_ bytes: [UInt8], fromHost: Bool, delivered: Bool = true, toHost: Bool = true, took: Int64 = 30) {
    let sent = time
    pass(took)
    let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    add(
      "acl", from: fromHost ? Self.host : Self.strap, to: fromHost ? Self.strap : Self.host, link: link,
      rest: ",\"cid\":4,\"bytes\":\"\(hex)\",\"sent\":\(stamp(sent)),\"delivered\":\(delivered),\"host\":\(toHost)")
  }

  mutating func ask(_ request: [UInt8], _ answer: [UInt8]) {
    acl(request, fromHost: true)
    acl(answer, fromHost: false)
  }

  mutating func connect() {
    add("reset", from: Self.host)
    pass(10)
    link += 1
    add("connect_ind", from: Self.host, to: Self.strap)
    pass(30)
    add("established", from: Self.host, to: Self.strap, link: link)
    ask([0x02, 0xF7, 0x00], [0x03, 0x17, 0x00])
  }

  static let findService: ([UInt8], [UInt8]) = ([0x06, 1, 0, 0xFF, 0xFF, 0x00, 0x28, 0x0D, 0x18], [0x07, 0x0A, 0, 0x0F, 0])
  static let findCharacteristic: ([UInt8], [UInt8]) = (
    [0x08, 0x0A, 0, 0x0F, 0, 0x03, 0x28], [0x09, 7, 0x0B, 0, 0x10, 0x0C, 0, 0x37, 0x2A, 0x0E, 0, 0x08, 0x0F, 0, 0x39, 0x2A]
  )
  static let findDescriptor: ([UInt8], [UInt8]) = ([0x04, 0x0D, 0, 0x0D, 0], [0x05, 1, 0x0D, 0, 0x02, 0x29])
  static let readHash: ([UInt8], [UInt8]) = (
    [0x08, 1, 0, 0xFF, 0xFF, 0x2A, 0x2B], [0x09, 18, 9, 0] + [UInt8](repeating: 7, count: 16)
  )

  mutating func ask(_ pair: ([UInt8], [UInt8])) { ask(pair.0, pair.1) }

  mutating func discover() {
    ask(Self.findService)
    ask(Self.findCharacteristic)
    ask(Self.findDescriptor)
  }

  mutating func subscribe() { ask([0x12, 0x0D, 0, 1, 0], [0x13]) }
  mutating func write() { ask([0x12, 0x0F, 0, 1], [0x13]) }

  mutating func beat(_ number: UInt8, delivered: Bool = true, toHost: Bool = true) {
    pass(970)
    acl([0x1B, 0x0C, 0, 0, number], fromHost: false, delivered: delivered, toHost: toHost)
  }

  mutating func kill() {
    add("host_gone", from: Self.host)
    pass(2000)
  }

  mutating func end() {
    pass(100)
    add("disconnect", from: Self.host, to: Self.strap, link: link, rest: ",\"reason\":19")
    add("host_gone", from: Self.host)
  }

  static func output(_ beats: ClosedRange<Int>, counted: Int? = nil) -> String {
    beats.map { "\($0) bpm\n" }.joined() + (counted.map { "counted \($0)\n" } ?? "")
  }

  static func file(_ beats: [Int]) -> String {
    "time,bpm\n" + beats.map { "2026-01-01T00:00:0\($0)Z,\($0)\n" }.joined()
  }
}
