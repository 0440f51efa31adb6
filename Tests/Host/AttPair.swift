import Exchange
import Host
import Packets
import Vocabulary

/// A client's bearer and a server's, connected to each other in order.
struct AttPair {
  var client: AttBench
  var device: AttBench
  /// Opcodes of the requests that the client has sent since the last call.
  var asked: [[UInt8]] = []

  init(
    _ table: ServerTable, clientMTU: UInt16 = 517, deviceMTU: UInt16 = 517, attributeCache: AttributeCache? = nil,
    hash: [UInt8]? = nil
  ) {
    client = AttBench(mtu: clientMTU, attributeCache: attributeCache)
    device = AttBench(isCentral: false, mtu: deviceMTU)
    _ = device.server.publish(table, owner: .run)
    device.server.hashComputed(hash ?? Array(repeating: 7, count: 16))
    device.start()
    client.start()
    settle()
    asked = []
  }

  /// Runs until neither side has anything to send.
  mutating func settle() {
    var rounds = 0
    while !client.sent.isEmpty || !device.sent.isEmpty, rounds < 100_000 {
      rounds += 1
      if !client.sent.isEmpty {
        let pdu = client.sent.removeFirst()
        asked.append(pdu)
        device.hear(pdu)
      } else {
        client.hear(device.sent.removeFirst())
      }
    }
  }

  @discardableResult
  mutating func run(_ request: GattRequest) -> Result<Outcome, Failure>? {
    let id = client.submit(request)
    settle()
    return client.outcome(id)
  }

  /// Like `run`, but requires success.
  @discardableResult
  mutating func succeed(_ request: GattRequest) throws -> Outcome {
    guard let result = run(request) else { throw Failure(.timeout, "never completed") }
    return try result.get()
  }

  mutating func wait(_ span: TimeSpan) {
    client.wait(span)
    device.wait(span)
    settle()
    client.wait(.zero)
    settle()
  }

  mutating func publish(_ attribute: Int, _ value: [UInt8], _ kind: SubscriptionKind, id: UInt64 = 99) throws {
    if let failure = device.server.beginPublication(.run, OperationID(id), ServerAttributeID(attribute), value, kind, to: nil) {
      throw failure
    }
    device.take(device.peer.sendPublication(server: &device.server, at: device.now))
    device.take(device.server.endPublication())
    settle()
  }

  /// The names of the requests since `forget`.
  var names: [String] { asked.map { ATTOpcode.name($0.first ?? 0) } }

  mutating func forget() { asked = [] }
}

extension ServerTable {
  /// A strap: heart rate with measurement, location and control point; battery.
  static let strap = ServerTable(
    name: "strap",
    services: [
      Service(
        uuid: UUID(0x180D),
        characteristics: [
          Characteristic(id: ServerAttributeID(1), uuid: UUID(0x2A37), properties: .notify),
          Characteristic(id: ServerAttributeID(2), uuid: UUID(0x2A38), properties: .read, value: [1]),
          Characteristic(id: ServerAttributeID(3), uuid: UUID(0x2A39), properties: .write),
        ]),
      Service(
        uuid: UUID(0x180F),
        characteristics: [Characteristic(id: ServerAttributeID(4), uuid: UUID(0x2A19), properties: [.read, .notify], value: [88])]),
    ])
}
