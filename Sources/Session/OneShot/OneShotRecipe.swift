package import Runner
import Vocabulary

/// The recipes of one-shot commands. `--show-recipe` prints these texts, and a command runs exactly
/// its text.
package enum OneShotRecipe {
  /// `tooth read DEV ATTR …`: one value, or a record of several.
  package static func read(_ device: OneShotDevice, _ attributes: [String], raw: Bool, within limit: String?) -> String {
    let within = limit.map { " within \($0)" } ?? ""
    let what = raw ? "read raw" : "read"
    var lines = device.connection(within: limit)
    guard attributes.count > 1 else {
      return text(lines + ["\(what) \(attributes[0])\(within) as value", "print value"])
    }
    var fields: [String] = []
    for (index, (attribute, key)) in zip(attributes, keys(of: attributes)).enumerated() {
      lines.append("\(what) \(attribute)\(within) as value_\(index + 1)")
      fields.append("\(key): value_\(index + 1)")
    }
    return text(lines + ["print {\(fields.joined(separator: ", "))}"])
  }

  /// `tooth write DEV ATTR V`, with a value in the syntax of the language.
  package static func write(
    _ device: OneShotDevice, _ attribute: String, value: String, withoutResponse: Bool, whenUnsure policy: String?,
    within limit: String?
  ) -> String {
    var line = "write \(value) to \(attribute)"
    if withoutResponse { line += " without response" }
    if let limit { line += " within \(limit)" }
    if let policy { line += " when unsure \(policy)" }
    return text(device.certainConnection(within: limit) + [line])
  }

  /// `tooth watch DEV ATTR …`: every value, or a number of them. `inColumns` always prints the same
  /// columns, for CSV.
  package static func watch(
    _ device: OneShotDevice, _ attributes: [String], count: UInt64?, times: Bool, inColumns: Bool = false, within limit: String?
  ) -> String {
    let within = limit.map { " within \($0)" } ?? ""
    let inColumns = inColumns && (times || attributes.count > 1)
    let time = times && !inColumns ? "value.at, " : ""
    var lines = device.connection(within: limit)
    lines.append("subscribe to \(attributes.joined(separator: ", "))\(within)")
    let keys = attributes.count > 1 || inColumns ? keys(of: attributes) : []
    if attributes.count == 1, count == nil, !inColumns {
      return text(lines + ["on notify \(attributes[0]) as value: print \(time)value", "reconnect forever"])
    }
    if attributes.count == 1, let count {
      lines.append("repeat \(count) times")
      lines.append("  wait for notify \(attributes[0]) within \(limit ?? "30s") as value")
      // Only a handler knows when the value arrived.
      let shown = inColumns ? "{time: now(), \(keys[0]): value}" : times ? "now(), value" : "value"
      return text(lines + ["  print \(shown)", "end"])
    }
    if let count { lines.insert("let left = \(count)", at: 0) }
    for (index, attribute) in attributes.enumerated() {
      let columns = inColumns ? keys : keys.isEmpty ? [] : [keys[index]]
      var fields = columns.map { "\($0): \($0 == keys[index] ? "value" : "nothing")" }
      if times, inColumns { fields.insert("time: value.at", at: 0) }
      let shown = fields.isEmpty ? "value" : "{\(fields.list(by: ", "))}"
      guard count != nil else {
        lines.append("on notify \(attribute) as value: print \(time)\(shown)")
        continue
      }
      lines.append("on notify \(attribute) as value")
      lines.append("  print \(time)\(shown)")
      lines.append("  set left to left - 1")
      lines.append("  if left is 0: stop")
      lines.append("end")
    }
    return text(lines + ["reconnect forever"])
  }

  /// `tooth info DEV`: every characteristic, on request with the readable values.
  package static func info(_ device: OneShotDevice, reads: Bool, within limit: String?) -> String {
    let within = limit.map { " within \($0)" } ?? ""
    let fields = "service: service, name: c.name, handle: c.handle, uuid: c.uuid, can: c.properties"
    var lines = device.connection(within: limit)
    lines += [
      "discover everything\(within)", "for each s in device.services", "  let service = s.name",
      "  if service is nothing: set service to s.uuid", "  for each c in s.characteristics",
    ]
    if reads {
      lines += [
        "    let value = nothing", "    let problem = nothing", "    if \"read\" in c.properties", "      try",
        "        read (c)\(within) as found",
        "        set value to found",
        "      otherwise if decode as failure", "        set problem to failure.message", "        try",
        "          read raw (c)\(within) as found", "          set value to found", "        otherwise",
        "          set value to nothing", "        end",
        "      otherwise if refused or needs_pairing or missing as failure", "        set problem to failure.message", "      end",
        "    end",
      ]
    }
    lines.append("    print {\(fields)\(reads ? ", value: value, problem: problem" : "")}")
    return text(lines + ["  end", "end"])
  }

  /// `tooth pair DEV`, with or without questions to the user.
  package static func pair(_ device: OneShotDevice, asks: Bool, waitsForOffer: Bool = false, within limit: String?) -> String {
    let within = limit.map { " within \($0)" } ?? ""
    let offer = waitsForOffer ? ["ask \"Press Enter when the device has the data of --give-oob:\" as ready"] : []
    return text(
      (asks ? questions : []) + offer + device.certainConnection(within: limit)
        + ["pair\(within)", "print {address: device.address, bonded: device.bonded}"])
  }

  private static let questions = [
    "on passkey request",
    "  repeat 3 times",
    "    ask \"Code shown by {device}:\" as code",
    "    if count(code.replace(\" \", \"\")) is 6: answer code",
    "    warn \"a code has six digits\"",
    "  end",
    "  refuse",
    "end",
    "on passkey display as code: log \"enter {code} at {device}\"",
    "on passkey confirm as code",
    "  let question = \"{device} cannot prove who it is. Pair? [y/N]\"",
    "  if code is not nothing",
    "    set question to \"Does {device} show {code} too? Only compare it, never type it anywhere [y/N]\"",
    "  end",
    "  ask question as reply",
    "  answer reply.lower() in [\"y\", \"yes\"]",
    "end",
  ]

  /// `tooth forget DEV`: scans for a device with a name.
  package static func forget(_ device: OneShotDevice, within limit: String?) -> String {
    switch device {
    case .address(let address), .alias(_, let address?, _): return forget([address])
    case .held(let address, let name):
      return text(OneShotDevice.others(of: name, than: address, within: limit)) + forget([address])
    case .name(let name), .alias(_, nil, let name):
      let forgetting = ["forget device_found", "print {address: device_found.address, bonded: device_found.bonded}"]
      return text(OneShotDevice.search(for: name, within: limit) + forgetting)
    }
  }

  /// One device, or none. `tooth forget --all` removes every bond that it can; the first one that
  /// remains is requested again at the end, so that its failure ends the run.
  package static func forget(_ addresses: [AddressValue]) -> String {
    guard addresses.count > 1 else { return text(addresses.map { "forget \($0.withKind)" }) }
    return text([
      "let kept = []",
      "for each address in [\(addresses.map(\.withKind).list(by: ", "))]",
      "  try",
      "    forget address",
      "  otherwise if file as problem",
      "    warn \"the bond with\", address, \"was not removed:\", problem.message",
      "    set kept to kept + [address]",
      "  end",
      "end",
      "for each address in kept",
      "  forget address",
      "end",
    ])
  }

  private static func keys(of attributes: [String]) -> [String] {
    var keys: [String] = []
    for attribute in attributes { keys.append(OneShotPiece.key(of: attribute, besides: keys)) }
    return keys
  }

  static func text(_ lines: [String]) -> String { lines.reduce(into: "") { $0 += $1 + "\n" } }
}
