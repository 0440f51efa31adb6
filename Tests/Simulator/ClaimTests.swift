import Packets
import Simulator
import Testing
import Vocabulary

/// The claims of a controller are true: it has what it claims, and claims what it has.
@Suite struct ClaimTests {
  static let models: [ControllerModel] = [
    .legacy, .extended, ControllerModel(dataLength: 27), ControllerModel(isExtended: true, dataLength: 27),
    .privacy, ControllerModel(resolvingListSize: 1, missing: [.leSetPrivacyMode]), ControllerModel(missing: [.leSetDataLength]),
    ControllerModel(isExtended: true, missing: [.leSetPHY, .leRand]),
  ]

  /// Bits of the LE feature mask with the commands that they require (Vol 6, Part B, 4.6; Vol 4,
  /// Part E, 3.1).
  static let features: [(bit: Int, commands: [UInt16])] = [
    (0, [0x2017, 0x2018, 0x2019, 0x201A, 0x201B]), (1, [0x2020, 0x2021]), (3, [0x2016]), (4, [0x0C63, 0x0C7B, 0x0C7C]),
    (5, [0x2022, 0x2023, 0x2024, 0x202F]), (6, [0x2027, 0x2028, 0x2029, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E]),
    (8, [0x2030, 0x2031, 0x2032]),
    (12, [0x2035, 0x2036, 0x2037, 0x2038, 0x2039, 0x203A, 0x203B, 0x203C, 0x203D, 0x2041, 0x2042, 0x2043]),
  ]
  /// Features without commands: extended reject, channel selection algorithm 2.
  static let withoutCommands: UInt64 = 1 << 2 | 1 << 14

  /// Commands by opcode, with their bit in the mask of Read Local Supported Commands (Vol 4, Part
  /// E, 6.27).
  static let places: [UInt16: (octet: Int, bit: Int)] = [
    0x0C7B: (32, 4), 0x0C7C: (32, 5), 0x2014: (27, 3), 0x2015: (27, 4), 0x2017: (27, 6), 0x2018: (27, 7),
    0x2027: (34, 3), 0x202D: (35, 1), 0x202E: (35, 2), 0x204E: (39, 2),
  ]

  /// The answers to a command that is given as bytes.
  static func answers(_ opcode: UInt16, _ parameters: [UInt8], _ world: inout World) -> [HCIEvent] {
    world.air.host(
      world.central, sends: [1, UInt8(truncatingIfNeeded: opcode), UInt8(opcode >> 8), UInt8(parameters.count)] + parameters,
      at: world.air.now)
    return world.air.takeOutput().compactMap {
      guard $0.controller == world.central, case .event(let event, _) = $0.packet else { return nil }
      switch event {
      case .commandComplete(let value) where value.opcode.raw == opcode: return event
      case .commandStatus(let value) where value.opcode.raw == opcode: return event
      default: return nil
      }
    }
  }

  static func status(_ event: HCIEvent?) -> HCIStatus? {
    switch event {
    case .commandComplete(let value): value.status
    case .commandStatus(let value): value.status
    default: nil
    }
  }

  private static func mask(of opcode: UInt16, _ world: inout World) throws -> [UInt8] {
    guard case .commandComplete(let value) = answers(opcode, [], &world).first, value.status == .success else {
      throw DecodeError.truncated(needed: 1, left: 0)
    }
    return Array(value.parameters.dropFirst())
  }

  @Test(arguments: models)
  func claimedCommandsEqualImplementedCommands(_ model: ControllerModel) throws {
    var world = World.ready(central: model)
    world.air.isLogging = false
    let mask = try Self.mask(of: 0x1002, &world)
    let claimed = HCIOpcode.known.filter { $0.supportBit.map { mask[$0.octet] >> $0.bit & 1 == 1 } ?? false }
    #expect(mask.reduce(0) { $0 + $1.nonzeroBitCount } == claimed.count, "a bit claims a command that has no name")
    var wrong: [String] = []
    for raw in UInt16.min...UInt16.max {
      let opcode = HCIOpcode(raw)
      let found = Self.answers(raw, [], &world)
      guard found.count == 1 else {
        wrong.append("\(opcode): \(found.count) answers")
        continue
      }
      if claimed.contains(opcode) == (Self.status(found[0]) == .unknownCommand) {
        wrong.append("\(opcode): \(claimed.contains(opcode) ? "claimed and unknown" : "known and not claimed")")
      }
    }
    #expect(wrong == [])
  }

  @Test(arguments: models)
  func everyFeatureIsClaimedExactlyWithItsCommands(_ model: ControllerModel) throws {
    var world = World.ready(central: model)
    let commands = try Self.mask(of: 0x1002, &world)
    let bytes = try Self.mask(of: 0x2003, &world)
    let features = bytes.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    for (bit, list) in Self.features {
      for raw in list {
        let place = Self.places[raw] ?? HCIOpcode(raw).supportBit ?? (63, 7)
        let isThere = commands[place.octet] >> place.bit & 1 == 1
        if features >> UInt64(bit) & 1 == 1 { #expect(isThere, "feature \(bit) without \(HCIOpcode(raw))") }
      }
      if model.missing.isEmpty, features >> UInt64(bit) & 1 == 0 {
        for raw in list where raw != 0x0C63 {
          let place = HCIOpcode(raw).supportBit ?? (63, 7)
          #expect(commands[place.octet] >> place.bit & 1 == 0, "\(HCIOpcode(raw)) without feature \(bit)")
        }
      }
    }
    let known = Self.features.reduce(Self.withoutCommands) { $0 | 1 << UInt64($1.bit) }
    #expect(features & ~known == 0, "a feature that nobody checks")
  }

  /// Sizes of parameters by opcode, in bytes (Vol 4, Part E, 7).
  static let lengths: [UInt16: Int] = [
    0x0406: 3, 0x041D: 2, 0x0C01: 8, 0x0C03: 0, 0x0C2D: 3, 0x0C63: 8, 0x0C7B: 2, 0x0C7C: 4, 0x1001: 0, 0x1002: 0, 0x1003: 0,
    0x1005: 0, 0x1009: 0, 0x1405: 2, 0x2001: 8, 0x2002: 0, 0x2003: 0, 0x2005: 6, 0x2006: 15, 0x2007: 0, 0x2008: 32, 0x2009: 32,
    0x200A: 1, 0x200B: 7, 0x200C: 2, 0x200D: 25, 0x200E: 0, 0x200F: 0, 0x2010: 0, 0x2011: 7, 0x2012: 7, 0x2013: 14, 0x2014: 5,
    0x2015: 2, 0x2016: 2, 0x2017: 32, 0x2018: 0, 0x2019: 28, 0x201A: 18, 0x201B: 2, 0x201C: 0, 0x2020: 14, 0x2021: 3, 0x2022: 6,
    0x2023: 0, 0x2024: 4, 0x2027: 39, 0x2028: 7, 0x2029: 0, 0x202A: 0, 0x202B: 7, 0x202C: 7, 0x202D: 1, 0x202E: 2, 0x204E: 8,
    0x202F: 0, 0x2030: 2, 0x2031: 3, 0x2032: 7, 0x2035: 7, 0x2036: 25, 0x203A: 0, 0x203B: 0, 0x203C: 1,
    0x203D: 0, 0x2042: 6, 0x2060: 0,
  ]
  /// Commands whose length depends on their contents.
  static let variable: Set<UInt16> = [0x2037, 0x2038, 0x2039, 0x2041, 0x2043]

  @Test(arguments: [ControllerModel.legacy, .privacy])
  func onlyTheCorrectParameterLengthIsAccepted(_ model: ControllerModel) throws {
    #expect(Set(HCIOpcode.known.map(\.raw)) == Set(Self.lengths.keys).union(Self.variable))
    var wrong: [String] = []
    for opcode in HCIOpcode.known where model.supportedCommands.contains(opcode) {
      for fill in [0x00, 0x01, 0xEE, 0xFF] as [UInt8] {
        // A new link for each, because the command before may have ended the link.
        var world = fill == 0x01 ? World.linked(central: model, peripheral: model) : World.ready(central: model)
        for count in Array(0...70) + [128, 254, 255] {
          let parameters = [0x40, 0x00].prefix(fill == 0x01 ? count : 0) + [UInt8](repeating: fill, count: count)
          let found = Self.answers(opcode.raw, Array(parameters.prefix(count)), &world)
          guard found.count == 1, let status = Self.status(found[0]) else {
            wrong.append("\(opcode), \(count) octets: \(found)")
            continue
          }
          if let length = Self.lengths[opcode.raw], length != count, status != .invalidParameters {
            wrong.append("\(opcode), \(count) octets: \(status)")
          }
          if status == .unknownCommand { wrong.append("\(opcode), \(count) octets: unknown") }
        }
        #expect(world.air.violations == 0, "\(opcode)")
      }
    }
    #expect(wrong == [])
  }

  /// A command that returns a handle also returns it with an error (Vol 4, Part E, 4.5).
  @Test(arguments: [ControllerModel.legacy, .extended])
  func aRefusedCommandNamesItsLink(_ model: ControllerModel) {
    var world = World.ready(central: model)
    for raw in [0x0C2D, 0x0C7B, 0x0C7C, 0x1405, 0x2015, 0x201A, 0x201B, 0x2020, 0x2021, 0x2022, 0x2030] as [UInt16] {
      guard model.supportedCommands.contains(HCIOpcode(raw)), let length = Self.lengths[raw] else { continue }
      let found = Self.answers(raw, [0x34, 0x02] + [UInt8](repeating: 0, count: length - 2), &world)
      guard case .commandComplete(let value) = found.first else {
        Issue.record("\(HCIOpcode(raw)): \(found)")
        continue
      }
      #expect(Array(value.parameters.prefix(3)) == [0x02, 0x34, 0x02], "\(HCIOpcode(raw))")
    }
  }

  /// Commands that start a procedure are answered by Command Status, all others by Command Complete
  /// (Vol 4, Part E, 7).
  @Test func commandsEndByStatusOrCompleteAsSpecified() {
    let byStatus: Set<UInt16> = [0x0406, 0x041D, 0x200D, 0x2013, 0x2016, 0x2019, 0x2032, 0x2043]
    for opcode in HCIOpcode.known {
      for parameters in [[], [0x40, 0x00]] as [[UInt8]] {
        var world = World.linked(central: .privacy, peripheral: .privacy)
        let length = Self.lengths[opcode.raw] ?? 10
        let bytes = parameters + [UInt8](repeating: 1, count: max(0, length - parameters.count))
        let found = Self.answers(opcode.raw, Array(bytes.prefix(length)), &world)
        let isStatus = if case .commandStatus = found.first { true } else { false }
        #expect(isStatus == byStatus.contains(opcode.raw), "\(opcode)")
      }
    }
  }
}
