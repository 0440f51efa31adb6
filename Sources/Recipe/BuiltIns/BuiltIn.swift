/// A function that every recipe has: `count(x)`, `u16(600)`. They never switch fibers.
package enum BuiltIn: Hashable, Sendable {
  case function(Function)
  /// `u16(600)`: the bytes of a number.
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

  /// The number in instructions: functions count from 0, number types from 256.
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

  /// The allowed number of arguments; the upper bound is `Int.max` if there is no limit.
  package var arity: ClosedRange<Int> {
    switch self {
    case .function(let function):
      switch function {
      case .now, .devices: 0...0
      case .count, .text, .number, .bytes, .address, .uuid, .json, .csv, .crc16, .crc32, .sha256, .floor, .ceil, .abs, .sum,
        .average, .file:
        1...1
      case .round, .random, .join, .env: 1...2
      case .min, .max: 1...Int.max
      case .hmacSHA256, .aes, .aesCMAC, .chunks: 2...2
      }
    case .make: 1...1
    }
  }

  /// All names, for "did you mean".
  package static let names: [String] = table.map(\.name) + NumberType.table.map(\.name)

  private static let table: [(name: String, function: Function)] = [
    ("now", .now), ("count", .count), ("text", .text), ("number", .number), ("bytes", .bytes), ("address", .address),
    ("uuid", .uuid), ("json", .json), ("csv", .csv), ("crc16", .crc16), ("crc32", .crc32), ("sha256", .sha256),
    ("hmac_sha256", .hmacSHA256), ("aes", .aes), ("aes_cmac", .aesCMAC), ("min", .min), ("max", .max), ("round", .round),
    ("floor", .floor), ("ceil", .ceil), ("abs", .abs), ("sum", .sum), ("average", .average), ("random", .random),
    ("chunks", .chunks), ("join", .join), ("file", .file), ("env", .env), ("devices", .devices),
  ]
}
