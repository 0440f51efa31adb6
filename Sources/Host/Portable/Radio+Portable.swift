import Exchange
import Packets
import Vocabulary

// The radio: its state, and the requests for it.

extension ScanMode: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) { self.init(duty: try reader.next(), listed: try reader.next()) }

  func write(to writer: inout ByteWriter) { writer.put(all: duty, listed) }
}

extension RequestedScan: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(
      owner: try reader.next(), id: try reader.next(), request: try reader.next(),
      serial: try reader.nextCounter("number of a scan"))
  }

  func write(to writer: inout ByteWriter) { writer.put(all: owner, id, request, serial) }
}

extension InitiatorPlan: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(
      targets: try reader.next(), useList: try reader.next(), isFull: try reader.next(), isCoded: try reader.next())
  }

  func write(to writer: inout ByteWriter) { writer.put(all: targets, useList, isFull, isCoded) }
}

extension Radio.Initiator: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    switch try reader.readUInt8() {
    case 0: self = .idle
    case 1: self = .on(try reader.next())
    case 2: self = .cancelling(try reader.next(), until: try reader.next())
    case let other: throw .invalid("initiator", UInt64(other))
    }
  }

  func write(to writer: inout ByteWriter) {
    switch self {
    case .idle: writer.put(0 as UInt8)
    case .on(let plan): writer.put(all: 1 as UInt8, plan)
    case .cancelling(let plan, let until): writer.put(all: 2 as UInt8, plan, until)
    }
  }
}

extension Radio.Mark: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    switch try reader.readUInt8() {
    case 0: self = .none
    case 1: self = .scanning(try reader.next())
    case 2: self = .listed(try reader.next())
    case 3: self = .unlisted(try reader.next())
    case 4: self = .initiating(try reader.next())
    case 5: self = .cancelled
    case 6: self = .advertising(try reader.next())
    case 7: self = .listCleared
    case 8: self = .ownAddress(try reader.next())
    case 9: self = .resolution(try reader.next())
    case 10: self = .resolved(try reader.next())
    case 11: self = .unresolvedAll
    case 12: self = .privacyMode
    case let other: throw .invalid("mark of a step", UInt64(other))
    }
  }

  func write(to writer: inout ByteWriter) {
    switch self {
    case .none: writer.put(0 as UInt8)
    case .scanning(let mode): writer.put(all: 1 as UInt8, mode)
    case .listed(let address): writer.put(all: 2 as UInt8, address)
    case .unlisted(let address): writer.put(all: 3 as UInt8, address)
    case .initiating(let plan): writer.put(all: 4 as UInt8, plan)
    case .cancelled: writer.put(5 as UInt8)
    case .advertising(let version): writer.put(all: 6 as UInt8, version)
    case .listCleared: writer.put(7 as UInt8)
    case .ownAddress(let address): writer.put(all: 8 as UInt8, address)
    case .resolution(let isEnabled): writer.put(all: 9 as UInt8, isEnabled)
    case .resolved(let entry): writer.put(all: 10 as UInt8, entry)
    case .unresolvedAll: writer.put(11 as UInt8)
    case .privacyMode: writer.put(12 as UInt8)
    }
  }
}

extension Radio.Step: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(command: try reader.next(), mark: try reader.next(), isOptional: try reader.next())
  }

  func write(to writer: inout ByteWriter) { writer.put(all: command, mark, isOptional) }
}

extension Radio: Portable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init()
    steps = try reader.next()
    scanMustRestart = try reader.next()
    initiatorMustRestart = try reader.next()
    cancelWasRefused = try reader.next()
    hasMissedConnection = try reader.next()
    scan = try reader.next()
    scannedSince = try reader.next()
    initiator = try reader.next()
    hasClearedAttempt = try reader.next()
    initiatedAt = try reader.next()
    fruitless = try reader.next(0...64, "fruitless attempts")
    initiatesAt = try reader.next()
    advertising = try reader.next()
    acceptList = try reader.next()
    acceptListIsUnsure = try reader.next()
    acceptListLimit = try reader.next()
    resolving = try reader.next()
    linkDefaultsSet = try reader.next()
    takesTurns = try reader.next()
    isScanTurn = try reader.next()
    turnEnds = try reader.next()
    rotation = try reader.next(0...1 << 32, "rotation")
    rotationEnds = try reader.next()
    scanIsRefused = try reader.next()
    advertisingWaitsForLink = try reader.next()
  }

  func write(to writer: inout ByteWriter) {
    writer.put(all: steps, scanMustRestart, initiatorMustRestart, cancelWasRefused, hasMissedConnection)
    writer.put(
      all: scan, scannedSince, initiator, hasClearedAttempt, initiatedAt, fruitless, initiatesAt, advertising, acceptList,
      acceptListIsUnsure,
      acceptListLimit, resolving,
      linkDefaultsSet)
    writer.put(all: takesTurns, isScanTurn, turnEnds, rotation, rotationEnds, scanIsRefused, advertisingWaitsForLink)
  }
}

extension RequestedAdvertising: Portable {
  /// The payload follows from the plan.
  init(reading reader: inout RawSpan) throws(DecodeError) {
    let owner = try reader.next(OwnerID.self)
    let id = try reader.next(OperationID.self)
    let plan = try reader.next(AdvertisingPlan.self)
    self.init(
      owner: owner, id: id, plan: plan, payload: plan.payload, version: try reader.next(), isCompleted: try reader.next())
  }

  func write(to writer: inout ByteWriter) { writer.put(all: owner, id, plan, version, isCompleted) }
}
