import Glibc

/// Appends records to files, each exactly once: the caller has committed the record's bytes and the
/// file's size before the single `write(2)`.
package final class Appender {
  private struct Open {
    var path: String
    var descriptor: Int32
    var identity: FileIdentity
    var isDirty = false
    /// The end of our last record and its last byte. It is the file's end unless another process
    /// has written.
    var end: (offset: Int64, byte: UInt8)?
  }

  /// The file that a path led to when it was checked last.
  private var seen: (path: String, identity: FileIdentity)?
  /// The files of stdout and stderr, which never change.
  private lazy var ownOutput = StandardOutput.identities()

  /// The open files, the last used one last. There are few.
  private var files: [Open] = []
  /// An empty file that this turn begins, and that no other process may begin meanwhile.
  private var begun: (path: String, descriptor: Int32)?
  /// The sizes of files after the open intents of this turn.
  private var planned: [(path: String, size: Int64)] = []

  /// The folders that must contain the files.
  private let fence: WriteFence?

  package init(within fence: WriteFence? = nil) { self.fence = fence }

  deinit {
    for file in files { close(file.descriptor) }
    if let begun { close(begun.descriptor) }
  }

  /// The size of a file after all planned records, which is where the next one starts. 0 if there
  /// is no file.
  /// - Parameter begins: Whether the first record of the file differs from others (a header). Then
  ///   an empty file is locked until `settle`, so that only one of several processes begins it.
  package func size(of path: String, begins: Bool = false) throws(SystemFailure) -> Int64 {
    if let entry = planned.last(where: { $0.path == path }) { return entry.size }
    let size = try sizeNow(of: path)
    guard size == 0, begins, begun?.path != path else { return size }
    guard begin(path) else { return size }
    return try sizeNow(of: path)
  }

  /// Creates and locks a file that is empty or missing. Returns false if it cannot be locked, which
  /// `append` reports if it matters.
  private func begin(_ path: String) -> Bool {
    release()
    guard !isSpecial(path) else { return false }
    let descriptor = openFile(path, O_WRONLY | O_APPEND | O_CREAT)
    guard descriptor >= 0 else { return false }
    // Another process holds the lock for one commit and one write.
    for _ in 0..<200 {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
        begun = (path, descriptor)
        return true
      }
      guard errno == EWOULDBLOCK, !Signals.isEndRequested else { break }
      usleep(1000)
    }
    close(descriptor)
    return false
  }

  /// Whether a path leads to a pipe, a terminal or another thing that is not a file.
  private func isSpecial(_ path: String) -> Bool {
    var status = stat()
    return look(path, &status) && status.st_mode & S_IFMT != S_IFREG
  }

  private func release() {
    if let begun { close(begun.descriptor) }
    begun = nil
  }

  private func sizeNow(of path: String) throws(SystemFailure) -> Int64 {
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

  /// Reads the status of a path. Returns false with errno.
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

  /// Terminals and pipes are accepted too, although they cannot show after a kill whether they got
  /// a record.
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
    // A pipe opened for reading as well would seem to have a reader. Check first, because a socket
    // cannot be opened.
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

  /// Returns the last byte of a regular file with this size, as returned by `size(of:)`; `nil` if
  /// there is none.
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

  /// Returns the first line of a file, which may lack its end; `nil` if it is unreadable or longer
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

  /// Plans a record that `append` will write.
  package func plan(_ path: String, offset: Int64, count: Int) { planned.append((path, offset + Int64(count))) }

  /// All planned records were written or given up.
  package func settle() {
    planned.removeAll(keepingCapacity: true)
    if begun != nil { release() }
  }

  private func index(of path: String) throws(SystemFailure) -> Int {
    if let index = files.firstIndex(where: { $0.path == path }) {
      // A file that was moved away (log rotation) is left alone and created again.
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

  /// Appends with a single `write(2)`. If the disk becomes full during it, the partial record is
  /// removed.
  package func append(_ path: String, offset: Int64, _ bytes: [UInt8]) throws(SystemFailure) {
    let index = try index(of: path)
    let descriptor = files[index].descriptor
    files[index].isDirty = true
    var count = write(descriptor, bytes, bytes.count)
    // Once the process must end, do not wait for the reader of a pipe.
    while count < 0, errno == EINTR, !Signals.isEndRequested { count = write(descriptor, bytes, bytes.count) }
    files[index].end = nil
    if count == bytes.count {
      if let last = bytes.last { files[index].end = (offset + Int64(bytes.count), last) }
      return
    }
    let failure = SystemFailure("appending to \(path)", code: count < 0 ? errno : ENOSPC)
    if count > 0 { cut(descriptor, to: offset, record: bytes, written: count) }
    throw failure
  }

  /// Removes a partial record if it is certainly the start of our own, and nothing else.
  private func cut(_ descriptor: Int32, to offset: Int64, record: [UInt8], written: Int) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, Int64(status.st_size) == offset + Int64(written) else { return }
    guard let tail = Self.read(descriptor, from: offset, count: written), tail == Array(record.prefix(written)) else { return }
    ftruncate(descriptor, off_t(offset))
  }

  /// The result of checking a file after a kill.
  package enum Reconciliation: Equatable, Sendable {
    /// The record was complete.
    case complete
    /// The record was missing or partial and is complete now.
    case completed
  }

  /// Completes a record that may be missing, partial or complete. Other processes may have written
  /// after it.
  package func reconcile(_ path: String, offset: Int64, _ bytes: [UInt8]) throws(SystemFailure) -> Reconciliation {
    let index = try index(of: path)
    let descriptor = files[index].descriptor
    files[index].isDirty = true
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw SystemFailure("appending to \(path)") }
    let size = Int64(status.st_size)
    var (offset, bytes) = (offset, bytes)
    // If the CSV file begins with the header already, which another process may have written, only
    // the row may be missing.
    if offset == 0, path.hasSuffix(".csv"), let end = bytes.firstIndex(of: UInt8(ascii: "\n")), end + 1 < bytes.count, size > end,
      Self.read(descriptor, from: 0, count: end + 1) == Array(bytes[...end])
    {
      (offset, bytes) = (Int64(end) + 1, Array(bytes[(end + 1)...]))
    }
    if size > offset {
      // More than a record after our offset comes from other processes. Look for ours in the first
      // mebibyte.
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

  /// Makes everything appended so far survive a power cut.
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
