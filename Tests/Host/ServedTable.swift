import Exchange
import Host
import Packets
import Vocabulary

/// The server of the transcripts that begin with `serve`. After the thirteen handles of Generic
/// Access and Generic Attribute it has:
///
/// 000e battery (0010 level, 0011 its configuration, 0012 its description), 0013 heart rate, which
/// includes 0028 (0016 asks its owner, 0018 is written only, 001a is long and written reliably,
/// with 001b and 001c, 001e is read with a key, 0020 written with one, 0022 indicates, with 0023
/// and 0024), 0025 with a 128-bit UUID (0027), and the secondary 0028 (002a).
enum ServedTable {
  private static let table = ServerTable(
    name: "thing",
    services: [
      .init(
        uuid: UUID(0x180F),
        characteristics: [
          .init(
            id: id(1), uuid: UUID(0x2A19), properties: [.read, .notify], value: [0x61],
            descriptors: [.init(id: id(2), uuid: UUID(0x2901), properties: .read, value: Array("main".utf8))])
        ]),
      .init(
        uuid: UUID(0x180D),
        characteristics: [
          .init(
            id: id(3), uuid: UUID(0x2A38), properties: [.read, .write], value: [9], asksBeforeRead: true, asksBeforeWrite: true),
          .init(id: id(4), uuid: UUID(0x2A39), properties: [.write, .writeWithoutResponse]),
          .init(
            id: id(5), uuid: UUID(0x2A29), properties: [.read, .write, .extendedProperties], value: Array(0..<30),
            descriptors: [.init(id: id(6), uuid: UUID(0x2901), properties: [.read, .write], value: Array(0..<24))]),
          .init(id: id(7), uuid: UUID(0x2A24), properties: .read, protection: .encryption, writeProtection: .open, value: [1]),
          .init(
            id: id(9), uuid: UUID(0x2A25), properties: [.read, .write], protection: .open, writeProtection: .authentication,
            value: [2]
          ),
          .init(
            id: id(8), uuid: UUID(0x2A1C), properties: .indicate,
            descriptors: [.init(id: id(10), uuid: UUID(0x2901), properties: .write)]),
        ], includes: [3]),
      .init(
        uuid: UUID("6e400001-b5a3-f393-e0a9-e50e24dcca9e") ?? UUID(0),
        characteristics: [
          .init(
            id: id(11), uuid: UUID("6e400002-b5a3-f393-e0a9-e50e24dcca9e") ?? UUID(0), properties: .read, value: [0xAA])
        ]),
      .init(
        uuid: UUID(0x181A), characteristics: [.init(id: id(12), uuid: UUID(0x2A6E), properties: .read, value: [0xBB, 0xCC])],
        isPrimary: false),
    ])

  private static func id(_ raw: Int) -> ServerAttributeID { ServerAttributeID(raw) }

  static func bench() -> AttBench {
    var bench = AttBench(isCentral: false)
    _ = bench.server.publish(table, owner: .run)
    bench.server.hashComputed(Array(0..<16))
    bench.start()
    bench.sent = []
    return bench
  }

  /// The owner's answer to its last request.
  static func answer(_ answer: ServerAnswer, _ bench: inout AttBench) {
    for event in bench.events.reversed() {
      switch event {
      case .readRequested(let asked, _, _), .writeRequested(let asked, _, _, _, _):
        return bench.take(bench.peer.answer(asked, answer, server: &bench.server, at: bench.now))
      default: continue
      }
    }
  }

  /// `publish notify ID HEX`
  static func publish(_ words: [String], _ bench: inout AttBench) {
    guard words.count > 2, let number = Int(words[2]) else { return }
    let value = Hex.bytes(words.dropFirst(3).joined()) ?? []
    _ = bench.server.beginPublication(
      .run, OperationID(900), id(number), value, words[1] == "notify" ? .notify : .indicate, to: nil)
    bench.take(bench.peer.sendPublication(server: &bench.server, at: bench.now))
    bench.take(bench.server.endPublication())
  }
}
