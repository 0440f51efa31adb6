import Packets
import Testing
import Vocabulary

/// One value of a type, with the three laws that it must obey.
struct HCISample: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let bytes: [UInt8]
  /// Nil if the law holds, otherwise what went wrong.
  let roundTrip: @Sendable () -> String?
  let truncations: @Sendable () -> String?
  let trailing: @Sendable () -> String?

  init<Value: Portable & Equatable>(_ value: Value, toleratesTrailing: Bool = false) {
    let name = "\(value)"
    testDescription = name.count > 120 ? String(name.prefix(117)) + "..." : name
    let bytes = value.encoded
    self.bytes = bytes
    roundTrip = {
      guard let read = try? Value(encoded: bytes) else { return "did not read back" }
      return read == value ? nil : "read back as \(read)"
    }
    truncations = {
      for count in bytes.indices where (try? Value(encoded: Array(bytes.prefix(count)))) != nil {
        return "\(count) of \(bytes.count) octets were accepted"
      }
      return nil
    }
    trailing = {
      do throws(DecodeError) {
        _ = try Value(encoded: bytes + [0xA5], name: "sample")
        return "a trailing octet was accepted"
      } catch {
        return error == .trailing(1, after: "sample") ? nil : "refused as \(error)"
      }
    }
  }
}

@Suite struct HCILawTests {
  @Test(arguments: HCISamples.all)
  func packetsReadBackEqual(_ sample: HCISample) { #expect(sample.roundTrip() == nil) }

  @Test(arguments: HCISamples.all)
  func everyTruncationIsRefused(_ sample: HCISample) { #expect(sample.truncations() == nil) }

  @Test(arguments: HCISamples.all)
  func trailingOctetsAreRefusedByName(_ sample: HCISample) { #expect(sample.trailing() == nil) }

  /// Single bytes replaced by every value: the result may be a value or an error, never a crash.
  @Test(arguments: HCISamples.packets)
  func aCorruptOctetNeverCrashes(_ packet: HCIPacket) {
    let bytes = packet.encoded
    for index in bytes.indices.prefix(40) {
      for value in [0, 1, 0x1F, 0x20, 0x7F, 0x80, 0xFE, 0xFF] as [UInt8] {
        var corrupted = bytes
        corrupted[index] = value
        guard let read = try? HCIPacket(encoded: corrupted) else { continue }
        _ = read.encoded
      }
    }
  }

  @Test(arguments: HCISamples.events)
  func countsOctetsAfterAnEvent(_ event: HCIEvent) throws {
    // Command Complete and unknown events take all remaining bytes.
    switch event {
    case .commandComplete, .unknown, .leUnknown: return
    default: break
    }
    var bytes = event.encoded
    guard bytes[1] < 252 else { return }
    bytes[1] += 3
    bytes += [1, 2, 3]
    #expect(try HCIEvent(encoded: bytes) == event)
    let packet = try HCIPacket(encoded: [4] + bytes)
    #expect(packet == .event(event, trailing: [1, 2, 3]))
    #expect(packet.encoded == [4] + bytes)
  }

  @Test(arguments: HCISamples.commands)
  func refusesOctetsAfterACommand(_ command: HCICommand) {
    if case .unknown = command { return }
    var bytes = command.encoded
    guard bytes[2] < 255 else { return }
    bytes[2] += 1
    bytes.append(0)
    // A list of sets has a length of its own; all others end at the end of the packet.
    #expect(throws: DecodeError.trailing(1, after: "HCI command")) { try HCICommand(encoded: bytes) }
  }
}
