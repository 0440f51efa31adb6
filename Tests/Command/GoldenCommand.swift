import Linux
import Testing

/// What commands say when they cannot do what they should, as files:
/// `Tests/Golden/commands/NAME.txt`.
///
/// The first line says in words what it must show. Then come the command line, the exit code, and
/// the output. With `TOOTH_WRITE_GOLDEN=1` these are written again: read every difference before
/// committing it.
enum GoldenCommand {
  private static let folder = "Tests/Golden/commands"

  /// Every file that there is.
  static var names: [String] { Files.names(in: "\(Tooth.package)/\(folder)").map { String($0.dropLast(4)) }.sorted() }

  /// - Parameter replacing: what is another one each time, and how it is called in the file.
  static func expect(
    _ name: String, _ arguments: [String], _ result: Tooth.Result, replacing: [(text: String, word: String)] = [],
    at place: SourceLocation = #_sourceLocation
  ) throws {
    var shown = "$ tooth \(arguments.joined(separator: " "))\nexit code \(result.code)\n\(result.errors)"
    for (text, word) in replacing { shown = shown.split(separator: text, omittingEmptySubsequences: false).joined(separator: word) }
    let path = "\(Tooth.package)/\(folder)/\(name).txt"
    let expected = (try? readFile(path, limit: 1 << 20)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    let words = expected.prefix { $0 != "\n" }
    try #require(!words.isEmpty, "\(path) needs a first line that says what it must show", sourceLocation: place)
    if environment("TOOTH_WRITE_GOLDEN") != nil { return try saveFile(path, Array("\(words)\n\(shown)".utf8)) }
    #expect(expected == "\(words)\n\(shown)", sourceLocation: place)
    #expect(result.output == "", sourceLocation: place)
  }
}
