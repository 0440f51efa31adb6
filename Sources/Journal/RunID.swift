import Vocabulary

/// The name of a run: readable, and the same for the same recipe with the same inputs or for the
/// same `--as NAME`.
package struct RunID: Hashable, Comparable, Sendable, CustomStringConvertible {
  package var text: String

  /// Parses a printed name; `nil` if it could lead out of the state directory.
  package init?(_ text: String) {
    guard !text.isEmpty, text.utf8.count <= 200, !text.hasPrefix("."), text != "shared", text.utf8.allSatisfy(Self.isPlain)
    else { return nil }
    self.text = text
  }

  static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
      true
    default: false
    }
  }

  package init(_ identity: RunIdentity) {
    let digits = String(Self.hash(identity.canonical), radix: 16)
    // Appends whole strings, because for a substring generic library code looks up types, at
    // 120,000 instructions.
    text = Self.prefix(of: identity.owner) + String((String(repeating: "0", count: 16 - digits.utf8.count) + digits).suffix(8))
  }

  /// The prefix of the names of an owner's runs. Other owners may share it: a recipe of that name
  /// in another folder.
  static func prefix(of owner: RunIdentity.Owner) -> String {
    let base: String
    switch owner {
    case .name(let name): base = name
    case .path(let path):
      let file = path.split(separator: "/").last.map(String.init) ?? path
      base = file.hasSuffix(".ble") ? String(file.dropLast(4)) : file
    }
    var slug = ""
    for byte in base.utf8.prefix(40) { slug.unicodeScalars.append(Unicode.Scalar(Self.isPlain(byte) ? byte : UInt8(ascii: "-"))) }
    while slug.hasPrefix(".") || slug.hasPrefix("-") { slug.removeFirst() }
    return slug.isEmpty ? "run-" : "\(slug)-"
  }

  private static func hash(_ text: String) -> UInt64 {
    // The low half of FNV is better mixed, so fold the high half in.
    let value = FNV1a.hash(text.utf8)
    return value ^ value >> 32
  }

  /// The name without the digits that make it unique: `prompt` of `prompt-1598a467`.
  package var name: Substring { text.utf8.count > 9 ? text.dropLast(9) : "" }

  package var description: String { text }

  package static func < (left: RunID, right: RunID) -> Bool { left.text < right.text }
}

/// The identity of a run: the recipe's real path and the values of its inputs (secrets by name
/// only), or a name.
package struct RunIdentity: Equatable, Sendable {
  package enum Owner: Equatable, Sendable {
    case path(String)
    case name(String)

    /// The owner of `remember`ed values.
    package var text: String {
      switch self {
      case .path(let path): "path:\(path)"
      case .name(let name): "name:\(name)"
      }
    }
  }

  package var owner: Owner
  /// In the order of the recipe. Not part of the identity if the run has a name.
  package var inputs: [(name: String, value: String)]

  package init(owner: Owner, inputs: [(name: String, value: String)]) {
    self.owner = owner
    self.inputs = inputs
  }

  package static func == (left: RunIdentity, right: RunIdentity) -> Bool { left.canonical == right.canonical }

  /// The identity as text. Its unit separators cannot be typed by accident.
  package var canonical: String {
    switch owner {
    case .name: owner.text
    case .path: inputs.sorted { $0.name < $1.name }.reduce(owner.text) { "\($0)\u{1F}\($1.name)=\($1.value)" }
    }
  }
}
