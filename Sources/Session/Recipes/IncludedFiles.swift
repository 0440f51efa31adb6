import Linux
import Recipe

/// The files that a recipe includes, as they are on the disk.
struct IncludedFiles {
  /// Where their paths begin, as it is shown and opened; empty for the working directory.
  private let folder: String
  private let identity: String?

  /// - Parameter path: of the recipe; nothing for one that is in no file. A link to a recipe counts
  ///   as what it leads to.
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

  private func answer(_ wanted: String) -> RecipeAssembly.Answer {
    let path = wanted.hasPrefix("/") || folder.isEmpty ? wanted : folder == "/" ? "/\(wanted)" : "\(folder)/\(wanted)"
    do throws(SystemFailure) {
      let file = try OrdinaryFile(reading: path, limit: RecipeFile.maximumSize)
      return .file(identity: file.identity, file.bytes)
    } catch {
      if error.isMissing {
        let note = path.hasSuffix(".ble") ? nil : realPath("\(path).ble").map { _ in "did you mean `\(wanted).ble`?" }
        return .refused("there is no file \(path)", note: note)
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
