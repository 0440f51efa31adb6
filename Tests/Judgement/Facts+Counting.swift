/// Facts about `Tests/Kill/recipes/count.ble`, whose strap numbers every value.
extension Facts {
  /// The handles of a strap's attributes. The defaults are those of `Tests/Kill/recipes/strap.ble`
  /// on our air.
  package struct StrapHandles {
    package var beat = 0x0010
    package var configuration = 0x0011
    package var control = 0x0015

    package init() {}

    package init(beat: Int, configuration: Int, control: Int) {
      self.beat = beat
      self.configuration = configuration
      self.control = control
    }
  }

  /// Every beat once, and one write that must not repeat.
  package static func counting(strap: String, handles: StrapHandles = StrapHandles(), isVirtual: Bool) -> Facts {
    var facts = Facts()
    facts.isVirtual = isVirtual
    facts.devices = [
      Facts.Device(
        address: strap,
        writes: [Facts.Write(handle: handles.control, value: [1], policy: .fail, unsure: [.standardError("unsure")])],
        subscriptions: [handles.configuration])
    ]
    facts.output.source = .notifications(device: strap, handle: handles.beat)
    facts.output.file = "beats.csv"
    facts.output.header = "time,bpm,contact"
    facts.output.row = { row in
      let cells = row.split(separator: ",", omittingEmptySubsequences: false)
      return cells.count == 3 && cells[0].hasPrefix("20") && cells[0].utf8.count >= 20 && cells[2] == "good"
        ? String(cells[1]) : nil
    }
    facts.output.rowOf = { value, _ in "\(beat(value).bpm)" }
    facts.output.lineOf = { value, _ in "\(beat(value).bpm) bpm" }
    facts.output.line = { $0.hasSuffix(" bpm") ? $0 : nil }
    facts.output.counter = { beat($0).bpm }
    facts.output.count = { $0.hasPrefix("counted ") ? Int($0.dropFirst(8)) : nil }
    facts.output.announcesContinuation = { $0.contains("continues at ") }
    return facts
  }

  /// The flags, the rate in one byte or two, and the energy, which the strap uses as the beat's
  /// number (Heart Rate Service, 3.1).
  package static func beat(_ value: [UInt8]) -> (bpm: Int, number: Int) {
    guard let flags = value.first else { return (0, 0) }
    var rest = value.dropFirst()
    func next() -> Int { rest.popFirst().map(Int.init) ?? 0 }
    let bpm = flags & 1 == 0 ? next() : next() + next() << 8
    let number = flags & 8 == 0 ? 0 : next() + next() << 8
    return (bpm, number)
  }
}
