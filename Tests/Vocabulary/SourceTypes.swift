import Foundation

/// The types in Swift sources, read as text: their stored properties, conformances and members. It
/// understands as much of Swift as the project uses.
struct SourceTypes {
  struct Property: Hashable {
    var name: String
    /// The reason given by `// unsaved:`, if any.
    var excuse: String?
    var place: String
  }

  struct Member {
    var name: String
    var signature: String
    var text: String
  }

  struct Entry {
    var isStruct = false
    var conformances: Set<String> = []
    var properties: [Property] = []
    var members: [Member] = []
  }

  /// By module and full name, such as `Runner/Fiber.Role`.
  private(set) var entries: [String: Entry] = [:]

  private struct Scope {
    var type: String?
    var depth: Int
  }

  private static let modifiers: Set<String> = [
    "public", "package", "internal", "fileprivate", "private", "indirect", "final", "lazy", "mutating", "private(set)",
    "fileprivate(set)", "package(set)", "consuming", "borrowing", "nonisolated", "@discardableResult", "@inline(__always)",
  ]

  /// - Parameter files: texts by `Module/File.swift`.
  init(_ files: [(path: String, text: String)]) {
    let declared = files.flatMap { file in Self.declared(file.text).map { (Self.module(file.path), $0) } }
    var homes: [String: Set<String>] = [:]
    for (module, name) in declared { homes[name, default: []].insert(module) }
    for file in files.sorted(by: { $0.path < $1.path }) { read(file.text, file.path, Self.module(file.path), homes) }
  }

  /// The names of a file's top-level types.
  private static func declared(_ text: String) -> [String] {
    text.split(separator: "\n").compactMap { line in
      let words = words(String(line))
      guard let place = words.firstIndex(where: { ["struct", "enum", "class"].contains($0) }), place + 1 < words.count,
        words[..<place].allSatisfy(modifiers.contains)
      else { return nil }
      return String(words[place + 1].prefix { $0.isLetter || $0.isNumber })
    }
  }

  private static func module(_ path: String) -> String { String(path.prefix { $0 != "/" }) }

  private static func words(_ line: String) -> [String] { line.split(separator: " ").map(String.init) }

  private mutating func read(_ text: String, _ path: String, _ module: String, _ homes: [String: Set<String>]) {
    var (scopes, depth, pending) = ([Scope](), 0, String?.none)
    var open: (key: String, member: Member, depth: Int)?
    for (number, raw) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let line = Self.code(String(raw))
      let words = Self.words(line)
      let types = scopes.compactMap(\.type)
      if let start = words.firstIndex(where: { !Self.modifiers.contains($0) }), open == nil {
        let rest = Array(words[start...])
        if ["struct", "enum", "class", "extension"].contains(rest[0]), rest.count > 1 {
          let name = String(rest[1].prefix { $0.isLetter || $0.isNumber || $0 == "." })
          let first = String(name.prefix { $0 != "." })
          let home = homes[first].map { $0.contains(module) ? module : $0.min() ?? module } ?? module
          pending = types.last.map { $0 + "." + name } ?? home + "/" + name
          let head = line.prefix { $0 != "{" }
          if let colon = head.firstIndex(of: ":") {
            let list = head[head.index(after: colon)...].split { !($0.isLetter || $0.isNumber) }.map(String.init)
            entries[pending ?? "", default: Entry()].conformances.formUnion(list.prefix { $0 != "where" })
          }
          if rest[0] == "struct" { entries[pending ?? "", default: Entry()].isStruct = true }
        } else if let type = scopes.last?.type, scopes.last?.depth == depth {
          let key = Self.key(scopes) ?? type
          if rest[0] == "var" || rest[0] == "let", rest.count > 1 {
            let name = String(rest[1].prefix { $0.isLetter || $0.isNumber || $0 == "_" })
            let isComputed = line.contains("{") && !line.prefix { $0 != "{" }.contains("=") && !line.contains("didSet")
            if isComputed {
              open = (key, Member(name: name, signature: line, text: ""), depth)
            } else {
              let excuse = raw.range(of: "// unsaved: ").map { String(raw[$0.upperBound...]) }
              let place = "\(path):\(number + 1)"
              entries[key, default: Entry()].properties.append(Property(name: name, excuse: excuse, place: place))
            }
          } else if rest[0] == "func" || rest[0].hasPrefix("init(") {
            let name = rest[0] == "func" && rest.count > 1 ? String(rest[1].prefix { $0.isLetter || $0.isNumber }) : "init"
            open = (key, Member(name: name, signature: line, text: ""), depth)
          }
        }
      }
      open?.member.text += line + "\n"
      for character in line {
        if character == "{" {
          depth += 1
          scopes.append(Scope(type: pending, depth: depth))
          pending = nil
        } else if character == "}" {
          if !scopes.isEmpty { scopes.removeLast() }
          depth -= 1
          if let (key, member, start) = open, depth == start {
            entries[key, default: Entry()].members.append(member)
            open = nil
          }
        }
      }
    }
  }

  private static func key(_ scopes: [Scope]) -> String? { scopes.last?.type }

  /// A line without its comment and the contents of its strings.
  private static func code(_ line: String) -> String {
    var (code, inString, escaped) = ("", false, false)
    var previous: Character = " "
    for character in line {
      if inString {
        if escaped { escaped = false } else if character == "\\" { escaped = true } else if character == "\"" { inString = false }
      } else if character == "\"" {
        inString = true
      } else if character == "/", previous == "/" {
        code.removeLast()
        break
      } else {
        code.append(character)
      }
      previous = character
    }
    return code
  }

  // MARK: Properties that are not saved

  /// Stored properties of structs with a byte form that `write(to:)` does not reach, and that are
  /// not marked as unsaved.
  func omissions(of protocols: Set<String>) -> [String] {
    var found: [String] = []
    for (name, entry) in entries.sorted(by: { $0.key < $1.key })
    where entry.isStruct && !entry.conformances.isDisjoint(with: protocols) {
      let written = Self.reached(
        from: entry.members.filter { $0.name == "write" && $0.signature.contains("ByteWriter") }, in: entry)
      for property in entry.properties where property.excuse?.isEmpty ?? true && !written.contains(property.name) {
        found.append("\(property.place): `\(property.name)` of \(name) is in no bytes")
      }
    }
    return found
  }

  /// The words of a text that may name a property: no argument labels, and no members of other
  /// values.
  private static func names(_ text: String) -> Set<String> {
    var (names, word, before, isMember) = (Set<String>(), "", "", false)
    for character in text + " " {
      if character.isLetter || character.isNumber || character == "_" {
        word.append(character)
        continue
      }
      if !word.isEmpty {
        if !isMember, character != ":" { names.insert(word) }
        before = word
        word = ""
      }
      isMember = character == "." && before != "self"
      if character != "." { before = "" }
    }
    return names
  }

  /// All names in some members, and in the members that they use.
  private static func reached(from start: [Member], in entry: Entry) -> Set<String> {
    // Without its own `write(to:)`, a type uses that of its raw value.
    var words: Set<String> = start.isEmpty ? ["rawValue"] : []
    var work = start
    while let member = work.popLast() {
      let new = Self.names(member.text).subtracting(words)
      words.formUnion(new)
      work += entry.members.filter { new.contains($0.name) && $0.name != member.name }
    }
    return words
  }
}
