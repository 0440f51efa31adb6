import Exchange
import Linux
import Recipe
import Runner
import Session
import Vocabulary

/// The inputs of a recipe that a test starts, from the record after `with`.
struct TestInputs {
  var inputs: RunInputs

  init(
    _ record: Record, of recipe: RecipeFile, sources: [SourceText], folders: [String], _ surroundings: Surroundings
  ) throws(Failure) {
    var given: [(name: String, value: String)] = []
    var secrets: [(name: String, value: String)] = []
    for field in record.fields {
      guard let declared = recipe.inputs.first(where: { $0.name.text == field.key }) else {
        let known = recipe.inputs.map(\.name.text)
        let near = Spelling.nearest(to: field.key, among: known)
        throw .value(
          "\(recipe.name) has no input `\(field.key)`" + (near.map { " — did you mean `\($0)`?" } ?? ""),
          hint: known.isEmpty ? "it has none" : "it has \(known.joined(separator: ", "))")
      }
      let type = InputReader.singular(declared.type.text) ?? declared.type.text
      var values = [field.value]
      if case .list(let list) = field.value { values = list }
      for value in values {
        let text = try Self.text(value, type, folders, surroundings)
        if type == "secret" { secrets.append((field.key, text)) } else { given.append((field.key, text)) }
      }
    }
    for declared in recipe.inputs where (InputReader.singular(declared.type.text) ?? declared.type.text) == "file" {
      guard record[declared.name.text] == nil, let paths = InputReader.defaultFiles(declared) else { continue }
      for path in paths { given.append((declared.name.text, try Self.text(.text(path), "file", folders, surroundings))) }
    }
    do throws(InputRefusal) {
      inputs = try InputReader(secrets: secrets, environment: { _ in nil }).read(given, of: recipe, sources)
    } catch {
      throw .value(error.message, hint: error.hint.map { String($0.prefix { $0 != "\n" }) })
    }
  }

  private static func text(_ value: Value, _ type: String, _ folders: [String], _ surroundings: Surroundings) throws(Failure)
    -> String
  {
    switch (type, value) {
    case ("file", .text(let path)):
      if path.hasPrefix("/") { return path }
      let places = folders.map { $0 == "." ? path : "\($0)/\(path)" }
      return places.first { realPath($0) != nil } ?? places[places.count - 1]
    case ("file", .bytes(let bytes)):
      let path = "\(folders[0])/.input-\(Hex.text(Array("\(FNV1a.hash(bytes))".utf8), separator: ""))"
      do throws(SystemFailure) { try saveFile(path, bytes) } catch { throw Failure(.file, "\(error)", blame: .recipe) }
      return path
    case ("bytes", .bytes(let bytes)): return Hex.text(bytes)
    default: return TextRendering.text(of: value, surroundings)
    }
  }
}
