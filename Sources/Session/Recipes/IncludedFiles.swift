import Linux
import Recipe

/// The files on disk that a recipe includes.
struct IncludedFiles {
  /// The folder for their paths, as shown and opened; empty for the working directory.
  private let folder: String
  private let identity: String?

  /// - Parameter path: The path of the recipe; `nil` if it is in no file. A link counts as its
  ///   target.
  init(of path: String?) {
    guard let path, let real = realPath(path) else {
      folder = ""
      identity = nil
      return
    }
    let own = Self.folder(of: real)
    let given = Self.folder(of: path)
    folder = realPath(given.isEmpty ? "." : given) == own ? given : own
    identity = OrdinaryFile.identity(of: real)
  }

  func give(to assembly: inout RecipeAssembly) {
    assembly.folder = folder
    if let identity { assembly.identify(as: identity) }
    while let wanted = assembly.wanted { assembly.take(answer(wanted)) }
  }

  /// An existing recipe with a name similar to a missing one.
  static func near(_ path: String) -> String? {
    if !path.hasSuffix(".ble"), realPath("\(path).ble") != nil { return "\(path).ble" }
    let folder = Self.folder(of: path)
    let name = path.split(separator: "/", omittingEmptySubsequences: false).last.map(String.init) ?? path
    let recipes = Files.names(in: folder.isEmpty ? "." : folder).filter { $0.hasSuffix(".ble") }.sorted()
    let near = Spelling.nearest(to: name, among: recipes) ?? Spelling.nearest(to: name + ".ble", among: recipes)
    return near.map { String(path.dropLast(name.count)) + $0 }
  }

  /// The text of an included file; `nil` if it cannot be read.
  func text(_ path: String) -> [UInt8]? {
    guard case .file(_, let bytes) = answer(path) else { return nil }
    return bytes
  }

  private func answer(_ wanted: String) -> RecipeAssembly.Answer {
    let path = wanted.hasPrefix("/") || folder.isEmpty ? wanted : folder == "/" ? "/\(wanted)" : "\(folder)/\(wanted)"
    do throws(SystemFailure) {
      let file = try OrdinaryFile(reading: path, limit: RecipeFile.maximumSize)
      return .file(identity: file.identity, file.bytes)
    } catch {
      if error.isMissing {
        let near = Self.near(path)
        let meant = near.map { near in
          // As it would have to be written in the line.
          wanted.hasPrefix("/") || folder.isEmpty ? near : String(near.dropFirst(path.count - wanted.count))
        }
        return .refused("there is no file \(path)", note: meant.map { "did you mean `\($0)`?" }, meant: meant)
      }
      if error.isDirectory { return .refused("\(path) is a directory", note: "name the file in it") }
      if error.code == SystemFailure.tooLarge { return .refused("\(path) is too large: a file of a recipe has at most 1 MiB") }
      return .refused("\(path) cannot be read: \(error.reason)")
    }
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "" }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
