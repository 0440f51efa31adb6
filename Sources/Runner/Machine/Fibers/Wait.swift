import Exchange
import Vocabulary

/// What a fiber waits for.
enum Wait: Equatable, Sendable {
  case none
  case span(Instant)
  case forever
  case until(site: Int, Limit?)
  case event(site: Int, Limit?)
  case scan(ScanWait)
  case link(device: Int, Limit?)
  case reconnect(site: Int, devices: [Int])
  /// Indirect, because most fibers of handlers have none but are copied with every event.
  indirect case operation(OperationWait)
  /// The pause between two attempts of a `try`.
  case retry(Instant)
  /// An append, or a save, which is repeated.
  case file(EffectID, repeats: Bool)
  /// A notification or indication that we send.
  case published(OperationID)
  case closing(device: Int)
  /// The removal of a bond.
  case forgetting(device: Int, OperationID)
  /// The branches of `for each … at once`.
  indirect case branches(BranchWait)
  /// An answer from the terminal.
  case asked(EffectID)
  /// The end of a program.
  indirect case command(CommandWait)
  /// The next entry of a prompt.
  case prompt
}

extension Wait {
  /// The scan's index in the program, without copying the found devices.
  var scanSite: Int? { if case .scan(let scan) = self { scan.site } else { nil } }

  /// The found devices. Keep the result only briefly, because otherwise the next change copies it.
  var found: [ScanWait.Found] { if case .scan(let scan) = self { scan.found } else { [] } }

  /// The time limit of the statement, without those of a `try` around it.
  var limit: Limit? {
    switch self {
    case .until(_, let limit), .event(_, let limit), .link(_, let limit): limit
    case .scan(let scan): scan.limit
    case .operation(let operation): operation.limit
    case .command(let command): command.limit
    case .none, .span, .forever, .reconnect, .retry, .file, .published, .closing, .forgetting, .branches, .asked, .prompt: nil
    }
  }

  var scanOperation: OperationID? { if case .scan(let scan) = self { scan.operation } else { nil } }
}

extension Wait: Durable {
  init(reading reader: inout RawSpan) throws(DecodeError) {
    switch try reader.readUInt8() {
    case 0: self = .none
    case 1: self = .span(try Instant(reading: &reader))
    case 2: self = .forever
    case 3:
      let site = Int(try reader.readUInt16())
      self = .until(site: site, try reader.next(Limit?.self))
    case 4:
      let site = Int(try reader.readUInt16())
      self = .event(site: site, try reader.next(Limit?.self))
    case 5: self = .scan(try ScanWait(reading: &reader))
    case 6:
      let device = Int(try reader.readUInt32())
      self = .link(device: device, try reader.next(Limit?.self))
    case 7:
      let site = Int(try reader.readUInt16())
      self = .reconnect(site: site, devices: try reader.next([SmallNumber].self).map { Int($0.value) })
    case 8: self = .operation(try OperationWait(reading: &reader))
    case 9: self = .retry(try Instant(reading: &reader))
    case 10:
      let effect = try EffectID(reading: &reader)
      self = .file(effect, repeats: try reader.readBool())
    case 11: self = .published(try OperationID(reading: &reader))
    case 12: self = .closing(device: Int(try reader.readUInt32()))
    case 13: self = .branches(try BranchWait(reading: &reader))
    case 14: self = .asked(try EffectID(reading: &reader))
    case 15: self = .command(try CommandWait(reading: &reader))
    case 16: self = .prompt
    case 17:
      let device = Int(try reader.readUInt32())
      self = .forgetting(device: device, try OperationID(reading: &reader))
    case let other: throw .invalid("wait", UInt64(other))
    }
  }

  func write(to writer: inout ByteWriter) {
    switch self {
    case .none: writer.put(UInt8(0))
    case .span(let due):
      writer.put(UInt8(1))
      due.write(to: &writer)
    case .forever: writer.put(UInt8(2))
    case .until(let site, let limit):
      writer.put(UInt8(3))
      writer.put(UInt16(truncatingIfNeeded: site))
      writer.put(all: limit)
    case .event(let site, let limit):
      writer.put(UInt8(4))
      writer.put(UInt16(truncatingIfNeeded: site))
      writer.put(all: limit)
    case .scan(let scan):
      writer.put(UInt8(5))
      scan.write(to: &writer)
    case .link(let device, let limit):
      writer.put(UInt8(6))
      writer.put(UInt32(truncatingIfNeeded: device))
      writer.put(all: limit)
    case .reconnect(let site, let devices):
      writer.put(UInt8(7))
      writer.put(UInt16(truncatingIfNeeded: site))
      writer.put(all: devices.map { SmallNumber(value: UInt32(truncatingIfNeeded: $0)) })
    case .operation(let operation):
      writer.put(UInt8(8))
      operation.write(to: &writer)
    case .retry(let due):
      writer.put(UInt8(9))
      due.write(to: &writer)
    case .file(let effect, let repeats):
      writer.put(UInt8(10))
      effect.write(to: &writer)
      writer.put(repeats)
    case .published(let operation):
      writer.put(UInt8(11))
      operation.write(to: &writer)
    case .closing(let device):
      writer.put(UInt8(12))
      writer.put(UInt32(truncatingIfNeeded: device))
    case .branches(let branches):
      writer.put(UInt8(13))
      branches.write(to: &writer)
    case .forgetting(let device, let operation):
      writer.put(UInt8(17))
      writer.put(UInt32(truncatingIfNeeded: device))
      operation.write(to: &writer)
    case .asked(let effect):
      writer.put(UInt8(14))
      effect.write(to: &writer)
    case .command(let command):
      writer.put(UInt8(15))
      command.write(to: &writer)
    case .prompt: writer.put(UInt8(16))
    }
  }
}
