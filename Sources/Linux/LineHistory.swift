import Glibc

/// A history file with one entry per line, the newest last.
package struct LineHistory: Sendable {
  private let path: String
  /// The most entries to keep.
  package static let limit = 5000
  /// Replaces line ends in an entry.
  private static let lineEnd: Character = "\u{1F}"

  package init(path: String) { self.path = path }

  package func load() -> [String] {
    guard let bytes = try? readFile(path, limit: 1 << 24) else { return [] }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    let entries = lines.suffix(Self.limit).map { line in String(line.map { $0 == Self.lineEnd ? "\n" : $0 }) }
    // The file may grow to twice its limit before it is cut.
    if lines.count > Self.limit * 2 { write(entries, flags: O_TRUNC) }
    return entries
  }

  /// Secrets and entries that start with a space are not stored.
  package static func keeps(_ entry: String) -> Bool {
    !entry.isEmpty && entry.first != " " && !entry.holds("secret") && !entry.holds("passkey")
  }

  package func append(_ entry: String) { if Self.keeps(entry) { write([entry], flags: O_APPEND) } }

  /// Errors are ignored, because the history is not essential.
  private func write(_ entries: [String], flags: Int32) {
    let text = entries.map { String($0.map { $0 == "\n" ? Self.lineEnd : $0 }) + "\n" }.joined()
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | flags, 0o600)
    guard descriptor >= 0 else { return }
    defer { Glibc.close(descriptor) }
    _ = Array(text.utf8).withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
  }
}
