import Crypto
import Linux
package import Recipe
package import Runner
import Vocabulary

/// The inputs of a run: the values for the machine, and the identity of the run.
package struct RunInputs: Sendable {
  package var values: [(name: String, value: Value)] = []
  /// The inputs that identify the run, in a canonical spelling: those that differ from their
  /// defaults and are not secret.
  package var identity: [(name: String, value: String)] = []
  /// The names of the inputs whose values were given, without secrets.
  package var given: [String] = []
  /// The SHA-256 of each file. A run only continues if the content is the same.
  package var pins: [(name: String, value: String)] = []

  package init() {}
}

/// An input that is missing or invalid. Exit code 2.
package struct InputRefusal: Error, Equatable, Sendable {
  package var message: String
  package var hint: String?

  init(_ message: String, hint: String? = nil) {
    self.message = message
    self.hint = hint
  }
}

/// Converts typed inputs to values of the types that a recipe declares.
package struct InputReader {
  /// The values of `--secret NAME=VALUE`.
  package var secrets: [(name: String, value: String)]
  package var environment: (String) -> String?

  package init(secrets: [(name: String, value: String)] = [], environment: @escaping (String) -> String? = Linux.environment) {
    self.secrets = secrets
    self.environment = environment
  }

  /// Reads the inputs. `given` is in the order of the command line.
  package func read(_ given: [(name: String, value: String)], of recipe: RecipeFile, _ sources: [SourceText]) throws(InputRefusal)
    -> RunInputs
  {
    var inputs = RunInputs()
    let known = recipe.inputs.filter { Self.isSecret($0) }.map(\.name.text)
    if let unknown = secrets.first(where: { !known.contains($0.name) })?.name {
      let near = Spelling.nearest(to: unknown, among: known)
      throw InputRefusal(
        "the recipe has no secret input \(unknown)" + (near.map { " — did you mean \($0)?" } ?? ""),
        hint: recipe.inputs.contains { $0.name.text == unknown } ? "give --\(String(unknown.map { $0 == "_" ? "-" : $0 }))" : nil)
    }
    for declaration in recipe.inputs {
      let name = declaration.name.text
      let option = "--" + String(name.map { $0 == "_" ? "-" : $0 })
      let plural = Self.singular(declaration.type.text)
      let type = plural ?? declaration.type.text
      var texts = given.filter { $0.name == name }.map(\.value)
      if type == "file", texts.isEmpty, let named = Self.defaultFiles(declaration) {
        var values: [Value] = []
        for text in named { values.append(try value(text, type, "the default of \(option)")) }
        inputs.values.append((name, plural == nil ? values[values.count - 1] : .list(values)))
        inputs.pins.append((name, try fingerprint(values)))
        continue
      }
      if type == "secret" {
        guard texts.isEmpty else { throw InputRefusal(Self.noOption(name), hint: Self.waysToGive(name)) }
        texts = secretTexts(name)
        guard let text = texts.last else {
          if declaration.initial != nil { continue }
          throw InputRefusal("the secret \(name) is missing", hint: Self.waysToGive(name))
        }
        inputs.values.append((name, plural == nil ? .text(text) : .list(texts.map { .text($0) })))
        continue
      }
      if texts.isEmpty {
        if type == "flag", plural == nil, declaration.initial == nil { inputs.values.append((name, .bool(false))) }
        guard declaration.initial == nil, type != "flag" else { continue }
        throw InputRefusal(
          "the input \(name) is missing\(declaration.help.map { ": \($0)" } ?? "")", hint: "add \(option) \(type.uppercased())")
      }
      var values: [Value] = []
      for text in texts { values.append(try value(text, type, option)) }
      let whole = plural == nil ? values[values.count - 1] : .list(values)
      inputs.values.append((name, whole))
      inputs.given.append(name)
      if type == "file" { inputs.pins.append((name, try fingerprint(values))) }
      guard plural == nil || !texts.contains(where: { $0.utf8.contains(Self.separator.value) }) else {
        throw InputRefusal("\(option) has a value with the control character U+001E, which separates values")
      }
      if type == "file", let usual = Self.defaultFiles(declaration), usual.map(Self.path) == texts.map(Self.path) { continue }
      if let initial = declaration.initial, let usual = constant(initial, type, sources), Self.isSame(usual, whole) { continue }
      let shown = zip(texts, values).map { type == "file" ? Self.path($0) : type == "text" ? $0 : Self.spelling($1) }
      inputs.identity.append((name, (plural == nil ? shown.suffix(1) : shown[...]).joined(separator: Self.separator.text)))
    }
    return inputs
  }

  /// The canonical spelling of a value; it is equal for `60s` and `1min`.
  private static func spelling(_ value: Value) -> String {
    if case .real(let real) = value { return Int64(exactly: real).map { "\($0)" } ?? "\(real)" }
    return TextRendering.text(of: value, Surroundings(zone: .utc))
  }

  /// The absolute path of a file. Symbolic links are not resolved because their targets may change.
  private static func path(_ text: String) -> String {
    let parts = absolute(text, in: workingDirectory()).split(separator: "/").filter { $0 != "." }
    return parts.reduce("") { "\($0)/\($1)" }
  }

  /// Whether two values of an input are the same.
  package static func isSame(_ one: Value, _ other: Value) -> Bool {
    switch (one, other) {
    case (.list(let ones), .list(let others)): ones.count == others.count && zip(ones, others).allSatisfy { isSame($0, $1) }
    default: one == other || spelling(one) == spelling(other)
    }
  }

  /// The value of a default; `nil` if it depends on running the recipe.
  private func constant(_ initial: Expression, _ type: String, _ sources: [SourceText]) -> Value? {
    switch initial.kind {
    case .string(let text): text.plain.map { .text($0) }
    case .bytes(let bytes): .bytes(bytes)
    case .list(let items):
      items.reduce([Value]?([])) { values, item in constant(item, type, sources).flatMap { item in values.map { $0 + [item] } } }
        .map { .list($0) }
    default: type == "text" || type == "file" ? nil : (try? value(sources.text(initial.range), type, ""))
    }
  }

  /// Separates the values of an input that has several. It cannot be typed on a keyboard.
  private static let separator: (text: String, value: UInt8) = ("\u{1E}", 0x1E)

  /// Returns the typed inputs from the identity of a run.
  package static func given(_ identity: [(name: String, value: String)], of recipe: RecipeFile) -> [(name: String, value: String)] {
    identity.flatMap { entry in
      guard let declared = recipe.inputs.first(where: { $0.name.text == entry.name }), singular(declared.type.text) != nil else {
        return [entry]
      }
      return entry.value.utf8.split(separator: separator.value, omittingEmptySubsequences: false)
        .map { (entry.name, String(Substring($0))) }
    }
  }

  package static func isSecret(_ input: InputDeclaration) -> Bool { (singular(input.type.text) ?? input.type.text) == "secret" }

  /// Other users can read the arguments in the process list, and the shell's history stores them.
  package static func noOption(_ name: String) -> String { "the input \(name) is a secret, so it has no option of its own" }

  package static func waysToGive(_ name: String) -> String { "set \(variable(name)), or give --secret \(name)=…" }

  /// The environment variable for a secret: `TOOTH_SECRET_PIN`.
  package static func variable(_ name: String) -> String { "TOOTH_SECRET_\(name.uppercased())" }

  /// The texts of a secret, in this order: the option, the environment variable with the name as
  /// written, the one in capitals, the credential.
  private func secretTexts(_ name: String) -> [String] {
    let given = secrets.filter { $0.name == name }.map(\.value)
    if !given.isEmpty { return given }
    if let text = environment("TOOTH_SECRET_\(name)") ?? environment(Self.variable(name)) { return [text] }
    if let folder = environment("CREDENTIALS_DIRECTORY"), let bytes = try? readFile("\(folder)/\(name)", limit: 1 << 20),
      var text = String(validating: bytes, as: UTF8.self)
    {
      while text.last == "\n" { text.removeLast() }
      return [text]
    }
    return []
  }

  /// The files that are the default of an input, which is then their content.
  package static func defaultFiles(_ input: InputDeclaration) -> [String]? {
    switch input.initial?.kind {
    case .string(let text): text.plain.map { [$0] }
    case .list(let items):
      items.isEmpty
        ? nil
        : items.reduce(into: [String]?([])) { paths, item in
          if case .string(let text) = item.kind, let plain = text.plain { paths?.append(plain) } else { paths = nil }
        }
    default: nil
    }
  }

  package static func isSecret(_ type: String) -> Bool { type == "secret" || type == "secrets" }

  /// The type of an element: `address` of `addresses`; `nil` for a type with one value.
  package static func singular(_ type: String) -> String? {
    switch type {
    case "texts", "numbers", "flags", "durations", "uuids", "files", "secrets": String(type.dropLast())
    case "addresses": "address"
    default: nil
    }
  }

  private func fingerprint(_ values: [Value]) throws(InputRefusal) -> String {
    var text = ""
    for case .bytes(let bytes) in values {
      do throws(CryptoError) {
        text += (text.isEmpty ? "" : " ") + Hex.text(try sha256(bytes), separator: "")
      } catch { throw InputRefusal("\(error)") }
    }
    return text
  }

  private func value(_ text: String, _ type: String, _ option: String) throws(InputRefusal) -> Value {
    switch type {
    case "text": return .text(text)
    case "number": return try number(text, option)
    case "flag":
      switch text {
      case "true", "yes": return .bool(true)
      case "false", "no": return .bool(false)
      default: throw InputRefusal("\(option) takes true or false, not \(text)")
      }
    case "duration":
      guard let span = DurationText.parse(text) else {
        throw InputRefusal("\(option) takes a duration like 500ms, 30s or 1h30min, not \(text)")
      }
      return .duration(span)
    case "uuid":
      if let uuid = UUID(text) { return .uuid(uuid) }
      if let uuid = AssignedNumbers.service(named: text) ?? AssignedNumbers.characteristic(named: text)
        ?? AssignedNumbers.descriptor(named: text)
      {
        return .uuid(uuid)
      }
      let near = SIGNames.suggestions(for: text, kinds: [.service, .characteristic, .descriptor]).first
      throw InputRefusal("\(option) takes a UUID or a name, not \(text)" + (near.map { " — did you mean \($0)?" } ?? ""))
    case "address":
      guard let address = AddressValue(text) else {
        throw InputRefusal("\(option) takes an address like C4:7C:8D:6A:12:0F, optionally with /public or /random, not \(text)")
      }
      return .address(address)
    case "bytes":
      guard let bytes = Hex.bytes(text) else { throw InputRefusal("\(option) takes hex digits like \"01 ff\", not \(text)") }
      return .bytes(bytes)
    case "file":
      do throws(SystemFailure) {
        return .bytes(try readFile(text, limit: 1 << 28))
      } catch { throw InputRefusal("\(option): \(text) cannot be read: \(error.reason)") }
    default: throw InputRefusal("\(option) is of the type \(type), which this version does not know")
    }
  }

  /// A number as in a recipe; also with a plus, an exponent, or nothing before the point, as other
  /// programs print it.
  private func number(_ text: String, _ option: String) throws(InputRefusal) -> Value {
    let unsigned = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text[...]
    let digits = unsigned.lowercased().filter { $0 != "_" }
    let decimal = UInt8(ascii: "0")...UInt8(ascii: "9")
    if let first = unsigned.utf8.first, decimal.contains(first) || first == UInt8(ascii: ".") {
      switch DecimalText.parse((text.hasPrefix("-") ? "-" : "") + (digits.hasPrefix(".") ? "0" : "") + digits) {
      case .integer(let number): return .int(number)
      case .real(let number): return .real(number)
      case nil:
        if digits.utf8.allSatisfy(decimal.contains) {
          throw InputRefusal("\(option) takes a number, not \(text)", hint: "whole numbers have 64 bits")
        }
      }
    }
    throw InputRefusal("\(option) takes a number, not \(text)")
  }
}
