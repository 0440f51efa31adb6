import Glibc

/// Makes a folder with an unpredictable name that only its owner can open, and returns its path.
/// Throws a `SystemFailure` if `place` does not exist or cannot be written.
package func makeTemporaryFolder(in place: String) throws(SystemFailure) -> String {
  // mkdtemp replaces the X characters.
  var template = Array("\(place)/tooth-test-XXXXXX".utf8CString)
  guard mkdtemp(&template) != nil else { throw SystemFailure("making a folder in \(place)") }
  return template.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
}
