package import Exchange

/// A file that a recipe names.
package struct FileUse: Equatable, Sendable {
  package enum Verb: String, Sendable {
    case append = "append to"
    case save = "save to"
    case read
  }

  package var verb: Verb
  /// The name as written; the source of the expression if it is computed.
  package var name: String
  package var range: SourceRange
}

extension Checker {
  /// Lists each file once per verb, at its first use. Files in tests are skipped: a test has its
  /// own folder.
  mutating func use(file: Expression, _ verb: FileUse.Verb, _ place: Place) {
    guard !place.isTest, files.count < FileUses.most else { return }
    var meant = file
    if case .name(let name) = file.kind, let value = facts.value(name) { meant = value }
    var name = text(file.range)
    if case .string(let string) = meant.kind, let plain = string.plain { name = plain }
    guard fileNames.insert("\(verb.rawValue) \(name)").inserted else { return }
    files.append(FileUse(verb: verb, name: name, range: file.range))
  }
}

enum FileUses {
  /// The maximum number of files in the list.
  static let most = 100
}
