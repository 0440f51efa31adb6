// Stands in until the bearer is there; whoever brings it deletes this file.
import Exchange
import Vocabulary

struct GattPeer: Sendable {
  var nextDeadline: Moment? { nil }
  var isCentral: Bool
  var preferred: UInt16
  init(peer: Address, isCentral: Bool, preferredMTU: UInt16, knowledge: GattKnowledge?) {
    self.isCentral = isCentral
    preferred = preferredMTU
  }
  mutating func start(at now: Instant) -> [GattEffect] {
    isCentral ? [.send([0x02, UInt8(truncatingIfNeeded: preferred), UInt8(preferred >> 8)])] : []
  }
  mutating func receive(_ pdu: [UInt8], server: inout GattServer, at now: Instant) -> [GattEffect] {
    guard pdu.count == 3 else { return [] }
    let mtu = min(preferred, UInt16(pdu[1]) | UInt16(pdu[2]) << 8)
    if pdu[0] == 0x03 { return [.ready(mtu: mtu)] }
    if pdu[0] == 0x02 { return [.send([0x03, UInt8(truncatingIfNeeded: preferred), UInt8(preferred >> 8)]), .ready(mtu: mtu)] }
    return []
  }
  mutating func submit(_ owner: OwnerID, _ id: OperationID, _ request: GattRequest, at now: Instant) -> [GattEffect] { [] }
  mutating func cancel(_ owner: OwnerID, _ id: OperationID, at now: Instant) -> [GattEffect] { [] }
  mutating func handedOver(at now: Instant) -> [GattEffect] { [] }
  mutating func delivered(at now: Instant) -> [GattEffect] { [] }
  mutating func indicationReported(token: UInt64, owner: OwnerID, number: EventNumber) {}
  mutating func acknowledged(owner: OwnerID, _ number: EventNumber, at now: Instant) -> [GattEffect] { [] }
  mutating func lost(_ reason: DisconnectReason, server: inout GattServer, at now: Instant) -> [GattEffect] { [] }
  mutating func wake(at now: Instant) -> [GattEffect] { [] }
}

struct GattServer: Sendable {
  mutating func publish(_ table: ServerTable, owner: OwnerID) -> [UInt8]? { nil }
  mutating func hashComputed(_ hash: [UInt8]) {}
  mutating func update(_ attribute: ServerAttributeID, _ value: [UInt8]) -> Bool { true }
  mutating func beginPublication(
    _ owner: OwnerID, _ id: OperationID, _ attribute: ServerAttributeID, _ value: [UInt8], _ kind: SubscriptionKind,
    to peer: Address?
  ) -> Failure? { nil }
  mutating func endPublication() -> [GattEffect] { [] }
}

extension GattPeer {
  mutating func tableChanged(server: inout GattServer, at now: Instant) -> [GattEffect] { [] }
  mutating func sendPublication(server: inout GattServer, at now: Instant) -> [GattEffect] { [] }
  mutating func answer(_ id: ServerRequestID, _ answer: ServerAnswer, server: inout GattServer, at now: Instant) -> [GattEffect] {
    []
  }
}

enum GattEffect: Equatable, Sendable {
  case send([UInt8])
  case ready(mtu: UInt16)
  case report(OwnerID, HostEvent)
  case reportToLinkOwners(HostEvent)
  case reportIndication(OwnerID, HostEvent, token: UInt64)
  case closeLink(Failure)
  case reportArrived(OwnerID?, HostEvent, at: Instant)
}
