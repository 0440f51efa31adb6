package import Exchange

/// A file that a recipe names, for whoever checks it.
package struct FileUse: Equatable, Sendable {
  package enum Verb: String, Sendable {
    case append = "append to"
    case save = "save to"
    case read
  }

  package var verb: Verb
  /// As the text has it: a name that is computed, as its expression.
  package var name: String
  package var range: SourceRange
}

extension Checker {
  /// Each file is listed where it is named first in this way. A test has a folder of its own.
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
  /// More than this nobody reads.
  static let most = 100
}
