import Recipe
package import Runner

/// The device of a one-shot command, as the user named it.
package enum OneShotDevice: Equatable, Sendable {
  case address(AddressValue)
  /// A device with this name to which a keeper is connected.
  case held(AddressValue, name: String)
  /// A name. With `*` or `?` it means the strongest device that matches.
  case name(String)
  /// An alias of one of the others.
  case alias(String, address: AddressValue?, name: String)

  /// Parses a word of the command line, which may be an alias.
  package init(_ word: String, aliases: [(name: String, device: String)]) {
    if let address = AddressValue(word) {
      self = .address(address)
    } else if let known = aliases.first(where: { $0.name == word }) {
      self = .alias(known.name, address: AddressValue(known.device), name: known.device)
    } else {
      self = .name(word)
    }
  }

  /// The name to look for, if the address is unknown.
  package var soughtName: String? {
    switch self {
    case .address, .held: nil
    case .name(let name): name
    case .alias(_, let address, let name): address == nil ? name : nil
    }
  }

  /// The address, if it was given or a link to it exists.
  var knownAddress: AddressValue? {
    switch self {
    case .address(let address), .held(let address, _): address
    case .name, .alias: nil
    }
  }

  /// The device that an alias refers to.
  package var withoutAlias: OneShotDevice {
    guard case .alias(_, let address, let name) = self else { return self }
    return address.map { .address($0) } ?? .name(name)
  }

  /// Whether any of several devices may match.
  package var isPattern: Bool { soughtName?.utf8.contains { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "?") } ?? false }

  /// Its name or address in a recipe: `let scale = D0:03:4B:11:90:5E`.
  package static func literal(_ device: String) -> String { AddressValue(device)?.withKind ?? RecipeLiteral.text(device) }

  /// The statement that finds a device by its name and gives it an alias.
  static func finding(_ name: String, as alias: String) -> String {
    let isPattern = name.utf8.contains { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "?") }
    let what = RecipeLiteral.text(name)
    return isPattern ? "scan for strongest \(what) within 5s as \(alias)" : "scan for \(what) as \(alias)"
  }

  /// The statements that connect to it, with this limit for each step.
  func connection(within limit: String?) -> [String] {
    let within = limit.map { " within \($0)" } ?? ""
    var lines: [String] = []
    switch self {
    case .address(let address), .held(let address, _): lines = ["connect to \(address.withKind)\(within)"]
    case .name(let name):
      lines = [isPattern ? strongest(RecipeLiteral.text(name), limit) : "scan for \(RecipeLiteral.text(name))\(within)"]
    case .alias(let alias, let address, let name):
      lines = ["let \(alias) = \(Self.literal(name))"]
      if address != nil {
        lines.append("connect to \(alias)\(within)")
      } else {
        lines.append(isPattern ? strongest(alias, limit) : "scan for \(alias)\(within)")
      }
    }
    if soughtName != nil { lines.append("connect\(within)") }
    return lines
  }

  /// The statements that connect to it if no other device has its name.
  func certainConnection(within limit: String?) -> [String] {
    if case .held(let address, let name) = self {
      return Self.others(of: name, than: address, within: limit) + connection(within: limit)
    }
    guard let name = soughtName, !isPattern else { return connection(within: limit) }
    return Self.search(for: name, within: limit) + ["connect to device_found\(limit.map { " within \($0)" } ?? "")"]
  }

  /// The statements that find `device_found`, and fail if another device has its name. Most devices
  /// advertise at least once per second.
  static func search(for name: String, within limit: String?) -> [String] {
    ["scan for \(RecipeLiteral.text(name))\(limit.map { " within \($0)" } ?? "") as device_found"]
      + others(of: name, than: "device_found.address", "{device_found.address}", within: limit)
  }

  static func others(of name: String, than address: AddressValue, within limit: String?) -> [String] {
    others(of: name, than: "\(address)", "\(address)", within: limit)
  }

  /// The statements that fail if another device has the name.
  /// - Parameters:
  ///   - address: The address of the intended device, as an expression.
  ///   - shown: The same for a text.
  private static func others(of name: String, than address: String, _ shown: String, within limit: String?) -> [String] {
    let isShort = limit.flatMap { DurationText.parse($0) }.map { $0 < .seconds(2) } ?? false
    let both = "\(shown) and {device_other.address} have the name {device_other.name}"
    return [
      "let device_other = nothing",
      "try",
      "  scan for \(RecipeLiteral.text(name)) where it.address is not \(address) within \(isShort ? limit ?? "2s" : "2s") as other",
      "  set device_other to other",
      "otherwise if not_found",
      "  debug \"no other device has this name\"",
      "end",
      "if device_other is not nothing: fail \"\(both): give an address, or make a name for it with tooth alias\"",
    ]
  }

  /// Scans for the whole limit, because all devices must be received before the choice.
  private func strongest(_ what: String, _ limit: String?) -> String { "scan for strongest \(what) within \(limit ?? "5s")" }
}
