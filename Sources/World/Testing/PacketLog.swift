import Adapters
import Host
import Linux
import Packets
import Vocabulary

/// The last packets to and from the controllers of a test, for its btsnoop file.
final class PacketLog {
  private var records: [BtsnoopRecord] = []
  private var first = 0
  private static let most = 4096

  /// - Parameter packet: without keys.
  func take(_ packet: [UInt8], isSent: Bool, at now: Instant) {
    let record = BtsnoopRecord(isSent: isSent, time: now.wall, bytes: packet)
    if records.count < Self.most {
      records.append(record)
    } else {
      records[first] = record
      first = (first + 1) % Self.most
    }
  }

  var isEmpty: Bool { records.isEmpty }

  func bytes(hiding secrets: TestSecrets) -> [UInt8] {
    var writer = ByteWriter()
    for record in records[first...] + records[..<first] {
      BtsnoopRecord(isSent: record.isSent, time: record.time, bytes: secrets.hiding(packet: record.bytes)).write(to: &writer)
    }
    return BtsnoopHeader().encoded + writer.bytes
  }
}

/// A transport that logs its packets.
final class LoggedTransport: Transport {
  private let inner: SimulatedTransport
  private let log: PacketLog
  private var redaction = PacketRedaction()

  init(_ inner: SimulatedTransport, _ log: PacketLog) {
    self.inner = inner
    self.log = log
  }

  func send(_ packet: [UInt8], at now: Instant) {
    log.take(redaction.redacted(packet, isSent: true), isSent: true, at: now)
    inner.send(packet, at: now)
  }

  func receive(at now: Instant) -> [[UInt8]] {
    let packets = inner.receive(at: now)
    for packet in packets { log.take(redaction.redacted(packet, isSent: false), isSent: false, at: now) }
    return packets
  }

  func flush() {}
  var nextMoment: Moment? { inner.nextMoment }
  var interest: Poll.Interest? { nil }
  var ending: String? { nil }
  var canHang: Bool { false }
}
