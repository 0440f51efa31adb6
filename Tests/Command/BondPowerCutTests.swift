import Exchange
import Glibc
import Host
import Linux
import Testing
import Vocabulary
@testable import KeeperProcess

/// Power cuts while a bond is written, and full disks. strace records the program's system calls;
/// the contents of the disk after each call follow from what was synced.
@Suite struct BondPowerCutTests {
  private let folder = Folder()

  private static let lamp = """
    peripheral lamp named "Lamp"
      advertise 0xFFF0 every 100ms
      service 0xFFF0
        characteristic 0xFFF1 can read needs encryption starts as "secret light"
      end
    end

    """

  private static let tracer = ["/usr/bin/strace", "/bin/strace"].first { (path: String) in access(path, X_OK) == 0 }

  /// Files as a disk holds them. Anything not synced may be there or not.
  private struct Disk {
    struct File {
      var content: [UInt8] = []
      var synced: [UInt8]?
      var isFolder = false
    }

    private var files: [File] = []
    private var names: [String: Int] = [:]
    private var syncedNames: [String: Int] = [:]
    private(set) var syncs = 0

    /// Files that exist at the start count as synced.
    init(_ root: String) { add(root) }

    private mutating func add(_ path: String) {
      let isFolder = Files.isFolder(path)
      let content = isFolder ? [] : (try? readFile(path, limit: 1 << 20)) ?? []
      names[path] = files.count
      syncedNames[path] = files.count
      files.append(File(content: content, synced: content, isFolder: isFolder))
      if isFolder { for name in Files.names(in: path) { add("\(path)/\(name)") } }
    }

    private static func parent(of path: String) -> String { String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) }

    private func knows(_ path: String) -> Bool { names[Self.parent(of: path)] != nil }

    mutating func open(_ path: String, creates: Bool, empties: Bool) {
      guard knows(path) else { return }
      if names[path] == nil, creates {
        names[path] = files.count
        files.append(File())
      } else if empties, let file = names[path] {
        files[file].content = []
      }
    }

    mutating func makeFolder(_ path: String) {
      guard knows(path), names[path] == nil else { return }
      names[path] = files.count
      files.append(File(isFolder: true))
    }

    mutating func write(_ path: String, _ bytes: [UInt8]) {
      if let file = names[path] { files[file].content += bytes }
    }

    mutating func sync(_ path: String) {
      guard let file = names[path] else { return }
      syncs += 1
      guard files[file].isFolder else { return files[file].synced = files[file].content }
      syncedNames = syncedNames.filter { Self.parent(of: $0.key) != path || names[$0.key] != nil }
      for (name, inner) in names where Self.parent(of: name) == path { syncedNames[name] = inner }
    }

    mutating func rename(_ path: String, _ other: String) {
      if let file = names.removeValue(forKey: path) { names[other] = file }
    }

    mutating func unlink(_ path: String) { names[path] = nil }

    enum Loss: CaseIterable {
      /// Variants: only synced data, all data, or names without their contents.
      case everything, nothing, contents
    }

    /// Writes the resulting files into another folder.
    func save(_ loss: Loss, of root: String, to place: String) throws {
      let kept = loss == .everything ? syncedNames : names
      for path in kept.keys.sorted() where path.hasPrefix(root) {
        guard let file = kept[path] else { continue }
        let target = place + path.dropFirst(root.count)
        guard Files.isFolder(Self.parent(of: target)) || path == root else { continue }
        if files[file].isFolder {
          mkdir(target, 0o700)
        } else {
          try saveFile(target, (loss == .nothing ? files[file].content : files[file].synced) ?? [], mode: 0o600)
        }
      }
    }
  }

  /// One system call of the program.
  private enum Request {
    case open(String, creates: Bool, empties: Bool)
    case makeFolder(String)
    case write(String, [UInt8])
    case sync(String)
    case rename(String, String)
    case unlink(String)
    case said(String)
  }

  private static func octets(_ text: Substring) -> [UInt8] {
    text.split(separator: "\\x").compactMap { UInt8($0.prefix(2), radix: 16) }
  }

  private static func text(_ escaped: Substring) -> String { String(decoding: octets(escaped), as: UTF8.self) }

  /// The first text between these two.
  private static func part(_ text: Substring, _ from: Character, _ to: Character) -> Substring? {
    guard let start = text.firstIndex(of: from) else { return nil }
    let rest = text[text.index(after: start)...]
    return rest.firstIndex(of: to).map { rest[..<$0] }
  }

  private static func request(_ line: Substring) -> Request? {
    guard let open = line.firstIndex(of: "("), let end = line.ranges(of: ") = ").last?.lowerBound else { return nil }
    let name = line[..<open].split(separator: " ").last ?? ""
    let result = line[end...].dropFirst(4)
    guard result.first != "-" else { return nil }
    let arguments = line[line.index(after: open)..<end].split(separator: ",").map { $0.drop { $0 == " " } }
    func path(_ argument: Substring) -> String { part(argument, "<", ">").map { text($0) } ?? "" }
    func quoted(_ argument: Substring) -> String { part(argument, "\"", "\"").map { text($0) } ?? "" }
    func below(_ folder: Substring, _ name: Substring) -> String {
      let inner = quoted(name)
      return inner.hasPrefix("/") ? inner : "\(path(folder))/\(inner)"
    }
    switch name {
    case "openat": return .open(path(result), creates: line.contains("O_CREAT"), empties: line.contains("O_TRUNC"))
    case "mkdir": return .makeFolder(quoted(arguments[0]))
    case "mkdirat": return .makeFolder(below(arguments[0], arguments[1]))
    case "write":
      let bytes = part(arguments[1], "\"", "\"").map { octets($0) } ?? []
      return arguments[0].hasPrefix("1<") ? .said(String(decoding: bytes, as: UTF8.self)) : .write(path(arguments[0]), bytes)
    case "fsync", "fdatasync": return .sync(path(arguments[0]))
    case "rename": return .rename(quoted(arguments[0]), quoted(arguments[1]))
    case "renameat", "renameat2": return .rename(below(arguments[0], arguments[1]), below(arguments[2], arguments[3]))
    case "unlink": return .unlink(quoted(arguments[0]))
    case "unlinkat": return .unlink(below(arguments[0], arguments[1]))
    default: return nil
    }
  }

  private func air() throws -> Tooth.Process {
    unlink("\(folder.path)/s")
    let air = Tooth.start(["air", folder.file("air.ble", Self.lamp), "--listen", "unix:\(folder.path)/s"])
    try #require(air.readErrors { _ in access("\(folder.path)/s", F_OK) == 0 }, "\(air.complaint)")
    return air
  }

  private func words(_ rest: String...) -> [String] {
    ["pair", "Lamp", "--adapter", "unix:\(folder.path)/s", "--direct", "--state", "\(folder.path)/disk/state"] + rest
  }

  private func bonds(in state: String, _ own: Address) -> [Bond]? {
    var entropy = Entropy.system
    guard case .bonds(_, let bonds, let unusable, _, _, _) = BondFolder(state: state).load(own, &entropy), unusable.isEmpty else {
      return nil
    }
    return bonds
  }

  /// A pairing and every system call of it that concerns the disk.
  private func traced(_ arguments: [String]) throws -> (disk: Disk, requests: [Request]) {
    let disk = Disk("\(folder.path)/disk")
    let log = "\(folder.path)/strace"
    let calls = "openat,mkdir,mkdirat,write,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat"
    let outcome = try Program.run(
      ["-f", "-y", "-xx", "-s", "65536", "-e", "trace=\(calls)", "-o", log, Tooth.path] + arguments,
      program: Self.tracer ?? "strace",
      limit: 120)
    #expect(outcome.code == 0, "\(outcome.output) \(outcome.errors)")
    let text = String(decoding: try readFile(log, limit: 1 << 28), as: UTF8.self)
    let lines = text.split(separator: "\n")
    #expect(!lines.contains { $0.contains("unfinished") && $0.contains("sync") })
    return (disk, lines.compactMap(Self.request))
  }

  /// - Returns: the number of syncs.
  private func cutAnywhere(_ arguments: [String], had old: Bond?) throws -> Int {
    var (disk, requests) = try traced(arguments)
    let own = try #require(BondFolder(state: "\(folder.path)/disk/state").all().bonds.first).own
    let new = try #require(bonds(in: "\(folder.path)/disk/state", own)?.first)
    #expect(old?.keys != new.keys && !new.isProvisional)
    var isReported = false
    for (number, request) in requests.enumerated() {
      switch request {
      case .open(let path, let creates, let empties): disk.open(path, creates: creates, empties: empties)
      case .makeFolder(let path): disk.makeFolder(path)
      case .write(let path, let bytes): disk.write(path, bytes)
      case .sync(let path): disk.sync(path)
      case .rename(let path, let other): disk.rename(path, other)
      case .unlink(let path): disk.unlink(path)
      case .said(let text): if text.contains("bonded=true") { isReported = true }
      }
      for loss in Disk.Loss.allCases {
        let place = Folder()
        try disk.save(loss, of: "\(folder.path)/disk", to: "\(place.path)/d")
        guard let found = bonds(in: "\(place.path)/d/state", own) else {
          Issue.record("after \(request), \(number), losing \(loss): a bond cannot be read")
          continue
        }
        #expect(found.count <= 1 && found.allSatisfy { $0.keys == new.keys || $0.keys == old?.keys }, "\(number) \(loss)")
        // the old bond is there until the new one is
        if old != nil { #expect(found.count == 1, "\(number) \(loss): there is no bond after \(request)") }
        // and what the user was told is true
        if isReported { #expect(found.first?.keys == new.keys && found.first?.isProvisional == false, "\(number) \(loss)") }
      }
    }
    #expect(isReported)
    return disk.syncs
  }

  @Test(.enabled(if: tracer != nil)) func aBondIsWholeOrAbsent() throws {
    mkdir("\(folder.path)/disk", 0o700)
    let first = try air()
    #expect(try cutAnywhere(words(), had: nil) >= 6)
    let own = try #require(BondFolder(state: "\(folder.path)/disk/state").all().bonds.first).own
    let old = try #require(bonds(in: "\(folder.path)/disk/state", own)?.first)
    first.signal(SIGKILL)
    // the lamp is now another process, which has forgotten its bond
    let second = try air()
    #expect(try cutAnywhere(words("--rebond"), had: old) >= 4)
    second.signal(SIGTERM)
  }

  /// On a full disk, pairing fails with the reason, leaves no files and keeps older bonds.
  @Test func aFullDiskCostsNoBond() throws {
    mkdir("\(folder.path)/disk", 0o700)
    func full(_ arguments: [String]) throws -> Tooth.Result {
      let outcome = try Program.run(
        ["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\"", Tooth.path] + arguments, program: "sh", limit: 120)
      return Tooth.Result(code: outcome.code, output: outcome.output, errors: outcome.errors)
    }
    let first = try air()
    let refused = try full(words())
    #expect(refused.code != 0 && refused.errors.contains("cannot be written"), "\(refused)")
    #expect(refused.errors.contains("the pairing has not begun"), "\(refused)")
    #expect(BondFolder(state: "\(folder.path)/disk/state").all().bonds.isEmpty)
    let whole = Tooth.start(words()).wait()
    #expect(whole.code == 0, "\(whole)")
    let own = try #require(BondFolder(state: "\(folder.path)/disk/state").all().bonds.first).own
    let old = bonds(in: "\(folder.path)/disk/state", own)
    let names = Files.names(in: "\(folder.path)/disk/state/bonds/\(BondFolder.name(own))").sorted()
    first.signal(SIGKILL)
    // the lamp is now another process, which has forgotten its bond
    let third = try air()
    let again = try full(words("--rebond"))
    #expect(again.code != 0 && again.errors.contains("cannot be written"), "\(again)")
    #expect(old?.count == 1 && bonds(in: "\(folder.path)/disk/state", own) == old)
    #expect(Files.names(in: "\(folder.path)/disk/state/bonds/\(BondFolder.name(own))").sorted() == names)
    third.signal(SIGTERM)
  }
}
