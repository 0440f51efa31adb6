/// The address of an H4 stream: `unix:PATH`, `tcp:HOST:PORT`, or `serial:DEVICE`, optionally with
/// `@BAUD`.
package enum H4Address: Equatable, Sendable, CustomStringConvertible {
  case unix(String)
  case tcp(host: String, port: UInt16)
  /// A UART with RTS/CTS flow control.
  case serial(device: String, baud: UInt32)

  /// The default baud rate of Zephyr's `hci_uart` and of Bumble.
  package static let standardBaud: UInt32 = 1_000_000

  /// Reads an address; `nil` if the text has none of these forms.
  package init?(_ text: String) {
    if text.hasPrefix("unix:") {
      let path = String(text.dropFirst(5))
      // sun_path has 108 octets including the zero at its end.
      guard !path.isEmpty, path.utf8.count < 108, !path.utf8.contains(0) else { return nil }
      self = .unix(path)
      return
    }
    if text.hasPrefix("serial:") {
      var device = text.dropFirst(7)
      var baud = Self.standardBaud
      // Device names may contain an @.
      if let at = device.lastIndex(of: "@") {
        let behind = device[device.index(after: at)...]
        if !behind.isEmpty, behind.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
          guard let number = UInt32(behind) else { return nil }
          baud = number
          device = device[..<at]
        }
      }
      guard !device.isEmpty, !device.utf8.contains(0), baud > 0 else { return nil }
      self = .serial(device: String(device), baud: baud)
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

  /// The correct form, for an invalid text that starts like an address; `nil` for any other text.
  package static func form(of text: String) -> String? {
    if text.hasPrefix("tcp:") { return "a controller over TCP is named tcp:HOST:PORT, its port at most 65535" }
    if text.hasPrefix("unix:") { return "a controller at a Unix socket is named unix:PATH, its path at most 107 octets long" }
    if text.hasPrefix("serial:") { return "a controller at a serial port is named serial:DEVICE or serial:DEVICE@BAUD" }
    if text.hasPrefix("/") { return "put its kind before it: serial:\(text) or unix:\(text)" }
    return nil
  }

  package var isSerial: Bool { if case .serial = self { true } else { false } }

  package var description: String {
    switch self {
    case .unix(let path): "unix:\(path)"
    case .tcp(let host, let port): host.contains(":") ? "tcp:[\(host)]:\(port)" : "tcp:\(host):\(port)"
    case .serial(let device, let baud): "serial:\(device)@\(baud)"
    }
  }
}
