/// Records whose fields the language gives.
package enum KnownRecord: String, CaseIterable {
  case advertisement = "an advertisement"
  /// `run … as r`
  case command = "the result of a command"
  /// `every … as tick`
  case tick = "a tick"
  /// `on failure`, `otherwise`
  case failure = "a failure"

  /// - Parameter name: a raw value; that of an advertisement may be followed by ` of FORMAT`.
  package init?(named name: String) {
    guard let known = Self.allCases.first(where: { name.hasPrefix($0.rawValue) }) else { return nil }
    self = known
  }

  package var fields: [String] {
    switch self {
    case .advertisement:
      [
        "address", "name", "rssi", "services", "solicited", "manufacturer", "service_data", "tx_power", "connectable", "value",
      ]
    case .command: ["out", "err", "code"]
    case .tick: ["due", "late"]
    case .failure:
      ["kind", "message", "line", "device", "code", "last_exchange", "delivered", "hint", "attempts", "others", "out", "err"]
    }
  }
}

extension KnownRecord {
  /// The kind of a field, if certain; some may also be `nothing`.
  func kind(ofField name: String) -> Checker.Kind? {
    switch (self, name) {
    case (.advertisement, "address"): .address
    case (.advertisement, "name"), (.command, "out"), (.command, "err"): .text
    case (.failure, "kind"), (.failure, "message"), (.failure, "hint"): .text
    case (.advertisement, "rssi"), (.advertisement, "tx_power"), (.command, "code"), (.failure, "attempts"): .number
    case (.advertisement, "connectable"): .truth
    case (.advertisement, "services"), (.advertisement, "solicited"), (.failure, "others"): .list
    case (.tick, "due"): .time
    case (.tick, "late"): .duration
    default: nil
    }
  }
}

/// The fields of every device, besides those that a recipe sets.
package enum DeviceFields {
  package static let all = [
    "name", "address", "identity", "rssi", "heard", "mtu", "phy", "interval", "connected", "bonded", "encrypted", "resumed",
    "services",
  ]
}
