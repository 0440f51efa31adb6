import Packets
import Vocabulary

@testable import Host

/// HCI packets and the return parameters of commands, which are read by the type of the command.
enum HCIFuzz {
  static func run(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let rest = Array(bytes.dropFirst())
    switch first {
    case 0x10: returned(rest)
    case 0x11: roundTrip(HCICommand.self, rest)
    default:
      guard let packet = roundTrip(HCIPacket.self, bytes) else { return }
      if case .event(.commandComplete(let complete), _) = packet { returned(complete.parameters) }
    }
  }

  private static func returned(_ parameters: [UInt8]) {
    let complete = CommandComplete(opcode: .reset, parameters: parameters)
    func look<Value: Portable & Equatable>(_ type: Value.Type) {
      if let value = try? complete.returned(type) { roundTrip(type, value.encoded) }
    }
    look(SupportedCommands.self)
    look(LocalVersion.self)
    look(LocalFeatures.self)
    look(ReadAddress.self)
    look(LEReadBufferSize.self)
    look(LEReadBufferSizeV2.self)
    look(ReadBufferSize.self)
    look(ListSize.self)
    look(ReadRSSI.self)
    look(ReadTransmitPower.self)
    look(AdvertisingTransmitPower.self)
    look(EncryptedData.self)
    look(HandleReturn.self)
    look(MaximumAdvertisingDataLength.self)
    look(MaximumDataLength.self)
    look(RandomNumber.self)
    look(ReadPHY.self)
    look(SuggestedDataLength.self)
    look(SupportedStates.self)
  }
}

/// A stream yields the same packets however it is cut.
enum H4Fuzz {
  private struct Reading: Equatable {
    var packets: [HCIPacket] = []
    var malformed = 0
    var discarded = 0
    var pending = 0
  }

  static func run(_ bytes: [UInt8]) {
    var input = Input(bytes)
    let cuts = input.blob().map { Int($0) }
    let stream = input.rest()
    let whole = read(stream, cuts: [stream.count])
    let cut = read(stream, cuts: cuts.isEmpty ? [1] : cuts)
    demand(whole == cut, "cut \(cuts): \(cut), in one piece: \(whole)")
  }

  private static func read(_ stream: [UInt8], cuts: [Int]) -> Reading {
    var reader = H4Reader()
    var reading = Reading()
    var isLost = false
    var place = 0
    var turn = 0
    while place < stream.count {
      let end = min(stream.count, place + max(1, cuts[turn % cuts.count]))
      turn += 1
      reader.push(stream[place..<end])
      place = end
      while true {
        if isLost {
          guard reader.resync() else { break }
          isLost = false
        }
        do {
          guard let packet = try reader.nextPacket() else { break }
          reading.packets.append(packet)
        } catch .malformed {
          reading.malformed += 1
        } catch {
          isLost = true
        }
      }
    }
    reading.discarded = reader.discarded
    reading.pending = reader.pending
    return reading
  }
}

/// Frames, signalling commands, and frames reassembled from fragments.
enum L2CAPFuzz {
  static func run(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let rest = Array(bytes.dropFirst())
    switch first % 4 {
    case 0: roundTrip(L2CAPFrame.self, rest)
    case 1: roundTrip(L2CAPSignal.self, rest)
    case 2: cut(rest)
    default: fragments(rest)
    }
  }

  /// Valid frames cut anywhere are reassembled unchanged.
  private static func cut(_ bytes: [UInt8]) {
    var input = Input(bytes)
    let limit = 4 + 23 + Int(input.byte()) * 2
    var reassembler = Reassembler(limit: limit)
    while !input.isAtEnd {
      let frame = L2CAPFrame(channel: input.word(), payload: Array(input.blob().prefix(limit - 4)))
      let whole = frame.encoded
      var place = 0
      var result: L2CAPFrame?
      while place < whole.count {
        demand(result == nil, "a frame before its end")
        let end = min(whole.count, place + 1 + Int(input.byte()))
        result = reassembler.take(first: place == 0, Array(whole[place..<end]))
        place = end
      }
      demand(result == frame && reassembler.dropped == nil, "\(frame) came out as \(String(describing: result))")
    }
  }

  /// Whatever arrives, at most one frame is buffered, and a valid frame that follows is read.
  private static func fragments(_ bytes: [UInt8]) {
    var input = Input(bytes)
    let limit = 4 + 23 + Int(input.byte())
    var reassembler = Reassembler(limit: limit)
    while !input.isAtEnd {
      let frame = reassembler.take(first: input.flag(), input.blob())
      demand(reassembler.pending < limit, "\(reassembler.pending) octets are kept of a frame that has at most \(limit)")
      if let frame { demand(frame.payload.count + 4 <= limit, "a frame of \(frame.payload.count) octets, beyond \(limit)") }
    }
    let good = L2CAPFrame(channel: 4, payload: [0x0B, 0x01])
    demand(reassembler.take(first: true, good.encoded) == good, "a good frame is not read")
  }
}

/// Attribute PDUs.
enum ATTFuzz {
  static func run(_ bytes: [UInt8]) {
    guard let pdu = roundTrip(ATTPDU.self, bytes) else { return }
    demand(pdu.opcode == bytes.first, "opcode \(pdu.opcode) of \(Hex.text(bytes))")
  }
}

/// Advertising data as received, and as built from a plan.
enum AdvertisingFuzz {
  static func run(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    if first % 4 == 0 { make(Array(bytes.dropFirst())) } else { read(Array(bytes.dropFirst())) }
  }

  private static func read(_ bytes: [UInt8]) {
    let data = AdvertisingData(tolerating: bytes)
    demand(data.bytes.count + data.unread.count <= bytes.count, "more was read than there is")
    demand(bytes.starts(with: data.bytes), "\(Hex.text(bytes)) is written as \(Hex.text(data.bytes))")
    demand(AdvertisingData(tolerating: data.bytes).structures == data.structures, "\(Hex.text(bytes)) does not read the same")
    _ = (data.flags, data.name, data.nameIsShortened, data.txPower, data.appearance)
    demand(data.services.count <= bytes.count && data.solicited.count <= bytes.count, "more services than octets")
    for entry in data.manufacturer { demand(entry.data.count < bytes.count, "manufacturer data longer than all") }
    for entry in data.serviceData { demand(entry.data.count < bytes.count, "service data longer than all") }
  }

  private static func uuids(_ input: inout Input) -> [UUID] {
    (0..<input.below(5)).map { _ in
      switch input.below(3) {
      case 0: UUID(input.word())
      case 1: UUID(high: UInt64(input.word()) << 40 | UUID.baseHigh, low: UUID.baseLow)
      default: UUID(high: UInt64(input.word()), low: UInt64(input.word()))
      }
    }
  }

  private static func make(_ bytes: [UInt8]) {
    var input = Input(bytes)
    let flags: UInt8? = input.flag() ? input.byte() : nil
    let services = uuids(&input)
    let solicited = uuids(&input)
    let manufacturer = (0..<input.below(3)).map { _ in AdvertisingData.Manufacturer(company: input.word(), data: input.blob()) }
    let serviceData = uuids(&input).map { AdvertisingData.ServiceData(service: $0, data: input.blob()) }
    let appearance: UInt16? = input.flag() ? input.word() : nil
    let power: Int? = input.flag() ? Int(input.word()) - 1000 : nil
    let name: String? = input.flag() ? String(decoding: input.rest(), as: UTF8.self) : nil
    let payload = AdvertisingPayload(
      flags: flags, services: services, solicited: solicited, manufacturer: manufacturer, serviceData: serviceData,
      appearance: appearance, txPower: power, name: name)
    for data in [payload.advertising, payload.scanResponse] {
      demand(data.bytes.count <= AdvertisingPayload.limit, "\(data.bytes.count) octets of advertising data")
      let again = AdvertisingData(tolerating: data.bytes)
      demand(again.structures == data.structures && again.unread.isEmpty, "\(data) does not read the same")
    }
    let heard = AdvertisingData(structures: payload.advertising.structures + payload.scanResponse.structures)
    guard payload.leftOut.isEmpty else { return }
    for uuid in services { demand(heard.services.contains(uuid), "service \(uuid) is not heard") }
    for uuid in solicited { demand(heard.solicited.contains(uuid), "solicited \(uuid) is not heard") }
    demand(Set(heard.manufacturer) == Set(manufacturer), "manufacturer data \(manufacturer) is heard as \(heard.manufacturer)")
    demand(Set(heard.serviceData) == Set(serviceData), "service data \(serviceData) is heard as \(heard.serviceData)")
    demand(heard.appearance == appearance, "the appearance is heard as \(String(describing: heard.appearance))")
  }
}

/// Captures, both complete and from a killed writer.
enum BtsnoopFuzz {
  static func run(_ bytes: [UInt8]) {
    let whole = try? BtsnoopFile(encoded: bytes)
    if let whole {
      // The first conversion drops nanoseconds below a microsecond and the other datalink; later
      // ones lose nothing.
      let written = whole.encoded
      let again = try? BtsnoopFile(encoded: written)
      demand(again == whole, "\(whole) reads as \(String(describing: again))")
    }
    guard let recovered = try? BtsnoopFile.recover(bytes) else {
      demand(whole == nil, "a good file is not recovered")
      return
    }
    demand((whole != nil) == (recovered.rest == 0), "recovery and reading disagree")
    if let whole { demand(recovered.file == whole, "recovery found something else") }
    demand(recovered.rest >= 0 && recovered.rest <= bytes.count, "\(recovered.rest) octets are left of \(bytes.count)")
    for record in recovered.file.records { _ = try? HCIPacket(encoded: record.bytes) }
  }
}
