import Exchange
import Packets
import Vocabulary

/// Requests about our own GATT server, handed on to it and to the links it is read over.
extension LEHost {
  mutating func publish(_ owner: OwnerID, _ id: OperationID, _ table: ServerTable) {
    serverOwner = owner
  }
  mutating func update(_ owner: OwnerID, _ id: OperationID, _ attribute: ServerAttributeID, _ value: [UInt8]) {}
  mutating func publishValue(
    _ owner: OwnerID, _ id: OperationID, _ attribute: ServerAttributeID, _ value: [UInt8], _ kind: SubscriptionKind,
    to peer: Address?
  ) {}
  mutating func answer(_ asked: ServerRequestID, _ answer: ServerAnswer) {}
  mutating func acknowledge(_ owner: OwnerID, _ number: EventNumber) {}
  mutating func takeDatabaseHash(_ hash: [UInt8]) {}
}
