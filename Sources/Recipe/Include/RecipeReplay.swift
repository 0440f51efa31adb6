/// The answers given while a recipe was assembled, so that a changed text can be parsed without
/// reading files again.
struct RecipeReplay: Sendable {
  struct Refusal: Sendable {
    var path: String
    var why: String
    var note: String?
  }

  var folder = ""
  /// Each path with its file number.
  var files: [(path: String, file: Int)] = []
  var refusals: [Refusal] = []
}

extension ParsedRecipe {
  /// The recipe after replacing the text of one file.
  ///
  /// - Parameter other: returns the text of a path that was not requested before.
  func replacing(_ bytes: [UInt8], file: Int, other: (String) -> [UInt8]?) -> ParsedRecipe {
    func text(_ number: Int) -> [UInt8] { number == file ? bytes : sources[number].bytes }
    var assembly = RecipeAssembly(name: sources[0].name, text(0), identity: "0")
    assembly.folder = replay.folder
    while let wanted = assembly.wanted {
      if let known = replay.files.first(where: { $0.path == wanted }) {
        assembly.take(.file(identity: "\(known.file)", text(known.file)))
      } else if let refusal = replay.refusals.first(where: { $0.path == wanted }) {
        assembly.take(.refused(refusal.why, note: refusal.note))
      } else if let text = other(wanted) {
        assembly.take(.file(identity: "new \(wanted)", text))
      } else {
        assembly.take(.refused("there is no such file"))
      }
    }
    return assembly.finish()
  }
}
