/// One line of the air's log, as the judge reads it.
package struct AirLine: Equatable {
  /// Its line number in the log, from 1.
  package var number: Int
  /// Nanoseconds; used only to order lines.
  package var time: Int64
  package var kind: String
  package var from: String?
  package var to: String?
  package var link: Int?
  package var channel: Int?
  package var bytes: [UInt8] = []
  /// When the sending host handed it to its controller.
  package var sent: Int64?
  package var delivered: Bool?
  package var toHost: Bool?
  package var reason: Int?
  package var note: String?

  package var isAttribute: Bool { kind == "acl" && channel == 4 }
  /// It reached a host that was running.
  package var reachedHost: Bool { delivered == true && toHost != false }

  /// Kinds whose `from` and `to` name the two ends of a closed link.
  package static let endings: Set<String> = ["disconnect", "supervision_timeout", "link_ended", "establishment_failed"]

  package init?(_ whole: String, number: Int) {
    guard let line = JSONLine(whole) else { return nil }
    func text(_ key: String) -> String? {
      if case .text(let value) = line[key] { value } else { nil }
    }
    func time(_ key: String) -> Int64? {
      if case .number(let value) = line[key] { Self.nanoseconds(value) } else { nil }
    }
    func integer(_ key: String) -> Int? {
      if case .number(let value) = line[key] { Int(value) } else { nil }
    }
    func flag(_ key: String) -> Bool? {
      if case .flag(let value) = line[key] { value } else { nil }
    }
    guard let moment = time("t"), let kind = text("kind") else { return nil }
    self.number = number
    self.time = moment
    self.kind = kind
    from = text("from")
    to = text("to")
    link = integer("link")
    channel = integer("cid")
    if let hex = text("bytes") {
      guard let bytes = Self.bytes(hex) else { return nil }
      self.bytes = bytes
    }
    sent = time("sent")
    delivered = flag("delivered")
    toHost = flag("host")
    reason = integer("reason")
    note = text("note")
  }

  /// Parses seconds with a fraction exactly.
  package static func nanoseconds(_ text: String) -> Int64? {
    let isNegative = text.hasPrefix("-")
    let parts = text.drop { $0 == "-" }.split(separator: ".", omittingEmptySubsequences: false)
    guard let whole = parts.first, let seconds = Int64(whole), parts.count <= 2 else { return nil }
    var nanoseconds: Int64 = 0
    if parts.count == 2 {
      guard parts[1].count <= 9, let value = Int64(parts[1]) else { return nil }
      nanoseconds = value
      for _ in parts[1].count..<9 { nanoseconds *= 10 }
    }
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return nil }
    return isNegative ? -(product + nanoseconds) : product + nanoseconds
  }

  package static func bytes(_ hex: String) -> [UInt8]? {
    let digits = hex.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue.map(UInt8.init) }
    guard digits.count == hex.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}
