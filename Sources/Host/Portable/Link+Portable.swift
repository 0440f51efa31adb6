import Exchange
import Packets
package import Vocabulary

// Links, and the requests for them.

extension RequestedConnection: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(owner: try reader.next(), id: try reader.next(), request: try reader.next(), deadline: try reader.next())
  }

  func write(to writer: inout ByteWriter) { writer.put(all: owner, id, request, deadline) }
}

extension Attempt: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) { self.init(peer: try reader.next(), reasons: try reader.next()) }

  func write(to writer: inout ByteWriter) { writer.put(all: peer, reasons) }
}

extension Link.Stage: Portable {}

extension Link.Waiter: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) { self.init(owner: try reader.next(), id: try reader.next()) }

  func write(to writer: inout ByteWriter) { writer.put(all: owner, id) }
}

extension UnexpectedLink: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) { self.init(handle: try reader.next(), by: try reader.next()) }

  func write(to writer: inout ByteWriter) { writer.put(all: handle, by) }
}

extension LinkAdjustment: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(owner: try reader.next(), id: try reader.next(), wanted: try reader.next())
  }

  func write(to writer: inout ByteWriter) { writer.put(all: owner, id, wanted) }
}

extension Link: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    handle = try reader.next()
    peer = try reader.next()
    address = try reader.next()
    role = try reader.next()
    since = try reader.next()
    stage = try reader.next()
    isHeard = try reader.next()
    heardAt = try reader.next()
    isForgotten = try reader.next()
    waitsSince = try reader.next()
    owners = try reader.next()
    interval = try reader.next()
    latency = try reader.next()
    supervisionTimeout = try reader.next()
    phy = try reader.next()
    mtu = try reader.nextMTU()
    gatt = try reader.next()
    security = try reader.next()
    pairWaiters = try reader.next()
    question = try reader.next()
    answers = try reader.next()
    adjustments = try reader.next()
    policies = try reader.next()
    onDemand = try reader.next()
    awaitsEncryption = try reader.next()
    isRemembered = try reader.next()
    inbound = try reader.next()
    outbox = try reader.next()
    establishedBy = try reader.next()
    closingReadEnds = try reader.next()
    closesBy = try reader.next()
    refusedDisconnects = try reader.nextCounter("disconnections refused")
    waiters = try reader.next()
    closingFailure = try reader.next()
    dropped = try reader.nextCounter("frames dropped")
  }

  func write(to writer: inout ByteWriter) {
    writer.put(
      all: handle, peer, address, role, since, stage, isHeard, heardAt, isForgotten, waitsSince, owners, interval, latency,
      supervisionTimeout, phy, mtu)
    writer.put(
      all: gatt, security, pairWaiters, question, answers, adjustments, policies, onDemand, awaitsEncryption, isRemembered,
      inbound, outbox, establishedBy,
      closingReadEnds,
      closesBy,
      refusedDisconnects,
      waiters)
    writer.put(all: closingFailure, dropped)
  }
}

extension LEHost.OpenLink: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(
      peer: try reader.next(), name: try reader.next(), info: try reader.next(), since: try reader.next(),
      isEnding: try reader.next())
  }

  package func write(to writer: inout ByteWriter) { writer.put(all: peer, name, info, since, isEnding) }
}
