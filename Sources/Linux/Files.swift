import Glibc

/// The whole of a file. `EFBIG` when it is longer than `limit`, `EISDIR` for a directory.
/// - Parameter isShort: where less comes than was asked for, it ends there. A pipe may go on.
package func readFile(_ path: String, limit: Int, isShort: Bool = false) throws(SystemFailure) -> [UInt8] {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw SystemFailure("reading \(path)") }
  defer { close(descriptor) }
  return try readAll(descriptor, named: path, limit: limit, isShort: isShort)
}

/// Everything up to the end of a descriptor, for example of stdin.
package func readAll(_ descriptor: Int32, named name: String, limit: Int, isShort: Bool = false) throws(SystemFailure) -> [UInt8] {
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
    if isShort, count < block.count { return all }
    if count == block.count, count < 65536 { block = [UInt8](repeating: 0, count: 65536) }
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

/// What a symbolic link says; nothing for what is none.
package func linkTarget(_ path: String) -> String? {
  var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
  let count = target.withUnsafeMutableBytes { readlink(path, $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count) }
  return count > 0 ? String(decoding: target[..<count], as: UTF8.self) : nil
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

package func hasVariable(beginningWith prefix: String) -> Bool {
  let count = prefix.utf8.count
  return prefix.withCString { prefix in
    var next = environ
    while let entry = next.pointee {
      if entry.pointee == prefix.pointee, strncmp(entry, prefix, count) == 0 { return true }
      next += 1
    }
    return false
  }
}

/// Every variable of the environment.
package func processVariables() -> [(name: String, value: String)] {
  var found: [(name: String, value: String)] = []
  var next = environ
  while let entry = next.pointee {
    let text = String(cString: entry)
    if let sign = text.firstIndex(of: "=") {
      found.append((String(text[..<sign]), String(text[text.index(after: sign)...])))
    }
    next += 1
  }
  return found
}

package func isTerminal(_ descriptor: Int32) -> Bool {
  guard descriptor == 1 || descriptor == 2 else { return isatty(descriptor) == 1 }
  return descriptor == 1 ? outputIsTerminal : errorsAreTerminal
}

// Asked for again and again, and the same as long as the process lives.
private let outputIsTerminal = isatty(1) == 1
private let errorsAreTerminal = isatty(2) == 1
