import Exchange

/// What fields, built-ins and methods take and give. A test compares these tables with what runs.
extension Checker.Kind {
  /// The fields of values of this kind; `nil` if they are known only at run time.
  var fields: [String]? {
    switch self {
    case .list: ["first", "last"]
    case .duration: ["ms", "seconds", "minutes", "hours"]
    case .time: ["year", "month", "day", "hour", "minute", "second", "weekday", "date", "unix"]
    case .text, .bytes, .number, .truth, .address, .uuid, .nothing: []
    case .record, .device: nil
    }
  }

  /// The kind of a field, if certain. Some fields of devices may also be `nothing`.
  func kind(ofField name: String) -> Self? {
    switch (self, name) {
    case (.duration, _), (.time, "year"), (.time, "month"), (.time, "day"), (.time, "hour"), (.time, "minute"), (.time, "second"),
      (.time, "unix"):
      .number
    case (.time, "weekday"), (.time, "date"): .text
    case (.device, "name"), (.device, "phy"): .text
    case (.device, "address"), (.device, "identity"): .address
    case (.device, "rssi"), (.device, "mtu"): .number
    case (.device, "heard"): .time
    case (.device, "interval"): .duration
    case (.device, "connected"), (.device, "bonded"), (.device, "encrypted"), (.device, "resumed"): .truth
    case (.device, "services"): .list
    default: nil
    }
  }

  /// The kinds that have elements, and the kinds of their indices.
  var indices: [Self] {
    switch self {
    case .list, .bytes, .text: [.number]
    case .record: [.text, .number, .address, .uuid]
    default: []
    }
  }
}

extension BuiltIn {
  /// The kind of its result; `nil` if that depends on the arguments.
  var result: Checker.Kind? {
    switch self {
    case .make: .bytes
    case .function(let function):
      switch function {
      case .count, .number, .crc16, .crc32, .round, .floor, .ceil: .number
      case .text: .text
      case .bytes, .sha256, .hmacSHA256, .aes, .aesCMAC, .file: .bytes
      case .now: .time
      case .address: .address
      case .uuid: .uuid
      case .chunks, .devices: .list
      case .json, .csv, .min, .max, .abs, .sum, .average, .random, .join, .env: nil
      }
    }
  }

  /// The kinds that its argument at a place may have; `nil` if any.
  /// - Parameter count: the number of arguments.
  func takes(at place: Int, of count: Int) -> [Checker.Kind]? {
    switch self {
    case .make(let type): return type.kind == .medical ? [.number, .nothing] : [.number]
    case .function(let function):
      switch (function, place) {
      case (.count, _): return [.text, .bytes, .list, .record]
      case (.number, _): return [.number, .text]
      case (.bytes, _): return [.bytes, .text, .list, .uuid, .address]
      case (.address, _): return [.address, .text]
      case (.uuid, _): return [.uuid, .text, .bytes, .number]
      case (.crc16, _), (.crc32, _), (.sha256, _), (.hmacSHA256, _), (.aes, _), (.aesCMAC, _): return [.bytes, .text]
      case (.min, _), (.max, _): return count == 1 ? nil : [.number, .duration, .text, .time]
      case (.round, _), (.floor, _), (.ceil, _), (.random, _): return [.number]
      case (.abs, _): return [.number, .duration]
      case (.sum, _), (.average, _): return [.list, .bytes]
      case (.chunks, 0): return [.bytes, .text, .list]
      case (.chunks, _): return [.number]
      case (.join, 0): return [.list]
      case (.join, _): return [.text, .bytes]
      case (.env, 0), (.file, _): return [.text]
      case (.csv, _): return [.list, .record, .text, .bytes]
      case (.now, _), (.text, _), (.json, _), (.env, _), (.devices, _): return nil
      }
    }
  }
}

extension Method {
  /// The kind of its result; `nil` if that depends on the value.
  var result: Checker.Kind? {
    switch self {
    case .read(let type): type.isWhole ? .number : nil
    case .function(let function):
      switch function {
      case .upper, .lower, .trim, .replace, .hex, .text: .text
      case .split, .lines, .sort, .keys, .values: .list
      case .startsWith, .endsWith: .truth
      case .bytes: .bytes
      case .without: .record
      case .reverse, .get, .decrypt: nil
      }
    }
  }

  /// The kinds that have it.
  var receivers: [Checker.Kind] {
    switch self {
    case .read, .function(.hex), .function(.text): [.bytes]
    case .function(let function):
      switch function {
      case .sort: [.list]
      case .reverse: [.list, .bytes]
      case .keys, .values, .get, .without, .decrypt: [.record]
      default: [.text]
      }
    }
  }

  /// The kinds that its argument at a place may have; `nil` if any.
  func takes(at place: Int) -> [Checker.Kind]? {
    switch (self, place) {
    case (.read, _), (.function(.text), _): [.number]
    case (.function(.split), _), (.function(.startsWith), _), (.function(.endsWith), _), (.function(.replace), _): [.text]
    case (.function(.get), 0), (.function(.without), _): Checker.Kind.record.indices
    case (.function(.decrypt), _): [.bytes, .text]
    default: nil
    }
  }
}
