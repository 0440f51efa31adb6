import Exchange
import Packets
import Vocabulary

/// A fault of an adapter.
enum AdapterTrouble: Equatable, Sendable {
  /// A command was not answered in time.
  case unanswered(HCIOpcode)
  /// The controller has not accepted any command for too long.
  case blocked
  case hardwareError(UInt8)
  /// The controller has restarted by itself, as this sign shows.
  case restarted(String)
  /// The controller and the host disagree, as this sign shows.
  case disagrees(String)
  /// The octets received do not start with a packet.
  case outOfStep(String)
  /// The kernel dropped this many packets, so events of the controller may be missing.
  case packetsDropped(Int)
  /// The controller refused a command that every controller supports.
  case refused(Failure)
  /// The connection to the controller ended, for this reason.
  case transportLost(String)
  /// A scan that received something earlier has been silent for this long.
  case scanSilent(TimeSpan)

  /// The failure to report when nothing more can be done.
  /// - Parameter isKernels: Whether the controller belongs to the kernel, not to an H4 stream.
  func failure(isKernels: Bool) -> Failure {
    func hci(_ text: String, code: UInt16? = nil, hint: String?) -> Failure {
      Failure(.adapter, text, blame: .adapter, layer: .hci, code: code, hint: hint)
    }
    let replug = isKernels ? AdapterHint.kernel : "unplug the adapter and plug it back in, or reset it"
    switch self {
    case .unanswered(let opcode):
      return hci(
        "the controller did not answer \(opcode) within \(HostLimits.command)", code: opcode.raw,
        hint: opcode == .reset && !isKernels ? AdapterHint.stream : replug)
    case .blocked: return hci("the controller allowed no command for \(HostLimits.command)", hint: replug)
    case .hardwareError(let code):
      return hci("the controller reports a hardware error (0x\(Hex.text(code)))", code: UInt16(code), hint: replug)
    case .restarted(let sign): return hci("the controller has restarted: \(sign)", hint: "is its power supply good enough?")
    case .disagrees(let sign):
      return hci("the controller and the host disagree: \(sign)", hint: "are packets lost on the way to it?")
    case .outOfStep(let what):
      return hci(
        "the controller sent something that is not an HCI packet: \(what)",
        hint: isKernels ? replug : "does it speak H4, at this speed, with RTS and CTS connected?")
    case .packetsDropped(let count):
      return Failure(
        .adapter,
        "the kernel had to drop \(count) packet\(count == 1 ? "" : "s") of the controller, because tooth did not read them in time and their queue was full",
        blame: .ours, layer: .os,
        hint:
          "was tooth stopped, or the machine overloaded? Give it more CPU time (nice, or Nice= in its unit), or reduce the load: narrower scans, fewer notifications"
      )
    case .refused(let failure): return failure
    case .transportLost(let why): return Failure(.adapter, "the adapter is gone: \(why)", blame: .adapter, layer: .os)
    case .scanSilent(let span): return hci("the controller heard nothing for \(span)", hint: replug)
    }
  }
}
