import Glibc
import Synchronization
import Testing

@testable import Linux

/// Every type of file for `save` and `append`, with and without a write fence, while other
/// processes change the links.
@Suite struct FileTypeTests {
  enum Kind: String, CaseIterable {
    case regular, missing, directory, pipe, socket, device
  }

  /// The path to the file: by its name, through links inside the folder, or through one that leads
  /// out of it.
  enum Way: String, CaseIterable {
    case name, relativeLink, linkedFolder, absoluteLink, outwardLink, outwardFolder, dotted
  }

  enum Fence: String, CaseIterable {
    case none, kernel, stepwise

    func make(_ folder: String) -> WriteFence? { self == .none ? nil : WriteFence([folder], isStepwise: self == .stepwise) }
  }

  /// Two folders side by side, one inside the fence and one outside.
  final class FenceFixture {
    let scratch = LinuxScratch()
    var inside: String { "\(scratch.path)/in" }
    var outside: String { "\(scratch.path)/out" }

    init() {
      for folder in [inside, outside, "\(inside)/sub"] { mkdir(folder, 0o755) }
      // A path is compared with this one, so it must not contain links.
      symlink("sub", "\(inside)/folder")
      symlink("../out", "\(inside)/away")
    }

    deinit {
      for folder in ["\(inside)/sub", inside, outside] {
        for name in Files.names(in: folder) where rmdir("\(folder)/\(name)") != 0 { unlink("\(folder)/\(name)") }
        rmdir(folder)
      }
    }

    /// Creates the file and returns its place, and the path that leads there.
    func make(_ kind: Kind, _ way: Way) -> (place: String, path: String)? {
      let isOutside = [.outwardLink, .outwardFolder, .dotted].contains(way)
      let place = isOutside ? "\(outside)/x" : "\(inside)/sub/x"
      switch kind {
      case .missing: break
      case .regular: close(open(place, O_WRONLY | O_CREAT, 0o640))
      case .directory: mkdir(place, 0o755)
      case .pipe: mkfifo(place, 0o600)
      case .socket:
        guard let listener = try? LocalListener(at: place, mode: 0o600) else { return nil }
        _ = listener
      case .device:
        // The same device as /dev/null, which only root can create.
        guard mknod(place, S_IFCHR | 0o600, 1 << 8 | 3) == 0 else { return nil }
      }
      switch way {
      case .name: return (place, place)
      case .relativeLink: symlink("sub/x", "\(inside)/l")
      case .absoluteLink, .outwardLink: symlink(place, "\(inside)/l")
      case .linkedFolder: return (place, "\(inside)/folder/x")
      case .outwardFolder: return (place, "\(inside)/away/x")
      case .dotted: return (place, "\(inside)/sub/../../out/x")
      }
      return (place, "\(inside)/l")
    }
  }

  private static func mode(_ path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
  }

  private static func content(_ path: String) -> String? {
    guard mode(path) == S_IFREG else { return nil }
    return (try? readFile(path, limit: 1 << 20)).map { String(decoding: $0, as: UTF8.self) }
  }

  private func isHeld(_ way: Way, _ fence: Fence) -> Bool {
    switch (way, fence) {
    case (_, .none): true
    // Links on the way are resolved when the path is compared, so only the last one remains to be
    // followed.
    case (.name, _), (.linkedFolder, _), (.relativeLink, .kernel): true
    // `save` follows the last link itself, one step at a time.
    case (.relativeLink, .stepwise): true
    default: false
    }
  }

  @Test(arguments: Kind.allCases, Way.allCases) func onlyAFileIsReplaced(kind: Kind, way: Way) {
    for fence in Fence.allCases {
      let ground = FenceFixture()
      guard let (place, path) = ground.make(kind, way) else { continue }
      let before = (Self.mode(place), Self.mode(path))
      let failed = failure { try saveFile(path, Array("new".utf8), within: fence.make(ground.inside)) }
      let isSaved = [.regular, .missing].contains(kind) && isHeld(way, fence)
      #expect((failed == nil) == isSaved, "\(kind) \(way) \(fence): \(failed.map { "\($0)" } ?? "saved")")
      if isSaved {
        #expect(Self.content(place) == "new", "\(kind) \(way) \(fence)")
      } else {
        #expect(Self.mode(place) == before.0 && Self.content(place) ?? "" == "", "\(kind) \(way) \(fence)")
      }
      if before.1 == S_IFLNK { #expect(Self.mode(path) == S_IFLNK, "\(kind) \(way) \(fence): the link is gone") }
      for folder in [ground.inside, "\(ground.inside)/sub", ground.outside] {
        #expect(!Files.names(in: folder).contains { $0.hasPrefix(".tooth-") })
      }
    }
  }

  @Test(arguments: Kind.allCases, Way.allCases) func recordsGoToFilesAndDevicesOnly(kind: Kind, way: Way) {
    for fence in Fence.allCases {
      let ground = FenceFixture()
      guard let (place, path) = ground.make(kind, way) else { continue }
      let before = Self.mode(place)
      let failed = failure {
        let appender = Appender(within: fence.make(ground.inside))
        _ = try appender.size(of: path)
        try appender.append(path, offset: 0, Array("row\n".utf8))
      }
      // Where links are not followed, none is.
      let isReached = isHeld(way, fence) && !(fence == .stepwise && way == .relativeLink)
      let isAppended = [.regular, .missing, .device].contains(kind) && isReached
      #expect((failed == nil) == isAppended, "\(kind) \(way) \(fence): \(failed.map { "\($0)" } ?? "appended")")
      if isAppended {
        #expect(kind == .device || Self.content(place) == "row\n", "\(kind) \(way) \(fence)")
      } else {
        #expect(Self.mode(place) == before && Self.content(place) ?? "" == "", "\(kind) \(way) \(fence)")
      }
    }
  }

  @Test func aPipeWithAReaderTakesRecords() throws {
    let scratch = LinuxScratch()
    let path = "\(scratch.path)/p"
    mkfifo(path, 0o600)
    let reader = open(path, O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    let appender = Appender()
    let size = try appender.size(of: path)
    #expect(size == 0)
    try appender.append(path, offset: 0, Array("row\n".utf8))
    var block = [UInt8](repeating: 0, count: 16)
    #expect(read(reader, &block, 16) == 4)
    // A full one does not block.
    let failed = failure { for _ in 0..<20 { try appender.append(path, offset: 0, [UInt8](repeating: 65, count: 4096)) } }
    #expect(failed?.code == EAGAIN)
  }

  /// Not even the header of a file outside is revealed.
  @Test(arguments: Fence.allCases) func filesOutsideTheFenceAreNotRead(fence: Fence) {
    let ground = FenceFixture()
    guard let (place, path) = ground.make(.regular, .outwardLink) else { return }
    let descriptor = open(place, O_WRONLY)
    write(descriptor, "a,b\n1,2\n", 8)
    close(descriptor)
    let appender = Appender(within: fence.make(ground.inside))
    #expect((appender.head(of: path, limit: 100) != nil) == (fence == .none))
    #expect((failure { _ = try appender.size(of: path) } == nil) == (fence == .none))
  }

  /// A separate thread: the tests' threads are few, and this one never waits.
  private final class Swapper: Sendable {
    private let inside: String
    private let outside: String
    private let isOver = Atomic(false)
    private let thread = Mutex(pthread_t())

    init(_ inside: String, _ outside: String) {
      (self.inside, self.outside) = (inside, outside)
      let context = Unmanaged.passRetained(self).toOpaque()
      thread.withLock {
        _ = pthread_create(
          &$0, nil,
          { context in
            if let context { Unmanaged<Swapper>.fromOpaque(context).takeRetainedValue().swap() }
            return nil
          }, context)
      }
    }

    private func swap() {
      while !isOver.load(ordering: .relaxed) {
        // The folder itself, and back.
        rename("\(inside)/swap", "\(inside)/kept")
        rename("\(inside)/evil", "\(inside)/swap")
        rename("\(inside)/swap", "\(inside)/evil")
        rename("\(inside)/kept", "\(inside)/swap")
        // The file in it.
        symlink("\(outside)/x", "\(inside)/swap/x")
        unlink("\(inside)/swap/x")
      }
    }

    func end() {
      isOver.store(true, ordering: .relaxed)
      let thread = thread.withLock { $0 }
      pthread_join(thread, nil)
    }
  }

  /// A folder and a file are swapped for links that lead out, as fast as possible. Nothing is ever
  /// written outside. Rounds continue until one finds the folder in its place.
  @Test(arguments: [Fence.kernel, .stepwise]) func swappedLinksDoNotEscapeTheFence(fence: Fence) {
    let ground = FenceFixture()
    let (inside, outside) = (ground.inside, ground.outside)
    let path = "\(inside)/swap/x"
    mkdir("\(inside)/swap", 0o755)
    symlink("\(outside)", "\(inside)/evil")
    let swapper = Swapper(inside, outside)
    let held = fence.make(inside)
    var written = 0
    for round in 0..<200_000 where round < 600 || written == 0 {
      let isSaved = failure { try saveFile(path, Array("new".utf8), within: held) } == nil
      let appender = Appender(within: held)
      let isAppended = failure { try appender.append(path, offset: 0, Array("row\n".utf8)) } == nil
      written += isSaved || isAppended ? 1 : 0
    }
    swapper.end()
    #expect(Files.names(in: outside).isEmpty)
    #expect(written > 0)
    for folder in ["swap", "kept"] {
      for name in Files.names(in: "\(inside)/\(folder)") { unlink("\(inside)/\(folder)/\(name)") }
    }
  }

  /// Where every user may write, another user's link may point anywhere.
  @Test(.enabled(if: getuid() == 0)) func anothersLinkInAStickyFolderIsNotFollowed() throws {
    let ground = FenceFixture()
    chmod(ground.inside, 0o1777)
    guard let (place, path) = ground.make(.regular, .absoluteLink) else { return }
    lchown(path, 60001, 60001)
    let failed = failure { try saveFile(path, Array("new".utf8)) }
    #expect(failed?.code == EACCES)
    #expect(Self.content(place) == "")
    chmod(ground.inside, 0o755)
    try saveFile(path, Array("new".utf8))
    #expect(Self.content(place) == "new")
  }

  private func failure(_ body: () throws -> Void) -> SystemFailure? {
    do {
      try body()
      return nil
    } catch { return error as? SystemFailure ?? SystemFailure("?", code: -1) }
  }
}
