import Exchange

/// Joins a recipe and the files it includes. It reads no files itself: `wanted` is the next path,
/// and the caller passes the text to `take` until `wanted` is `nil`.
///
/// Declarations of a file come before those of the files that include it, and the recipe's come
/// last. A file that is included twice is added once.
package struct RecipeAssembly: Sendable {
  package enum Answer: Sendable {
    /// The content. Two paths of the same file have the same `identity`.
    case file(identity: String, [UInt8])
    /// The reason why there is no text, and a note that may help. `meant` is the path of an
    /// existing file that was probably meant.
    case refused(String, note: String? = nil, meant: String? = nil)
  }

  /// Limits on the number of included files and of `include` lines.
  package static let fileLimit = 255
  package static let lineLimit = 1000

  /// The folder of the recipe, shown before the paths of included files.
  package var folder = ""

  private struct File {
    var path: String
    var identity: String?
    var tree: RecipeFile
    var source: SourceText
    /// The including file, and the range of its `include`.
    var parent: (file: Int, range: SourceRange)?
  }

  /// The recipe itself first, then the others in the order in which they were requested.
  private var files: [File]
  /// Files whose includes are being followed, outermost first, each with the index of its next one.
  private var open: [(file: Int, next: Int)] = []
  /// Files whose own includes are complete.
  private var order: [Int] = []
  private var diagnostics: [Diagnostic]
  private var size: Int
  private var nextID: Int
  private let text: [UInt8]
  /// The file number of each answer, for the checkpoint.
  private var answers: [Int] = []
  private var asked: [(path: String, file: Int)] = []
  /// The number of `include` lines followed so far.
  private var lines = 0
  /// Refused paths, with the reasons.
  private var refusals: [RecipeReplay.Refusal] = []

  /// - Parameter identity: of the recipe's own file, if there is one.
  package init(name: String, _ bytes: [UInt8], identity: String? = nil) {
    let parsed = ParsedFile(bytes, name: name)
    text = bytes
    size = bytes.count
    nextID = parsed.tree.idCount
    diagnostics = parsed.diagnostics
    files = [File(path: "", identity: identity, tree: parsed.tree, source: parsed.source, parent: nil)]
    if !parsed.tree.includes.isEmpty { open = [(0, 0)] }
    goOn()
  }

  /// Sets the identity of the recipe's own file, if it was not known at first.
  package mutating func identify(as identity: String) { files[0].identity = identity }

  /// The recipe's own file without included ones; `nil` if it has errors.
  package var ownFile: RecipeFile? { diagnostics.contains { $0.severity == .error } ? nil : files[0].tree }

  /// The next path whose text is needed, relative to the folder of the recipe unless it is
  /// absolute.
  package var wanted: String? { open.last.flatMap { path(of: include($0), in: $0.file) } }

  package mutating func take(_ answer: Answer) {
    guard let top = open.last, let path = path(of: include(top), in: top.file) else { return }
    let include = include(top)
    open[open.count - 1].next += 1
    switch answer {
    case .refused(let why, let note, let meant):
      refusals.append(RecipeReplay.Refusal(path: path, why: why, note: note))
      diagnostics.append(
        Diagnostic(
          "T037", "`\(path)` cannot be included", at: include.file.range, why,
          fixes: meant.map { [.replace(include.file.range, with: "\"\($0)\"")] } ?? [], notes: note.map { [$0] } ?? []))
    case .file(let identity, let bytes):
      if let known = files.firstIndex(where: { $0.identity == identity }) {
        asked.append((path, known))
        answers.append(known)
        again(known, include)
      } else {
        asked.append((path, files.count))
        answers.append(files.count)
        add(path, identity, bytes, include, in: top.file)
      }
    }
    goOn()
  }

  // MARK: - following includes

  private func include(_ top: (file: Int, next: Int)) -> IncludeDeclaration { files[top.file].tree.includes[top.next] }

  /// `nil` if the quoted text is not a path.
  private func path(of include: IncludeDeclaration, in file: Int) -> String? {
    guard let path = include.file.plain, !path.isEmpty, !path.utf8.contains(0) else { return nil }
    guard !path.hasPrefix("/"), let slash = files[file].path.lastIndex(of: "/") else { return path }
    return String(files[file].path[...slash]) + path
  }

  private func shown(_ path: String) -> String { path.hasPrefix("/") || folder.isEmpty ? path : "\(folder)/\(path)" }

  private mutating func add(_ path: String, _ identity: String, _ bytes: [UInt8], _ include: IncludeDeclaration, in parent: Int) {
    guard files.count <= Self.fileLimit else {
      tooMuch("a recipe can include at most \(Self.fileLimit) files", include)
      return
    }
    // A file that is too large or not text reports that itself.
    let number = files.count
    let parsed = ParsedFile(bytes, name: shown(path), file: UInt16(number), firstID: nextID)
    size += bytes.count
    guard size <= RecipeFile.maximumSize || bytes.count > RecipeFile.maximumSize else {
      tooMuch("a recipe and the files it includes can have at most 1 MiB in total", include)
      return
    }
    nextID = parsed.tree.idCount
    diagnostics += parsed.diagnostics.map { finding in
      var finding = finding
      if finding.code == "T001" || finding.code == "T002" {
        finding.labels.append(Diagnostic.Label(range: include.range, text: "included here"))
      }
      return finding
    }
    files.append(
      File(path: path, identity: identity, tree: parsed.tree, source: parsed.source, parent: (parent, include.range)))
    open.append((number, 0))
  }

  private mutating func tooMuch(_ why: String, _ include: IncludeDeclaration) {
    diagnostics.append(Diagnostic("T039", "this recipe includes too much", at: include.range, why))
    open = []
  }

  /// Handles a file that is already known. It is an error only if it is still being read.
  private mutating func again(_ file: Int, _ include: IncludeDeclaration) {
    guard let start = open.firstIndex(where: { $0.file == file }) else { return }
    let names = open[start...].map { files[$0.file].source.name } + [files[file].source.name]
    let chain = names[0] + " includes " + names.dropFirst().joined(separator: ", which includes ")
    diagnostics.append(
      Diagnostic("T038", "`\(names[0])` would include itself", at: include.range, chain, notes: ["remove one of these lines"]))
  }

  /// Closes files whose includes are complete, and answers repeated paths from memory.
  private mutating func goOn() {
    while let top = open.last {
      guard top.next < files[top.file].tree.includes.count else {
        order.append(top.file)
        open.removeLast()
        continue
      }
      let include = include(top)
      guard let path = path(of: include, in: top.file) else {
        refusePath(include)
        open[open.count - 1].next += 1
        continue
      }
      lines += 1
      guard lines <= Self.lineLimit else {
        return tooMuch(
          "a recipe can have at most \(Self.lineLimit) `include` lines, counting those of included files", include)
      }
      // After that many findings, more files would only repeat them.
      guard diagnostics.count < Self.fileLimit else {
        open = []
        return
      }
      guard let known = asked.first(where: { $0.path == path }) else { return }
      open[open.count - 1].next += 1
      again(known.file, include)
    }
  }

  private mutating func refusePath(_ include: IncludeDeclaration) {
    let isComputed = include.file.plain == nil
    diagnostics.append(
      Diagnostic(
        "T037", isComputed ? "the name of an included file cannot contain `{}`" : "this is not a file name", at: include.file.range,
        isComputed ? "files are read before the recipe runs" : "as in `include \"common.ble\"`"))
  }

  // MARK: - the result

  package func finish() -> ParsedRecipe {
    let sources = files.map(\.source)
    let replay = RecipeReplay(folder: folder, files: asked, refusals: refusals)
    guard !files[0].tree.includes.isEmpty else {
      let hasErrors = diagnostics.contains { $0.severity == .error }
      return ParsedRecipe(
        recipe: hasErrors ? nil : files[0].tree, tree: files[0].tree, diagnostics: diagnostics, sources: sources, stored: text,
        replay: replay)
    }
    var findings = Findings(sources: sources)
    for finding in diagnostics { findings.add(finding) }
    var tree = files[0].tree
    let others = order.filter { $0 != 0 }.map { files[$0].tree }
    tree.uses = others.flatMap(\.uses) + tree.uses
    tree.includes = others.flatMap(\.includes) + tree.includes
    tree.inputs = others.flatMap(\.inputs) + tree.inputs
    tree.remembers = others.flatMap(\.remembers) + tree.remembers
    tree.procedures = others.flatMap(\.procedures) + tree.procedures
    tree.formats = others.flatMap(\.formats) + tree.formats
    tree.peripherals = others.flatMap(\.peripherals) + tree.peripherals
    tree.tests = others.flatMap(\.tests) + tree.tests
    tree.body = others.flatMap(\.body) + tree.body
    tree.idCount = nextID
    // Only a recipe that can run is stored with its files.
    let stored = findings.hasErrors ? text : StoredRecipe.encoded(text, answers: answers) { files[$0].source.bytes }
    return ParsedRecipe(
      recipe: findings.hasErrors ? nil : tree, tree: tree, diagnostics: findings.sorted, sources: sources, stored: stored,
      replay: replay)
  }
}
