package import Exchange
package import Vocabulary

/// The bond with a device in the format of bluetoothd: the text of
/// `/var/lib/bluetooth/ADAPTER/DEVICE/info`. The octets of keys are as on the air, in hex.
package enum BlueZBonds {
  package struct Refusal: Error, Equatable, Sendable {
    package var reason: String

    init(_ reason: String) { self.reason = reason }
  }

  /// The contents of a file.
  package struct Found: Equatable, Sendable {
    /// `nil` for a device that was not paired over LE.
    package var bond: Bond?
    /// What was left out.
    package var remarks: [String] = []
  }

  private static let central = "LongTermKey"
  /// The second is the older name; both are written.
  private static let peripheral = ["PeripheralLongTermKey", "SlaveLongTermKey"]

  // MARK: Reading

  /// - Parameters:
  ///   - device: The name of the folder: the identity address without its type.
  package static func read(_ text: String, device: Address, at now: WallTime) throws(Refusal) -> Found {
    let file = KeyFile(text)
    var found = Found()
    let read = ["General", "IdentityResolvingKey", central] + peripheral
    if let twice = file.contradictions.first(where: { read.contains($0.group) }) {
      throw Refusal("[\(twice.group)] has two values of \(Shown.text(twice.key))")
    }
    if file["General", "Blocked"] == "true" {
      throw Refusal("the device is blocked; unblock it there (bluetoothctl unblock \(device)), or set Blocked=false")
    }
    for group in ["LinkKey", "LocalSignatureKey", "RemoteSignatureKey"] where file.has(group) {
      found.remarks.append("[\(group)] is left out: it is not used on the LE links that tooth makes")
    }
    let identity = try identity(device, file["General", "AddressType"])
    let forCentral = try key(central, in: file)
    var forPeripheral: StoredKey?
    for group in peripheral {
      guard let stored = try key(group, in: file) else { continue }
      // The same key under two names.
      guard forPeripheral == nil || forPeripheral == stored else {
        throw Refusal("[\(peripheral[0])] and [\(peripheral[1])] differ, but they are two names of the same key")
      }
      forPeripheral = stored
    }
    let stored = [forCentral, forPeripheral].compactMap { $0 }
    let usable = stored.filter { $0.kind != .debug }
    if usable.count < stored.count { found.remarks.append("a key that was made with the debug key pair is left out") }
    guard let first = usable.first else { return found }
    guard usable.allSatisfy({ $0.size == first.size && $0.isAuthenticated == first.isAuthenticated }) else {
      throw Refusal("it has keys of two pairings")
    }
    let keys: Bond.Keys
    if let secure = usable.first(where: { $0.kind == .secureConnections }) {
      guard usable.allSatisfy({ $0.octets == secure.octets && $0.kind == .secureConnections }) else {
        throw Refusal("it has keys of two pairings")
      }
      guard secure.diversifier == 0, secure.random == 0 else { throw Refusal("a key of Secure Connections has EDiv or Rand") }
      keys = .secureConnections(secure.octets)
    } else {
      func legacy(_ key: StoredKey?) -> Bond.LegacyKey? {
        guard let key, key.kind == .legacy else { return nil }
        return Bond.LegacyKey(octets: key.octets, diversifier: key.diversifier, random: key.random)
      }
      keys = .legacy(peer: legacy(forCentral), own: legacy(forPeripheral))
    }
    var identityKey: [UInt8]?
    if let text = file["IdentityResolvingKey", "Key"] {
      guard let octets = octets(text) else { throw Refusal("the key of [IdentityResolvingKey] is not 32 hexadecimal digits") }
      // An IRK of zeros means none (Vol 3, Part H, 2.4.2.1).
      if octets.contains(where: { $0 != 0 }) {
        identityKey = octets
      } else {
        found.remarks.append("the key of [IdentityResolvingKey] is all zeros and left out: the device shows no private address")
      }
    } else if file.has("IdentityResolvingKey") {
      throw Refusal("[IdentityResolvingKey] has no Key")
    }
    found.bond = Bond(
      identity: identity, keys: keys, isAuthenticated: first.isAuthenticated, keySize: first.size,
      identityKey: identityKey, lastAddress: identity,
      name: file["General", "Name"].map { String($0.prefix(248)) }, madeAt: now, origin: .imported)
    return found
  }

  private static func identity(_ device: Address, _ kind: String?) throws(Refusal) -> Address {
    switch kind {
    case nil, "public": return Address(bits: device.bits, kind: .public)
    case "static":
      let address = Address(bits: device.bits, kind: .random)
      guard address.isStaticRandom else { throw Refusal("\(address) is not a static address") }
      return address
    case let other?: throw Refusal("the AddressType \(Shown.text(other)) is neither public nor static")
    }
  }

  private struct StoredKey: Equatable {
    enum Kind { case legacy, secureConnections, debug }

    var octets: [UInt8]
    var kind: Kind
    var isAuthenticated: Bool
    var size: UInt8
    var diversifier: UInt16
    var random: UInt64
  }

  private static func key(_ group: String, in file: KeyFile) throws(Refusal) -> StoredKey? {
    guard file.has(group) else { return nil }
    func value(_ name: String) throws(Refusal) -> String {
      guard let text = file[group, name] else { throw Refusal("[\(group)] has no \(name)") }
      return text
    }
    guard let octets = octets(try value("Key")) else { throw Refusal("the key of [\(group)] is not 32 hexadecimal digits") }
    guard octets.contains(where: { $0 != 0 }) else { throw Refusal("the key of [\(group)] is all zeros") }
    guard let size = UInt8(try value("EncSize")), 7...16 ~= size else { throw Refusal("the EncSize of [\(group)] is not 7 to 16") }
    // The octets above the size are zeros (Vol 3, Part H, 2.3.4).
    guard octets[Int(size)...].allSatisfy({ $0 == 0 }) else { throw Refusal("the key of [\(group)] is longer than its EncSize") }
    guard let diversifier = UInt16(try value("EDiv")) else { throw Refusal("the EDiv of [\(group)] is not 0 to 65535") }
    guard let random = random(try value("Rand")) else { throw Refusal("the Rand of [\(group)] is not a number of 64 bits") }
    let kind: StoredKey.Kind
    let authenticated = try value("Authenticated")
    switch authenticated {
    case "0", "1": kind = .legacy
    case "2", "3": kind = .secureConnections
    case "4": kind = .debug
    default: throw Refusal("the Authenticated of [\(group)] is not 0 to 4")
    }
    return StoredKey(
      octets: octets, kind: kind, isAuthenticated: authenticated == "1" || authenticated == "3", size: size,
      diversifier: diversifier, random: random)
  }

  /// 16 octets; older files have `0x` before them.
  package static func octets(_ text: String) -> [UInt8]? {
    let digits = Array((text.hasPrefix("0x") ? text.dropFirst(2) : text[...]).utf8)
    guard digits.count == 32 else { return nil }
    var octets: [UInt8] = []
    for place in stride(from: 0, to: 32, by: 2) {
      guard let high = Hex.digit(digits[place]), let low = Hex.digit(digits[place + 1]) else { return nil }
      octets.append(high << 4 | low)
    }
    return octets
  }

  /// A decimal number; in older files `0x` and the eight octets as on the air.
  private static func random(_ text: String) -> UInt64? {
    guard text.hasPrefix("0x") else { return UInt64(text) }
    guard text.utf8.count == 18, let value = UInt64(text.dropFirst(2), radix: 16), !text.contains("+") else { return nil }
    return value.byteSwapped
  }

  // MARK: Writing

  /// The text of `info`.
  package static func write(_ bond: Bond) -> String {
    var text = "[General]\n"
    if let name = bond.name { text += "Name=\(KeyFile.escaped(name))\n" }
    text += "AddressType=\(bond.identity.kind == .public ? "public" : "static")\n"
    text += "SupportedTechnologies=LE;\nTrusted=false\nBlocked=false\n"
    if let key = bond.identityKey { text += "\n[IdentityResolvingKey]\nKey=\(hex(key))\n" }
    let proof = bond.isAuthenticated ? 1 : 0
    func add(_ group: String, _ key: Bond.LegacyKey, _ authenticated: Int) {
      text += """

        [\(group)]
        Key=\(hex(key.octets))
        Authenticated=\(authenticated)
        EncSize=\(bond.keySize)
        EDiv=\(key.diversifier)
        Rand=\(key.random)

        """
    }
    switch bond.keys {
    case .secureConnections(let octets):
      let key = Bond.LegacyKey(octets: octets, diversifier: 0, random: 0)
      for group in peripheral { add(group, key, 2 + proof) }
    case .legacy(let peer, let own):
      if let peer { add(central, peer, proof) }
      if let own { for group in peripheral { add(group, own, proof) } }
    }
    return text
  }

  /// The text of `identity` in the folder of an adapter.
  static func write(identityKey: [UInt8]) -> String { "[General]\nIdentityResolvingKey=0x\(hex(identityKey).lowercased())\n" }

  static func identityKey(in text: String) -> [UInt8]? {
    KeyFile(text)["General", "IdentityResolvingKey"].flatMap(octets).flatMap { key in key.contains { $0 != 0 } ? key : nil }
  }

  private static func hex(_ octets: [UInt8]) -> String {
    octets.reduce(into: "") { $0 += Hex.text($1, uppercase: true) }
  }
}

/// Groups of `key=value` lines in GLib's format. Other lines are skipped.
struct KeyFile {
  private var values: [String: [String: String]] = [:]
  /// Keys that occur twice with different values.
  private(set) var contradictions: [(group: String, key: String)] = []

  init(_ text: String) {
    var group: String?
    for line in text.split(whereSeparator: \.isNewline) {
      let line = Self.trimmed(line)
      if line.hasPrefix("["), line.hasSuffix("]") {
        let name = String(line.dropFirst().dropLast())
        group = name
        values[name, default: [:]] = values[name] ?? [:]
      } else if let group, !line.hasPrefix("#"), let place = line.firstIndex(of: "=") {
        let name = String(Self.trimmed(line[..<place]))
        let value = Self.plain(Self.trimmed(line[line.index(after: place)...]))
        if let old = values[group]?.updateValue(value, forKey: name), old != value { contradictions.append((group, name)) }
      }
    }
  }

  func has(_ group: String) -> Bool { values[group] != nil }

  subscript(_ group: String, _ key: String) -> String? { values[group]?[key] }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }

  private static let escapes: [(plain: Character, letter: Character)] = [
    ("\\", "\\"), ("\n", "n"), ("\r", "r"), ("\t", "t"), (" ", "s"),
  ]

  private static func plain(_ text: Substring) -> String {
    var plain = ""
    var isEscaped = false
    for character in text {
      if isEscaped {
        plain.append(escapes.first { $0.letter == character }?.plain ?? character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else {
        plain.append(character)
      }
    }
    return plain
  }

  static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text {
      // GLib drops a space only at the start.
      if let escape = escapes.first(where: { $0.plain == character }), character != " " || escaped.isEmpty {
        escaped += "\\\(escape.letter)"
      } else if character == "\r\n" {
        escaped += "\\r\\n"
      } else if character.isNewline || character == "\0" {
        escaped += " "
      } else {
        escaped.append(character)
      }
    }
    return escaped
  }
}
