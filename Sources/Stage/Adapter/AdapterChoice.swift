package import Linux

/// What `--adapter` says.
package enum AdapterChoice: Equatable, Sendable {
  case stream(H4Address)
  /// A file whose peripherals stand on a simulated air.
  case simulated(String)
  /// Nothing was said.
  case none
  /// `hci0`, an address, or something that no version knows.
  case unknown(String)

  package init(_ text: String?) {
    guard let text, !text.isEmpty else {
      self = .none
      return
    }
    if text.hasPrefix("sim:"), text.count > 4 {
      self = .simulated(String(text.dropFirst(4)))
    } else if let address = H4Address(text) {
      self = .stream(address)
    } else {
      self = .unknown(text)
    }
  }

  /// For the two cases that name no controller of this version.
  package var refusal: (message: String, hint: String)? {
    let hint = """
      try a simulated one:       --adapter sim:recipes/devices/heart-rate-strap.ble
      or a controller over H4:   --adapter unix:/tmp/air   or   --adapter tcp:localhost:9000
      or one at a serial port:   --adapter serial:/dev/ttyACM0@1000000
      """
    switch self {
    case .stream, .simulated: return nil
    case .none: return ("no adapter is named, and the kernel's adapters cannot be used in this version yet", hint)
    case .unknown(let text):
      if text.hasPrefix("hci") { return ("\(text): the kernel's adapters cannot be used in this version yet", hint) }
      return ("there is no adapter \(text)", hint)
    }
  }

  /// As a keeper's adapter is called; nothing for what no keeper can have.
  package func keeperName(in directory: String) -> String? {
    switch self {
    case .stream(.unix(let path)): "unix:\(absolute(path, in: directory))"
    case .stream(let address): "\(address)"
    case .simulated, .none, .unknown: nil
    }
  }
}
