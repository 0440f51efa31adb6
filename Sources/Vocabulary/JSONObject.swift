/// A JSON object on one line without spaces, written as its members are set (RFC 8259). Members
/// keep their order; repeated names are not detected.
package struct JSONObject: Sendable {
  private var members: String

  package init() { members = "" }

  /// The object, including its braces.
  package var text: String { "{" + members + "}" }

  package mutating func set(_ name: String, _ text: String?) {
    begin(name)
    if let text { Self.quote(text, to: &members) } else { members += "null" }
  }

  package mutating func set(_ name: String, _ number: Int?) {
    begin(name)
    members += number.map { String($0) } ?? "null"
  }

  package mutating func set(_ name: String, _ truth: Bool?) {
    begin(name)
    members += truth.map { $0 ? "true" : "false" } ?? "null"
  }

  package mutating func set(_ name: String, _ object: JSONObject) { set(name, json: object.text) }

  package mutating func set(_ name: String, _ objects: [JSONObject]) {
    set(name, json: "[" + objects.map(\.text).list(by: ",") + "]")
  }

  package mutating func set(_ name: String, _ texts: [String]) {
    begin(name)
    members += "["
    for (place, text) in texts.enumerated() {
      if place > 0 { members += "," }
      Self.quote(text, to: &members)
    }
    members += "]"
  }

  package mutating func setNull(_ name: String) { set(name, json: "null") }

  /// Sets a member to a value that is already JSON.
  package mutating func set(_ name: String, json: String) {
    begin(name)
    members += json
  }

  private mutating func begin(_ name: String) {
    if !members.isEmpty { members += "," }
    Self.quote(name, to: &members)
    members += ":"
  }

  /// A single JSON string.
  package static func quoted(_ string: String) -> String {
    var text = ""
    quote(string, to: &text)
    return text
  }

  /// Appends a JSON string, escaping quotation marks, backslashes and control characters (section
  /// 7).
  package static func quote(_ string: String, to text: inout String) {
    text += "\""
    if string.utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
      text += string
    } else {
      for scalar in string.unicodeScalars {
        switch scalar {
        case "\"": text += "\\\""
        case "\\": text += "\\\\"
        case "\n": text += "\\n"
        case "\r": text += "\\r"
        case "\t": text += "\\t"
        case _ where scalar.value < 0x20: text += "\\u00" + Hex.text(UInt8(scalar.value))
        default: text.unicodeScalars.append(scalar)
        }
      }
    }
    text += "\""
  }
}
