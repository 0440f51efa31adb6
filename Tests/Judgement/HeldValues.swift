/// Judges the values in a run's file while the run and its keeper were killed, from the air's log
/// and the file.
///
/// Every value is written at most once and in order. Of each link, all values up to some point are
/// written and none beyond. Only values in flight when the keeper died may be missing, and a link
/// ends only with its keeper.
package struct HeldValues {
  package var log: [String]
  package var rows: [String]
  /// How often a keeper was killed.
  package var keeperDeaths: Int

  package init(log: [String], rows: [String], keeperDeaths: Int) {
    self.log = log
    self.rows = rows
    self.keeperDeaths = keeperDeaths
  }

  /// The violations; empty if there are none.
  package var findings: [String] {
    var findings: [String] = []
    var links: [(number: Int, values: [Int])] = []
    var device: String?
    for (index, text) in log.enumerated() where !text.isEmpty {
      guard let line = AirLine(text, number: index + 1) else {
        findings.append("line \(index + 1) of the log cannot be read")
        continue
      }
      if line.kind == "violation" { findings.append("line \(index + 1): \(line.note ?? "a violation")") }
      if line.kind == "connect_ind" { device = line.to }
      if line.kind == "established", line.from == device, let link = line.link { links.append((link, [])) }
      if line.isAttribute, line.from == device, line.reachedHost, let value = Self.value(of: line.bytes),
        let place = links.lastIndex(where: { $0.number == line.link })
      {
        links[place].values.append(value)
      }
    }
    let written = rows.dropFirst().compactMap { Int($0) }
    if rows.first != "bpm" { findings.append("the file begins with \(rows.first ?? "nothing")") }
    if written.count != rows.count - 1 { findings.append("a row is no number: \(rows)") }
    for (value, next) in zip(written, written.dropFirst()) where next <= value {
      findings.append(next == value ? "\(value) is written twice" : "\(next) is written behind \(value)")
    }
    let all = Set(written)
    let told = Set(links.flatMap(\.values))
    for value in written where !told.contains(value) { findings.append("\(value) is written and never came") }
    for link in links {
      let count = link.values.count(where: all.contains)
      let missing = link.values.prefix(count).filter { !all.contains($0) }
      if !missing.isEmpty { findings.append("link \(link.number) lost \(missing) out of the middle") }
    }
    if links.count > keeperDeaths + 1 { findings.append("\(links.count) links, though a keeper died \(keeperDeaths) times") }
    return findings
  }

  /// The numbers of the beats in a notification of heart_rate_measurement.
  private static func value(of bytes: [UInt8]) -> Int? {
    guard bytes.count >= 5, bytes[0] == 0x1B else { return nil }
    if bytes[3] & 1 == 0 { return Int(bytes[4]) }
    return bytes.count >= 6 ? Int(bytes[4]) | Int(bytes[5]) << 8 : nil
  }
}
