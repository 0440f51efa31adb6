import Linux
package import Recipe
import Runner

/// A recipe as it was read: its text, and its tree if it has no errors.
package struct LoadedRecipe: Sendable {
  /// The name as given by the user; `-` for stdin, `-e` for lines.
  package var name: String
  package var text: [UInt8]
  /// `nil` if there are errors.
  package var recipe: RecipeFile?
  /// The text of the recipe, then those of the included files, in the order of their numbers.
  package var sources: [SourceText]
  /// Errors and warnings, in the order of the text.
  package var findings: [Diagnostic]
  /// The files that it names outside its tests.
  package let files: [FileUse]

  private let parsed: ParsedRecipe
  /// The path of its file.
  private let path: String?

  /// The text for a checkpoint, with those of the included files.
  package var stored: [UInt8]

  package var source: SourceText { sources[of: .none] }

  init(_ parsed: ParsedRecipe, name: String, text: [UInt8], path: String? = nil, offersFixes: Bool = true) {
    self.name = name
    self.text = text
    recipe = parsed.recipe
    sources = parsed.sources
    let analysis = offersFixes ? Analysis(parsed) { IncludedFiles(of: path).text($0) } : Analysis(withoutFixes: parsed)
    findings = analysis.findings
    files = analysis.files
    stored = parsed.stored
    self.parsed = parsed
    self.path = path
  }

  /// The recipe with all unambiguous fixes applied.
  package func mended() -> Mending { Mending(parsed) { IncludedFiles(of: path).text($0) } }

  /// The recipe as the start of a prompt, where events that handlers wait for may be typed later.
  package var atPrompt: LoadedRecipe {
    var copy = self
    copy.findings.removeAll { Self.unknownAtPrompt.contains($0.code) }
    return copy
  }

  /// What depends on statements that may be typed later: the end, the device, subscriptions, and
  /// the order of values.
  private static let unknownAtPrompt = EntryChecker.endings + ["T210", "T211", "T219", "T231", "T246"]

  package var hasErrors: Bool { recipe == nil || findings.contains { $0.severity == .error } }
}

/// A recipe that cannot be opened. Exit code 2.
package struct RecipeUnreadable: Error, Equatable, Sendable {
  package var message: String
  package var hint: String?

  package init(message: String, hint: String? = nil) {
    self.message = message
    self.hint = hint
  }
}

package enum RecipeLoader {
  /// Beyond the limit of a recipe, so that the parser reports one that is too large.
  private static let limit = 1 << 24

  package static func load(path: String) throws(RecipeUnreadable) -> LoadedRecipe {
    let bytes: [UInt8]
    do throws(SystemFailure) {
      bytes = try readFile(path, limit: limit)
    } catch {
      if error.code == tooLarge { return assembled(path, [UInt8](repeating: 0x20, count: limit), path: path) }
      throw refusal(path, error)
    }
    return assembled(path, bytes, path: path)
  }

  /// Loads the declarations of a file, with a body that serves one of its peripherals. The rest is
  /// removed; line numbers stay the same.
  /// - Parameter peripheral: `nil` for the only one.
  package static func serving(path: String, peripheral: String?) throws(RecipeUnreadable) -> (
    recipe: LoadedRecipe, peripheral: String
  ) {
    let whole = try load(path: path)
    guard let tree = whole.recipe else { return (whole, peripheral ?? "") }
    let known = tree.peripherals.map(\.name.text)
    let name: String
    if let peripheral {
      guard known.contains(peripheral) else {
        let near = Spelling.nearest(to: peripheral, among: known)
        throw RecipeUnreadable(
          message: "\(path) has no peripheral `\(peripheral)`",
          hint: near.map { "did you mean `\($0)`?" } ?? (known.isEmpty ? nil : "it has \(known.joined(separator: ", "))"))
      }
      name = peripheral
    } else {
      guard let only = known.first else {
        throw RecipeUnreadable(
          message: "\(path) has no peripheral to serve", hint: "a file declares one with `peripheral NAME` … `end`")
      }
      guard known.count == 1 else {
        throw RecipeUnreadable(
          message: "\(path) has several peripherals: \(known.joined(separator: ", "))",
          hint: "name one: tooth serve \(path) \(only)")
      }
      name = only
    }
    var text = declarations(of: tree, whole.text, keepsHandlers: false)
    let mark = "  \(LineTable.addedMark)"
    let parts = tree.peripherals.first { $0.name.text == name }?.parts ?? []
    let isHeard = parts.contains { if case .advertise = $0.kind { true } else { false } }
    let message = "serving \(name)\(isHeard ? "" : ", which does not advertise yet"); Ctrl-C ends it"
    text += Array("\nserve \(name)\(mark)\nlog \"\(message)\"\(mark)\nwait forever\(mark)\n".utf8)
    return (assembled(path, text, path: path), name)
  }

  /// Loads the declarations and handlers of a file for a prompt, with the values that need no
  /// statement. The rest of the body is removed; line numbers stay the same.
  package static func prompting(path: String) throws(RecipeUnreadable) -> LoadedRecipe {
    let whole = try load(path: path).atPrompt
    guard let tree = whole.recipe, !whole.hasErrors else { return whole }
    return assembled(path, declarations(of: tree, whole.text, keepsHandlers: true), path: path).atPrompt
  }

  /// The text without its body, except for constants.
  private static func declarations(of tree: RecipeFile, _ whole: [UInt8], keepsHandlers: Bool) -> [UInt8] {
    var text = whole
    var constants = Set(keepsHandlers ? tree.inputs.map(\.name.text) + tree.remembers.map(\.name.text) : [])
    for member in tree.body where member.range.file == 0 {
      switch member {
      case .statement(let statement):
        if case .let(let given, let value) = statement.kind,
          keepsHandlers ? value.isComputable(knowing: constants) : value.isConstant(knowing: constants)
        {
          constants.insert(given.text)
          continue
        }
      case .handler, .whenever: if keepsHandlers { continue }
      }
      let (start, end) = (Int(member.range.start), min(Int(member.range.end), text.count))
      guard start < end else { continue }
      for place in start..<end where text[place] != UInt8(ascii: "\n") && text[place] != UInt8(ascii: "\r") {
        text[place] = UInt8(ascii: " ")
      }
    }
    return text
  }

  package static func loadStandardInput() throws(RecipeUnreadable) -> LoadedRecipe {
    do throws(SystemFailure) {
      return parse(name: "stdin", try readAll(0, named: "stdin", limit: limit))
    } catch {
      throw RecipeUnreadable(message: "stdin cannot be read: \(error.reason)")
    }
  }

  /// Parses a recipe that is in no file. It includes files relative to the working directory.
  /// - Parameter offersFixes: Whether findings have fixes, which take time to try.
  package static func parse(name: String, _ text: [UInt8], offersFixes: Bool = true) -> LoadedRecipe {
    assembled(name, text, path: nil, offersFixes: offersFixes)
  }

  /// Parses the text in a checkpoint without reading any file.
  package static func parse(name: String, stored: [UInt8]) -> LoadedRecipe {
    let stored = StoredRecipe(stored)
    return LoadedRecipe(stored.assembled(name: name), name: name, text: stored.text)
  }

  /// Parses the lines of `-e`. Prints the value of the last statement if that has no name.
  package static func parse(lines: [String]) -> LoadedRecipe {
    parse(name: "-e", Array(LastValue.printed(lines.map(withoutSeparator).joined(separator: "\n") + "\n").utf8))
  }

  /// Removes a `;` at the end of an argument, a habit from shells.
  private static func withoutSeparator(_ line: String) -> String {
    let text = line.utf8
    guard let last = text.lastIndex(where: { $0 != 0x20 && $0 != 0x09 }), text[last] == UInt8(ascii: ";") else { return line }
    return String(line[..<last])
  }

  private static func assembled(_ name: String, _ text: [UInt8], path: String?, offersFixes: Bool = true) -> LoadedRecipe {
    var assembly = RecipeAssembly(name: name, text)
    if assembly.wanted != nil { IncludedFiles(of: path).give(to: &assembly) }
    return LoadedRecipe(assembly.finish(), name: name, text: text, path: path, offersFixes: offersFixes)
  }

  private static let tooLarge: Int32 = SystemFailure.tooLarge

  private static func refusal(_ path: String, _ failure: SystemFailure) -> RecipeUnreadable {
    if failure.isMissing {
      let near = IncludedFiles.near(path)
      return RecipeUnreadable(message: "there is no file \(path)", hint: near.map { "did you mean \($0)?" })
    }
    if failure.isDirectory {
      return RecipeUnreadable(message: "\(path) is a directory; a recipe is a file", hint: "name the file in it")
    }
    return RecipeUnreadable(message: "\(path) cannot be read: \(failure.reason)")
  }
}
