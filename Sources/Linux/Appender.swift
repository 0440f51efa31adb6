import Glibc

/// Adds records to files, each exactly once: the record's bytes and the file's size are known (and
/// committed by the caller) before the one `write(2)`.
package final class Appender {
  private struct Open {
    var path: String
    var descriptor: Int32
    var identity: FileIdentity
    var isDirty = false
    /// Where our last record ends and its last byte; the file's, unless somebody else has written.
    var end: (offset: Int64, byte: UInt8)?
  }

  /// What stood under a path when it was looked at last.
  private var seen: (path: String, identity: FileIdentity)?
  /// The files of stdout and stderr, which stay what they are.
  private lazy var ownOutput = StandardOutput.identities()

  /// Few files are appended to; the one used last is last.
  private var files: [Open] = []
  /// Sizes that open intents of this turn will lead to.
  private var planned: [(path: String, size: Int64)] = []

  /// What the files must be below.
  private let fence: WriteFence?

  package init(within fence: WriteFence? = nil) { self.fence = fence }

  deinit { for file in files { close(file.descriptor) } }

  /// How large the file will be when all planned records are written: where the next record begins.
  /// 0 when there is no file.
  package func size(of path: String) throws(SystemFailure) -> Int64 {
    if let entry = planned.last(where: { $0.path == path }) { return entry.size }
    var status = stat()
    guard look(path, &status) else {
      if errno == ENOENT { return 0 }
      throw failure(path)
    }
    try accept(status.st_mode, path)
    let identity = FileIdentity(status)
    guard !ownOutput.contains(identity) else {
      throw SystemFailure("appending to \(path)", code: EINVAL, words: StandardOutput.words)
    }
    seen = (path, identity)
    return status.st_mode & S_IFMT == S_IFREG ? Int64(status.st_size) : 0
  }

  /// What stands under a path. False with errno.
  private func look(_ path: String, _ status: inout stat) -> Bool {
    guard let fence else { return stat(path, &status) == 0 }
    let descriptor = fence.open(path, O_PATH, 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return fstat(descriptor, &status) == 0
  }

  private func failure(_ path: String) -> SystemFailure {
    fence == nil ? SystemFailure("appending to \(path)") : .fenced("appending to \(path)")
  }

  /// Terminals and pipes take records too, but cannot prove after a kill that they had one.
  private func accept(_ mode: mode_t, _ path: String) throws(SystemFailure) {
    switch mode & S_IFMT {
    case S_IFREG, S_IFIFO, S_IFCHR: return
    case S_IFDIR: throw SystemFailure("appending to \(path)", code: EISDIR)
    case let kind: throw SystemFailure("appending to \(path)", code: EINVAL, words: "it is \(SystemFailure.kind(kind)), not a file")
    }
  }

  private func openFile(_ path: String, _ flags: Int32) -> Int32 {
    let flags = flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    return fence.map { $0.open(path, flags, 0o666) } ?? open(path, flags, 0o666)
  }

  private func opened(_ path: String) throws(SystemFailure) -> (Int32, FileIdentity) {
    var status = stat()
    // A pipe that is opened for reading too would seem to have a reader. Looked at first, for a
    // socket cannot be opened.
    let isThere = look(path, &status)
    if isThere { try accept(status.st_mode, path) }
    let isPipe = isThere && status.st_mode & S_IFMT == S_IFIFO
    let descriptor = openFile(path, isPipe ? O_WRONLY | O_APPEND : O_RDWR | O_APPEND | O_CREAT)
    guard descriptor >= 0 else {
      if isPipe, errno == ENXIO { throw SystemFailure("appending to \(path)", code: ENXIO, words: "no process reads this pipe") }
      throw failure(path)
    }
    do throws(SystemFailure) {
      guard fstat(descriptor, &status) == 0 else { throw failure(path) }
      try accept(status.st_mode, path)
    } catch {
      close(descriptor)
      throw error
    }
    return (descriptor, FileIdentity(status))
  }

  /// The last byte of a regular file of this size, as `size(of:)` has told it; nothing when there
  /// is none.
  package func lastByte(of path: String, at size: Int64) -> UInt8? {
    guard size > 0 else { return nil }
    var byte: UInt8 = 0
    if let file = files.first(where: { $0.path == path }), let seen, seen.path == path, seen.identity == file.identity {
      if let end = file.end, end.offset == size { return end.byte }
      return pread(file.descriptor, &byte, 1, off_t(size - 1)) == 1 ? byte : nil
    }
    let descriptor = openFile(path, O_RDONLY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return pread(descriptor, &byte, 1, off_t(size - 1)) == 1 ? byte : nil
  }

  /// The first line of a file, which may lack its end; nothing when it cannot be read or is longer
  /// than the limit.
  package func head(of path: String, limit: Int) -> [UInt8]? {
    let descriptor = openFile(path, O_RDONLY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var block = [UInt8](repeating: 0, count: limit)
    let count = pread(descriptor, &block, limit, 0)
    guard count > 0 else { return nil }
    if let end = block[..<count].firstIndex(of: 0x0A) { return Array(block[...end]) }
    return count < limit ? Array(block[..<count]) : nil
  }

  /// A record that `append` will write.
  package func plan(_ path: String, offset: Int64, count: Int) { planned.append((path, offset + Int64(count))) }

  /// Everything planned is written or given up.
  package func settle() { planned.removeAll(keepingCapacity: true) }

  private func index(of path: String) throws(SystemFailure) -> Int {
    if let index = files.firstIndex(where: { $0.path == path }) {
      // A file that was moved away (log rotation) is left alone and made anew.
      var there = stat()
      if look(path, &there), FileIdentity(there) == files[index].identity { return index }
      let old = files.remove(at: index)
      fdatasync(old.descriptor)
      close(old.descriptor)
    }
    let (descriptor, identity) = try opened(path)
    if files.count >= 16 {
      let oldest = files.removeFirst()
      fdatasync(oldest.descriptor)
      close(oldest.descriptor)
    }
    files.append(Open(path: path, descriptor: descriptor, identity: identity))
    return files.count - 1
  }

  /// One `write(2)`. A disk that fills up in the middle takes back what it took: the file ends as
  /// it was.
  package func append(_ path: String, offset: Int64, _ bytes: [UInt8]) throws(SystemFailure) {
    let index = try index(of: path)
    let descriptor = files[index].descriptor
    files[index].isDirty = true
    var count = write(descriptor, bytes, bytes.count)
    // A pipe that nobody reads is not waited for any more when the process is to end.
    while count < 0, errno == EINTR, !Signals.hasCome { count = write(descriptor, bytes, bytes.count) }
    files[index].end = nil
    if count == bytes.count {
      if let last = bytes.last { files[index].end = (offset + Int64(bytes.count), last) }
      return
    }
    let failure = SystemFailure("appending to \(path)", code: count < 0 ? errno : ENOSPC)
    if count > 0 { cut(descriptor, to: offset, record: bytes, written: count) }
    throw failure
  }

  /// Takes off what is proved to be the beginning of our own record, and nothing else.
  private func cut(_ descriptor: Int32, to offset: Int64, record: [UInt8], written: Int) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, Int64(status.st_size) == offset + Int64(written) else { return }
    guard let tail = Self.read(descriptor, from: offset, count: written), tail == Array(record.prefix(written)) else { return }
    ftruncate(descriptor, off_t(offset))
  }

  /// What an intent found after a kill means for its file.
  package enum Reconciliation: Equatable, Sendable {
    /// The record stands there whole.
    case complete
    /// It was missing, or only begun: it stands there now.
    case completed
  }

  /// Looks at a file whose record may be missing, begun or whole, and makes it whole. Others may
  /// have written behind it.
  package func reconcile(_ path: String, offset: Int64, _ bytes: [UInt8]) throws(SystemFailure) -> Reconciliation {
    let index = try index(of: path)
    let descriptor = files[index].descriptor
    files[index].isDirty = true
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw SystemFailure("appending to \(path)") }
    let size = Int64(status.st_size)
    if size > offset {
      // Far more behind our place than one record comes from others; our record is looked for in
      // the first mebibyte.
      let limit = Int(min(size - offset, Int64(bytes.count) + 1 << 20))
      guard let tail = Self.read(descriptor, from: offset, count: limit) else { throw SystemFailure("appending to \(path)") }
      if Self.contains(tail, bytes) { return .complete }
      if tail.count < bytes.count, size - offset == Int64(tail.count), tail == Array(bytes.prefix(tail.count)) {
        guard ftruncate(descriptor, off_t(offset)) == 0 else { throw SystemFailure("appending to \(path)") }
      }
    }
    try append(path, offset: offset, bytes)
    return .completed
  }

  /// Everything appended so far survives a power cut.
  package func sync() throws(SystemFailure) {
    for index in files.indices where files[index].isDirty {
      guard fdatasync(files[index].descriptor) == 0 || errno == EINVAL else {
        throw SystemFailure("appending to \(files[index].path)")
      }
      files[index].isDirty = false
    }
  }

  private static func read(_ descriptor: Int32, from offset: Int64, count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let got = bytes.withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress.map { $0 + done }, count - done, off_t(offset) + off_t(done))
      }
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { return nil }
      done += got
    }
    return bytes
  }

  private static func contains(_ tail: [UInt8], _ record: [UInt8]) -> Bool {
    guard !record.isEmpty else { return true }
    var start = 0
    while start + record.count <= tail.count {
      if tail[start] == record[0], tail[start..<start + record.count].elementsEqual(record) { return true }
      start += 1
    }
    return false
  }
}
