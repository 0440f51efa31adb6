import Glibc

/// Reads a whole file. Throws `EFBIG` if it is longer than `limit`, `EISDIR` for a directory.
/// - Parameter isShort: Whether a short read means the end. A pipe may continue after one.
package func readFile(_ path: String, limit: Int, isShort: Bool = false) throws(SystemFailure) -> [UInt8] {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw SystemFailure("reading \(path)") }
  defer { close(descriptor) }
  return try readAll(descriptor, named: path, limit: limit, isShort: isShort)
}

/// Reads a descriptor, such as stdin, to its end.
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

/// Writes all bytes to a blocking descriptor.
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

/// Resolves all links of a path; `nil` if there is no such file.
package func realPath(_ path: String) -> String? {
  guard let resolved = realpath(path, nil) else { return nil }
  defer { free(resolved) }
  return String(cString: resolved)
}

/// The target of a symbolic link; `nil` if the path is not one.
package func linkTarget(_ path: String) -> String? {
  var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
  let count = target.withUnsafeMutableBytes { readlink(path, $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count) }
  return count > 0 ? String(decoding: target[..<count], as: UTF8.self) : nil
}

package func parent(of path: String) -> String {
  guard let slash = path.lastIndex(of: "/") else { return "." }
  return slash == path.startIndex ? "/" : String(path[..<slash])
}

/// A path relative to a folder.
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

/// Returns all variables of the environment.
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

// Needed often, and constant while the process lives.
private let outputIsTerminal = isatty(1) == 1
private let errorsAreTerminal = isatty(2) == 1
