/// A method of a value: `t.upper()`, `b.u16(2)`.
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

  /// The number in instructions: functions count from 0, number types from 256.
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
    case .function(let function):
      switch function {
      case .upper, .lower, .trim, .lines, .bytes, .hex, .sort, .reverse, .keys, .values: 0...0
      case .text: 0...1
      case .split, .startsWith, .endsWith, .without, .decrypt: 1...1
      case .replace, .get: 2...2
      }
    case .read: 0...1
    }
  }

  /// The type that has this method, for messages: `a text`.
  package var receiver: String {
    switch self {
    case .read, .function(.hex), .function(.text): "bytes"
    case .function(.sort), .function(.reverse): "a list"
    case .function(.decrypt): "an advertisement"
    case .function(.keys), .function(.values), .function(.get), .function(.without): "a record"
    case .function: "a text"
    }
  }

  /// All names, for "did you mean".
  package static let names: [String] = table.map(\.name) + NumberType.table.map(\.name)

  private static let table: [(name: String, function: Function)] = [
    ("upper", .upper), ("lower", .lower), ("trim", .trim), ("split", .split), ("lines", .lines), ("starts_with", .startsWith),
    ("ends_with", .endsWith), ("replace", .replace), ("bytes", .bytes), ("hex", .hex), ("text", .text), ("sort", .sort),
    ("reverse", .reverse), ("keys", .keys), ("values", .values), ("get", .get), ("without", .without), ("decrypt", .decrypt),
  ]
}
