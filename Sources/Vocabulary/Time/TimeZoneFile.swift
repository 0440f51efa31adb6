/// Reads a TZif file of version 2 or later (RFC 9636, 3). The file is untrusted; any bytes are
/// either read or refused.
extension TimeZoneRules {
  /// `nil` if it is not such a file, or if it counts leap seconds ("right/…").
  package init?(tzif bytes: [UInt8]) {
    var reader = bytes.span.bytes
    guard let rules = try? Self.read(&reader) else { return nil }
    self = rules
  }

  private struct Header {
    var utc: Int
    var standard: Int
    var leaps: Int
    var times: Int
    var types: Int
    var characters: Int

    init(reading reader: inout RawSpan) throws(DecodeError) {
      let magic = try reader.readUInt32()
      guard magic == 0x6669_5A54 else { throw .invalid("TZif", UInt64(magic)) }
      let version = try reader.readUInt8()
      guard version >= UInt8(ascii: "2") else { throw .invalid("TZif version", UInt64(version)) }
      try reader.skip(15)
      utc = try Self.count(&reader)
      standard = try Self.count(&reader)
      leaps = try Self.count(&reader)
      times = try Self.count(&reader)
      types = try Self.count(&reader)
      characters = try Self.count(&reader)
    }

    /// A count with a limit far above any real zone, so that nothing can overflow.
    private static func count(_ reader: inout RawSpan) throws(DecodeError) -> Int {
      let raw = try reader.readUInt32().byteSwapped
      guard raw <= 100_000 else { throw .invalid("TZif count", UInt64(raw)) }
      return Int(raw)
    }
  }

  private static func read(_ reader: inout RawSpan) throws(DecodeError) -> TimeZoneRules {
    // Skip the block of version 1, which has 32-bit times.
    let old = try Header(reading: &reader)
    try reader.skip(old.times * 5 + old.types * 6 + old.characters + old.leaps * 8 + old.standard + old.utc)

    let header = try Header(reading: &reader)
    guard header.leaps == 0 else { throw .invalid("TZif leap seconds", UInt64(header.leaps)) }
    guard (1...256).contains(header.types) else { throw .invalid("TZif types", UInt64(header.types)) }
    guard header.times * 9 <= reader.byteCount else { throw .truncated(needed: header.times * 9, left: reader.byteCount) }
    var times: [Int64] = []
    times.reserveCapacity(header.times)
    for _ in 0..<header.times {
      let time = Int64(bitPattern: try reader.readUInt64().byteSwapped)
      // Some files begin with a transition at the Big Bang. With 2^59, later sums cannot overflow.
      guard time >= -(1 << 59), time <= 1 << 59, times.last.map({ $0 < time }) ?? true else { throw .invalid("TZif time", 0) }
      times.append(time)
    }
    let indices = try reader.readBytes(header.times)
    var offsets: [Int] = []
    for _ in 0..<header.types {
      let offset = Int(Int32(bitPattern: try reader.readUInt32().byteSwapped))
      guard (-93_599...93_599).contains(offset) else { throw .invalid("TZif offset", 0) }
      offsets.append(offset)
      try reader.skip(2)
    }
    try reader.skip(header.characters + header.standard + header.utc)

    var rules = TimeZoneRules(fixed: offsets[0])
    rules.transitions.reserveCapacity(times.count)
    for (time, index) in zip(times, indices) {
      guard index < offsets.count else { throw .invalid("TZif type", UInt64(index)) }
      rules.transitions.append(Transition(unix: time, offset: offsets[Int(index)]))
    }

    let footer = reader.readRest()
    guard footer.count >= 2, footer.count <= 1024, footer.first == 0x0A, footer.last == 0x0A else {
      throw .invalid("TZif footer", UInt64(footer.count))
    }
    let text = String(decoding: footer.dropFirst().dropLast(), as: UTF8.self)
    if !text.isEmpty {
      guard let rule = PosixTimeZone(text) else { throw .invalid("TZif footer", UInt64(footer.count)) }
      rules.rule = rule
    }
    return rules
  }
}
