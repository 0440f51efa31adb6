import Exchange
import Packets
package import Vocabulary

// The bearer of a link: its outstanding request, operations, subscriptions and waiting values.

extension Operation.Work: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    switch try reader.readUInt8() {
    case 0: self = .client(try reader.next(), try reader.next(), try reader.next())
    case 1: self = .databaseHash
    case 2: self = .serviceChanged
    case 3: self = .withdrawPrepared
    case 4: self = .unsubscribe(try reader.next())
    case 5: self = .renewal(try reader.next(), try reader.next())
    case let other: throw .invalid("work", UInt64(other))
    }
  }

  func write(to writer: inout ByteWriter) {
    switch self {
    case .client(let owner, let id, let request): writer.put(all: 0 as UInt8, owner, id, request)
    case .databaseHash: writer.put(1 as UInt8)
    case .serviceChanged: writer.put(2 as UInt8)
    case .withdrawPrepared: writer.put(3 as UInt8)
    case .unsubscribe(let handle): writer.put(all: 4 as UInt8, handle)
    case .renewal(let path, let owner): writer.put(all: 5 as UInt8, path, owner)
    }
  }
}

extension Operation.Stage: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    switch try reader.readUInt8() {
    case 0: self = .planning
    case 1: self = .reading(try reader.next(), try reader.next())
    case 2: self = .readingByUUID(try reader.next())
    case 3: self = .deciding(try reader.next())
    case 4: self = .writing(try reader.next(), try reader.next())
    case 5: self = .writingLong(try reader.next(), try reader.next())
    case 6: self = .configuring(try reader.next(), try reader.next(), try reader.next())
    case 7: self = .commanding
    case let other: throw .invalid("stage of an operation", UInt64(other))
    }
  }

  func write(to writer: inout ByteWriter) {
    switch self {
    case .planning: writer.put(0 as UInt8)
    case .reading(let procedure, let target): writer.put(all: 1 as UInt8, procedure, target)
    case .readingByUUID(let procedure): writer.put(all: 2 as UInt8, procedure)
    case .deciding(let values): writer.put(all: 3 as UInt8, values)
    case .writing(let procedure, let target): writer.put(all: 4 as UInt8, procedure, target)
    case .writingLong(let procedure, let target): writer.put(all: 5 as UInt8, procedure, target)
    case .configuring(let procedure, let target, let kind): writer.put(all: 6 as UInt8, procedure, target, kind)
    case .commanding: writer.put(7 as UInt8)
    }
  }
}

extension Operation: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(try reader.next())
    stage = try reader.next()
    isRetried = try reader.next()
    isLookedUp = try reader.next()
    isHidden = try reader.next()
    securesFrom = try reader.next()
  }

  func write(to writer: inout ByteWriter) { writer.put(all: work, stage, isRetried, isLookedUp, isHidden, securesFrom) }
}

extension OutstandingRequest.Purpose: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    switch try reader.readUInt8() {
    case 0: self = .mtu(try reader.next())
    case 1: self = .databaseHash(ReadDatabaseHash())
    case 2: self = .probe(try reader.next())
    case 3: self = .discovery(try reader.next())
    case 4: self = .declaration(try reader.next())
    case 5: self = .operation
    case let other: throw .invalid("purpose of a request", UInt64(other))
    }
  }

  func write(to writer: inout ByteWriter) {
    switch self {
    case .mtu(let procedure): writer.put(all: 0 as UInt8, procedure)
    case .databaseHash: writer.put(1 as UInt8)
    case .probe(let probe): writer.put(all: 2 as UInt8, probe)
    case .discovery(let request): writer.put(all: 3 as UInt8, request)
    case .declaration(let procedure): writer.put(all: 4 as UInt8, procedure)
    case .operation: writer.put(5 as UInt8)
    }
  }
}

extension OutstandingRequest: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(
      pdu: try reader.nextPDU(), purpose: try reader.next(), since: try reader.next(), number: try reader.next(),
      isOrphan: try reader.next(), isStale: try reader.next(), isHidden: try reader.next())
  }

  func write(to writer: inout ByteWriter) {
    writer.put(pdu: pdu)
    writer.put(all: purpose, since, number, isOrphan, isStale, isHidden)
  }
}

extension Subscription: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(
      path: try reader.next(), reference: try reader.next(), configuration: try reader.next(), kind: try reader.next(),
      owners: try reader.next(),
      isWritten: try reader.next())
  }

  func write(to writer: inout ByteWriter) { writer.put(all: path, reference, configuration, kind, owners, isWritten) }
}

extension KeptValue: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(
      handle: try reader.next(), value: try reader.next(), kind: try reader.next(), at: try reader.next(),
      needsConfirmation: try reader.next())
  }

  func write(to writer: inout ByteWriter) { writer.put(all: handle, value, kind, at, needsConfirmation) }
}

extension AwaitedIndication.Part: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(owner: try reader.next(), token: try reader.next(), number: try reader.next(), isAcknowledged: try reader.next())
  }

  func write(to writer: inout ByteWriter) { writer.put(all: owner, token, number, isAcknowledged) }
}

extension AwaitedIndication: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) { self.init(parts: try reader.next()) }

  func write(to writer: inout ByteWriter) { parts.write(to: &writer) }
}

extension GattPeer.Trust: Portable {}

extension GattPeer: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    peer = try reader.next()
    isCentral = try reader.next()
    preferredMTU = try reader.nextMTU()
    mtu = try reader.nextMTU()
    attributeCache = try reader.next()
    trust = try reader.next()
    isUnproven = try reader.next()
    hasMissedIndication = try reader.next()
    bond = try reader.next()
    usesBondedState = try reader.next()
    renewsAt = try reader.next()
    earlier = try reader.next()
    isReady = try reader.next()
    isDead = try reader.next()
    outstanding = try reader.next()
    current = try reader.next()
    queue = try reader.next()
    sent = try reader.nextCounter("PDUs sent")
    handed = try reader.next()
    acknowledgedByRadio = try reader.next()
    // Each count is a part of the one before it.
    guard handed <= sent, acknowledgedByRadio <= handed else { throw .invalid("PDUs handed over", handed) }
    awaitedHandover = try reader.next()
    subscriptions = try reader.next()
    kept = try reader.next()
    overflow = try reader.nextCounter("values that could not be kept")
    indications = try reader.next()
    nextToken = try reader.nextCounter("token")
    idleSince = try reader.next()
    idleWorkSince = try reader.next()
    hashIsRead = try reader.next()
    serviceChangedIsDone = try reader.next()
    session = try reader.next()
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(
      all: peer, isCentral, preferredMTU, mtu, attributeCache, trust, isUnproven, hasMissedIndication, bond, usesBondedState,
      renewsAt)
    writer.put(all: earlier, isReady, isDead)
    writer.put(all: outstanding, current, queue, sent, handed, acknowledgedByRadio, awaitedHandover)
    writer.put(all: subscriptions, kept, overflow, indications, nextToken, idleSince, idleWorkSince)
    writer.put(all: hashIsRead, serviceChangedIsDone, session)
  }
}
