import Recipe
import Vocabulary

/// Pieces of the language in words of a command line. Each must be complete, so that nothing in it
/// can change the recipe around it.
package enum OneShotPiece {
  /// Whether the text is an attribute: `battery_level`, `0x2A19`, `heart_rate/battery_level`,
  /// `name[1]`, `handle 0x0016`.
  package static func isAttribute(_ text: String) -> Bool {
    guard case .unsubscribe(let list)? = only("unsubscribe from ", text), list.count == 1 else { return false }
    return list[0].device == nil
  }

  /// The attribute that an invalid text probably means: `0x2A19` for `2A19`, `battery_level` for
  /// `Battery Level`.
  package static func attributeMeant(by text: String) -> String? {
    let digits = text.utf8.count
    if [4, 8].contains(digits), Hex.bytes(text) != nil, isAttribute("0x\(text)") { return "0x\(text)" }
    let name = word(text.lowercased())
    let kinds: [AssignedNumbers.Kind] = [.characteristic, .service, .descriptor]
    return kinds.contains { AssignedNumbers.allNames($0).contains(name) } && name != text ? name : nil
  }

  /// Whether the text is an expression.
  package static func isExpression(_ text: String) -> Bool {
    if case .let? = only("let value = ", text) { true } else { false }
  }

  /// Whether a name may contain this byte.
  package static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"), 0x5F:
      true
    default: false
    }
  }

  /// The key of an attribute in a record: the last name in it.
  package static func key(of attribute: String, besides taken: [String]) -> String {
    var key = ""
    if case .unsubscribe(let list)? = only("unsubscribe from ", attribute), case .path(let steps) = list.first?.kind,
      let last = steps.last
    {
      switch last.uuid.kind {
      case .name(let name): key = name
      case .literal(let uuid):
        key = AssignedNumbers.name(ofCharacteristic: uuid) ?? AssignedNumbers.name(ofDescriptor: uuid) ?? "uuid_\(uuid)"
      }
    } else {
      key = attribute
    }
    key = word(key)
    var result = key
    var number = 2
    while taken.contains(result) {
      result = "\(key)_\(number)"
      number += 1
    }
    return result
  }

  /// The only statement of the line, if it ends with the text.
  private static func only(_ start: String, _ text: String) -> StatementKind? {
    let line = start + text
    guard !text.isEmpty, !text.utf8.contains(where: { $0 < 0x20 }),
      let recipe = RecipeAssembly(name: "", Array((line + "\n").utf8)).ownFile, recipe.body.count == 1,
      case .statement(let statement) = recipe.body[0], statement.otherwise == nil,
      Int(statement.range.end) == line.utf8.count
    else { return nil }
    return statement.kind
  }

  /// Keeps only letters, digits and `_`.
  private static func word(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
      if isWord(byte) {
        result.unicodeScalars.append(UnicodeScalar(byte))
      } else if !result.isEmpty, !result.hasSuffix("_") {
        result += "_"
      }
    }
    while result.hasSuffix("_") { result.removeLast() }
    if let first = result.utf8.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) { result = "uuid_" + result }
    return result.isEmpty ? "value" : result
  }
}
