/// Where an H4 stream is: `unix:PATH` or `tcp:HOST:PORT`.
package enum H4Address: Equatable, Sendable, CustomStringConvertible {
  case unix(String)
  case tcp(host: String, port: UInt16)

  /// Nothing when the text is neither.
  package init?(_ text: String) {
    if text.hasPrefix("unix:") {
      let path = String(text.dropFirst(5))
      // sun_path holds 108 octets with the zero at its end.
      guard !path.isEmpty, path.utf8.count < 108, !path.utf8.contains(0) else { return nil }
      self = .unix(path)
      return
    }
    guard text.hasPrefix("tcp:"), let colon = text.lastIndex(of: ":") else { return nil }
    let start = text.index(text.startIndex, offsetBy: 4)
    guard colon > start, let port = UInt16(text[text.index(after: colon)...]) else { return nil }
    var host = String(text[start..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    guard !host.isEmpty else { return nil }
    self = .tcp(host: host, port: port)
  }

  package var description: String {
    switch self {
    case .unix(let path): "unix:\(path)"
    case .tcp(let host, let port): host.contains(":") ? "tcp:[\(host)]:\(port)" : "tcp:\(host):\(port)"
    }
  }
}
