import Packets
import Runner
import Simulator
import Vocabulary

/// The last events on the links of a test, in words.
struct LinkEvents {
  private var records: [AirRecord] = []
  private static let most = 10

  mutating func take(_ log: [AirRecord]) {
    for record in log {
      switch record.kind {
      case .advertisement, .scanRequest, .scanResponse, .control: continue
      case .acl where record.channel != 4: continue
      default: break
      }
      records.append(record)
    }
    if records.count > Self.most { records.removeFirst(records.count - Self.most) }
  }

  /// - Parameter name: Returns the name of an address.
  func lines(since start: Moment, hiding secrets: TestSecrets, _ name: (Address) -> String?) -> [String] {
    records.map { record in
      func called(_ address: Address?) -> String { address.map { name($0) ?? "\($0)" } ?? "?" }
      let time = DecimalText.text(Double((record.time - start).milliseconds) / 1000, digits: 3)
      let ends = "\(called(record.from)) → \(called(record.to))"
      let text: String
      switch record.kind {
      case .connectRequest: text = "\(ends)  connection request\(record.delivered == false ? ", not heard" : "")"
      case .established: text = "\(ends)  connected"
      case .acl: text = "\(ends)  \(Self.words(record.bytes ?? [], secrets))\(record.delivered == false ? "  (lost)" : "")"
      case .terminate: text = "\(ends)  disconnects"
      case .supervisionTimeout: text = "\(ends)  link lost: nothing was heard for the supervision timeout"
      case .establishmentFailed: text = "\(ends)  the connection was not established"
      case .linkEnded: text = "\(called(record.from))  link ended"
      case .fault: text = "\(called(record.from))  made to fail: \(record.note ?? "")"
      case .hostGone: text = "\(called(record.from))  its process was killed"
      case .reset: text = "\(called(record.from))  controller reset"
      default: text = "\(called(record.from))  \(record.kind.rawValue)\(record.note.map { ": \($0)" } ?? "")"
      }
      return "\(String(repeating: " ", count: max(0, 10 - time.utf8.count)))\(time) s  \(text)"
    }
  }

  private static func words(_ pdu: [UInt8], _ secrets: TestSecrets) -> String {
    guard let opcode = pdu.first else { return "empty PDU" }
    let name = ATTOpcode.name(opcode)
    if secrets.hiding(pdu) != pdu { return "\(name)  \(Secret.mark)" }
    return "\(name)  \(Hex.text(pdu.prefix(24).map { $0 }))\(pdu.count > 24 ? " …" : "")"
  }
}
