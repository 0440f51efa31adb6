/// A function that every recipe has: `count(x)`, `u16(600)`. They never switch fibers.
package enum BuiltIn: Hashable, Sendable {
  case function(Function)
  /// `u16(600)`: bytes of a number.
  case make(NumberType)

  package enum Function: UInt16, CaseIterable, Sendable {
    case now, count, text, number, bytes, address, uuid, json, csv, crc16, crc32, sha256, hmacSHA256, aes, aesCMAC, min, max, round,
      floor,
      ceil, abs, sum, average, random, chunks, join, file, env, devices
  }

  package init?(named name: String) {
    if let entry = Self.table.first(where: { $0.name == name }) {
      self = .function(entry.function)
    } else if let type = NumberType(named: name) {
      self = .make(type)
    } else {
      return nil
    }
  }

  package static func named(_ name: String) -> BuiltIn? { BuiltIn(named: name) }

  /// For instructions: functions count from 0, number types from 256.
  package var id: UInt16 {
    switch self {
    case .function(let function): function.rawValue
    case .make(let type): 256 + type.code
    }
  }

  package init?(id: UInt16) {
    if id >= 256 {
      guard let type = NumberType(code: id - 256) else { return nil }
      self = .make(type)
    } else {
      guard let function = Function(rawValue: id) else { return nil }
      self = .function(function)
    }
  }

  package var name: String {
    switch self {
    case .function(let function): Self.table.first { $0.function == function }?.name ?? "\(function)"
    case .make(let type): type.name
    }
  }

  /// How many arguments it takes; the upper bound of those that take any number is `Int.max`.
  package var arity: ClosedRange<Int> {
    switch self {
    case .function(let function): Self.table.first { $0.function == function }?.arity ?? 1...1
    case .make: 1...1
    }
  }

  /// Every name, for did-you-mean.
  package static let names: [String] = table.map(\.name) + NumberType.table.map(\.name)

  private static let table: [(name: String, function: Function, arity: ClosedRange<Int>)] = [
    ("now", .now, 0...0), ("count", .count, 1...1), ("text", .text, 1...1), ("number", .number, 1...1), ("bytes", .bytes, 1...1),
    ("address", .address, 1...1), ("uuid", .uuid, 1...1), ("json", .json, 1...1), ("csv", .csv, 1...1), ("crc16", .crc16, 1...1),
    ("crc32", .crc32, 1...1), ("sha256", .sha256, 1...1), ("hmac_sha256", .hmacSHA256, 2...2), ("aes", .aes, 2...2),
    ("aes_cmac", .aesCMAC, 2...2), ("min", .min, 1...Int.max), ("max", .max, 1...Int.max), ("round", .round, 1...2),
    ("floor", .floor, 1...1), ("ceil", .ceil, 1...1), ("abs", .abs, 1...1), ("sum", .sum, 1...1), ("average", .average, 1...1),
    ("random", .random, 1...2), ("chunks", .chunks, 2...2), ("join", .join, 1...2), ("file", .file, 1...1), ("env", .env, 1...2),
    ("devices", .devices, 0...0),
  ]
}
