import Exchange
import Recipe
import Runner
import Session
import Vocabulary

extension ScriptedInput {
  /// Takes the fields of the record after `start recipe … with` that are not inputs. An input with
  /// the same name has priority.
  convenience init(taking with: inout Record, of recipe: RecipeFile, _ surroundings: Surroundings) throws(Failure) {
    func take(_ name: String) -> Value? {
      guard !recipe.inputs.contains(where: { $0.name.text == name }), let value = with[name] else { return nil }
      with = Record(with.fields.filter { $0.key != name })
      return value
    }
    func texts(_ name: String) throws(Failure) -> [String] {
      guard let value = take(name) else { return [] }
      guard case .list(let list) = value else { throw .value("`\(name)` is a list of texts, not \(value.typeName)") }
      return list.map { TextRendering.text(of: $0, surroundings) }
    }
    let lines = try texts("lines")
    let answers = try texts("answers")
    var results: [(program: String, result: CommandResult)] = []
    switch take("commands") {
    case nil: break
    case .record(let record)?:
      for field in record.fields { results.append((field.key, try Self.result(field.value, field.key, surroundings))) }
    case let other?:
      throw .value("`commands` is a record of programs, not \(other.typeName)", hint: "as in {commands: {date: \"12\"}}")
    }
    self.init(lines: lines, answers: answers, results: results)
  }

  private static func result(_ value: Value, _ name: String, _ surroundings: Surroundings) throws(Failure) -> CommandResult {
    func code(_ value: Value) throws(Failure) -> Int {
      guard let code = value.whole, (0...255).contains(code) else { throw .value("the exit code of `\(name)` is 0 to 255") }
      return Int(code)
    }
    func octets(_ value: Value) -> [UInt8] {
      if case .bytes(let bytes) = value { return bytes }
      return Array(TextRendering.text(of: value, surroundings).utf8)
    }
    switch value {
    case .record(let record):
      var result = CommandResult(code: 0)
      for field in record.fields {
        switch field.key {
        case "code": result.code = try code(field.value)
        case "out": result.out = octets(field.value)
        case "err": result.err = octets(field.value)
        default: throw .value("a program has no `\(field.key)`", hint: "it has code, out and err")
        }
      }
      return result
    case .text, .bytes: return CommandResult(code: 0, out: octets(value))
    case .int: return CommandResult(code: try code(value))
    default: throw .value("`\(name)` needs a record {code, out, err}, its output, or its exit code")
    }
  }
}
