import Host
package import Linux

/// The value of `--adapter`.
package enum AdapterChoice: Equatable, Sendable {
  case stream(H4Address)
  /// A file whose peripherals are on a simulated air; `demo` is built in.
  case simulated(String)
  /// A controller of the kernel: `hci0`, an address, or any if the option is missing.
  case kernel(AdapterName)
  /// A value with none of the known forms.
  case unknown(String)

  package init(_ text: String?) {
    guard let text, !text.isEmpty else {
      self = .kernel(.any)
      return
    }
    if text.hasPrefix("sim:"), text.count > 4 {
      self = .simulated(String(text.dropFirst(4)))
    } else if let address = H4Address(text) {
      self = .stream(address)
    } else if let name = AdapterName(text) {
      self = .kernel(name)
    } else {
      self = .unknown(text)
    }
  }

  /// Adapters that need no hardware.
  static let others = """
    or try a simulated one:    --adapter sim:demo
    or a controller over H4:   --adapter unix:/tmp/air   or   --adapter tcp:localhost:9000
    or one at a serial port:   --adapter serial:/dev/ttyACM0@1000000
    """

  /// The message and hint for a choice that names no controller; `nil` for one that does.
  package var refusal: (message: String, hint: String)? {
    guard case .unknown(let text) = self else { return nil }
    return (
      "there is no adapter \(text)",
      H4Address.form(of: text)
        ?? "an adapter of the kernel is named hci0 or by its address; tooth adapters lists them\n\(Self.others)"
    )
  }

  package var isSimulated: Bool { if case .simulated = self { true } else { false } }

  package var isKernels: Bool { if case .kernel = self { true } else { false } }

  /// What a user can do about a controller that does not answer.
  package var cure: String { isKernels ? AdapterHint.kernel : AdapterHint.stream }

  /// The name of a keeper for this adapter; `nil` if no keeper can own it.
  package func keeperName(in directory: @autoclosure () -> String) -> String? {
    switch self {
    case .stream(.unix(let path)): "unix:\(Self.canonical(path.hasPrefix("/") ? path : absolute(path, in: directory())))"
    case .stream(let address): "\(address)"
    case .kernel(.any), .simulated, .unknown: nil
    case .kernel(let name): "\(name)"
    }
  }

  /// The name to show to a user: the address of a stream as it was typed, else the keeper's name.
  package func shown(_ typed: String?, else name: String) -> String {
    if case .stream = self, let typed { typed } else { name }
  }

  /// Returns the same name for every way to write a socket's path, even if the socket is missing. A
  /// name that no socket can have is returned unchanged.
  private static func canonical(_ written: String) -> String {
    var path = plain(written)
    // A link may point to another link. The limit ends a cycle.
    for _ in 0..<8 {
      guard let folder = realPath(parent(of: path)) else { break }
      path = (folder == "/" ? "" : folder) + String(path[(path.lastIndex(of: "/") ?? path.startIndex)...])
      guard let target = linkTarget(path) else { break }
      path = plain(absolute(target, in: folder))
    }
    return H4Address("unix:\(path)") == nil ? written : path
  }

  /// Removes `.` and empty parts. Leaves `..` to the file system unless the path is missing,
  /// because links change what it means.
  private static func plain(_ path: String) -> String {
    var plain = ""
    for part in path.split(separator: "/") where part != "." {
      plain.append("/")
      plain.append(contentsOf: part)
    }
    return plain.isEmpty ? "/" : plain
  }
}
