/// What stands behind a point with parentheses: `t.upper()`, `b.u16(2)`.
package enum Method: Hashable, Sendable {
  case function(Function)
  /// `b.u16(2)`: the number at an offset, by default 0.
  case read(NumberType)

  package enum Function: UInt16, CaseIterable, Sendable {
    case upper, lower, trim, split, lines, startsWith, endsWith, replace, bytes, hex, text, sort, reverse, keys, values, get,
      without, decrypt
  }

  package init?(named name: String) {
    if let entry = Self.table.first(where: { $0.name == name }) {
      self = .function(entry.function)
    } else if let type = NumberType(named: name) {
      self = .read(type)
    } else {
      return nil
    }
  }

  package static func named(_ name: String) -> Method? { Method(named: name) }

  /// For instructions: functions count from 0, number types from 256.
  package var id: UInt16 {
    switch self {
    case .function(let function): function.rawValue
    case .read(let type): 256 + type.code
    }
  }

  package init?(id: UInt16) {
    if id >= 256 {
      guard let type = NumberType(code: id - 256) else { return nil }
      self = .read(type)
    } else {
      guard let function = Function(rawValue: id) else { return nil }
      self = .function(function)
    }
  }

  package var name: String {
    switch self {
    case .function(let function): Self.table.first { $0.function == function }?.name ?? "\(function)"
    case .read(let type): type.name
    }
  }

  package var arity: ClosedRange<Int> {
    switch self {
    case .function(let function): Self.table.first { $0.function == function }?.arity ?? 0...0
    case .read: 0...1
    }
  }

  /// What has this method, for messages: `a text`.
  package var receiver: String {
    switch self {
    case .read, .function(.hex), .function(.text): "bytes"
    case .function(.sort), .function(.reverse): "a list"
    case .function(.decrypt): "an advertisement"
    case .function(.keys), .function(.values), .function(.get), .function(.without): "a record"
    case .function: "a text"
    }
  }

  /// Every name, for did-you-mean.
  package static let names: [String] = table.map(\.name) + NumberType.table.map(\.name)

  private static let table: [(name: String, function: Function, arity: ClosedRange<Int>)] = [
    ("upper", .upper, 0...0), ("lower", .lower, 0...0), ("trim", .trim, 0...0), ("split", .split, 1...1), ("lines", .lines, 0...0),
    ("starts_with", .startsWith, 1...1), ("ends_with", .endsWith, 1...1), ("replace", .replace, 2...2), ("bytes", .bytes, 0...0),
    ("hex", .hex, 0...0), ("text", .text, 0...1), ("sort", .sort, 0...0), ("reverse", .reverse, 0...0), ("keys", .keys, 0...0),
    ("values", .values, 0...0), ("get", .get, 2...2), ("without", .without, 1...1), ("decrypt", .decrypt, 1...1),
  ]
}
