import Glibc

/// The whole of a file. `EFBIG` when it is longer than `limit`, `EISDIR` for a directory.
package func readFile(_ path: String, limit: Int) throws(SystemFailure) -> [UInt8] {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw SystemFailure("reading \(path)") }
  defer { close(descriptor) }
  return try readAll(descriptor, named: path, limit: limit)
}

/// Everything up to the end of a descriptor, for example of stdin.
package func readAll(_ descriptor: Int32, named name: String, limit: Int) throws(SystemFailure) -> [UInt8] {
  var all: [UInt8] = []
  // Most files are small, and a large block would have to be cleared for each.
  var block = [UInt8](repeating: 0, count: 4096)
  while true {
    let count = read(descriptor, &block, block.count)
    if count < 0 {
      if errno == EINTR { continue }
      throw SystemFailure("reading \(name)")
    }
    if count == 0 { return all }
    all.append(contentsOf: block[..<count])
    if all.count > limit { throw SystemFailure("reading \(name)", code: EFBIG) }
    if count == block.count, count < 65536 { block = [UInt8](repeating: 0, count: 65536) }
  }
}

/// Replaces a file in one step: whoever reads it sees the old or the new content, also after a power cut.
package func saveFile(_ path: String, _ bytes: [UInt8]) throws(SystemFailure) {
  // A link is followed, so that it stays a link.
  let target = realPath(path) ?? path
  let temporary = "\(target).tooth-\(getpid())"
  var kept = stat()
  let mode: mode_t = stat(target, &kept) == 0 ? kept.st_mode & 0o777 : 0o666
  let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
  guard descriptor >= 0 else { throw SystemFailure("saving \(path)") }
  do throws(SystemFailure) {
    try writeAll(descriptor, bytes, named: path)
    guard fsync(descriptor) == 0 else { throw SystemFailure("saving \(path)") }
  } catch {
    close(descriptor)
    unlink(temporary)
    throw error
  }
  close(descriptor)
  guard rename(temporary, target) == 0 else {
    let failure = SystemFailure("saving \(path)")
    unlink(temporary)
    throw failure
  }
  let folder = open(parent(of: target), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  if folder >= 0 {
    fsync(folder)
    close(folder)
  }
}

/// Writes all of it to a blocking descriptor.
package func writeAll(_ descriptor: Int32, _ bytes: [UInt8], named name: String) throws(SystemFailure) {
  var sent = 0
  while sent < bytes.count {
    let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress.map { $0 + sent }, bytes.count - sent) }
    if count < 0 {
      if errno == EINTR { continue }
      if errno == EAGAIN {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&entry, 1, -1)
        continue
      }
      throw SystemFailure("writing \(name)")
    }
    sent += count
  }
}

/// The path with every link resolved; nothing when there is no such file.
package func realPath(_ path: String) -> String? {
  guard let resolved = realpath(path, nil) else { return nil }
  defer { free(resolved) }
  return String(cString: resolved)
}

package func parent(of path: String) -> String {
  guard let slash = path.lastIndex(of: "/") else { return "." }
  return slash == path.startIndex ? "/" : String(path[..<slash])
}

/// A path as seen from a folder.
package func absolute(_ path: String, in folder: String) -> String { path.hasPrefix("/") ? path : "\(folder)/\(path)" }

package func workingDirectory() -> String {
  guard let name = getcwd(nil, 0) else { return "/" }
  defer { free(name) }
  return String(cString: name)
}

package func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

package func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

/// The beginning of a file up to its first line end; nothing when it cannot be read or has none within the limit.
package func readHead(_ path: String, limit: Int) -> [UInt8]? {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  var block = [UInt8](repeating: 0, count: limit)
  let count = read(descriptor, &block, limit)
  guard count > 0, let end = block[..<count].firstIndex(of: 0x0A) else { return nil }
  return Array(block[...end])
}
