import Exchange
import Vocabulary

/// What the servers of these tests offer, and how clients name it.
enum Table {
  static let peers = [
    Address(bits: 0xC47C_8D6A_120F, kind: .random), Address(bits: 0x001B_DC0A_0B0D, kind: .public),
    Address(bits: 0xC0FF_EE00_0001, kind: .random),
  ]

  static let full = ServerTable(
    name: "fuzz",
    services: [
      .init(
        uuid: UUID(0x180D),
        characteristics: [
          .init(id: ServerAttributeID(1), uuid: UUID(0x2A37), properties: [.notify, .indicate]),
          .init(id: ServerAttributeID(2), uuid: UUID(0x2A38), properties: [.read, .write], value: [1]),
          .init(id: ServerAttributeID(3), uuid: UUID(0x2A39), properties: [.write, .writeWithoutResponse], asksBeforeWrite: true),
        ], includes: [2]),
      .init(
        uuid: UUID(high: 0x6E40_0001_B5A3_F393, low: 0xE0A9_E50E_24DC_CA9E),
        characteristics: [
          .init(
            id: ServerAttributeID(4), uuid: UUID(high: 0x6E40_0002_B5A3_F393, low: 0xE0A9_E50E_24DC_CA9E),
            properties: [.read, .write, .indicate],
            value: Array(repeating: 7, count: 80),
            descriptors: [
              .init(id: ServerAttributeID(5), uuid: UUID(0x2901), properties: [.read, .write], value: Array("what it is".utf8))
            ]),
          .init(id: ServerAttributeID(6), uuid: UUID(0x2A19), properties: [.read], protection: .encryption, value: [88]),
          .init(id: ServerAttributeID(7), uuid: UUID(0x2A19), properties: [.read, .notify], value: [89], asksBeforeRead: true),
        ]),
      .init(
        uuid: UUID(0x180F),
        characteristics: [.init(id: ServerAttributeID(8), uuid: UUID(0x2A19), properties: [.read, .notify], value: [90])]),
    ])

  static let small = ServerTable(
    name: "",
    services: [
      .init(uuid: UUID(0x1801), characteristics: [.init(id: ServerAttributeID(1), uuid: UUID(0x2A05), properties: .indicate)])
    ])

  static func path(_ input: inout Input) -> AttributePath {
    let choice = input.byte()
    func step(_ uuid: UUID) -> AttributePath.Step { .init(uuid, instance: choice & 0x40 != 0 ? Int(choice >> 7) : nil) }
    let uuids: [UUID] = [
      UUID(0x2A37), UUID(0x2A38), UUID(0x2A39), UUID(0x2A19), UUID(0x2A05), UUID(0x2A00),
      UUID(high: 0x6E40_0002_B5A3_F393, low: 0xE0A9_E50E_24DC_CA9E),
    ]
    let uuid = uuids[Int(choice & 7) % uuids.count]
    let form: AttributePath.Form
    switch choice >> 3 & 7 {
    case 0: form = .handle(AttributeHandle(UInt16(input.byte())))
    case 1: form = .named(service: step(UUID(0x180D)), characteristic: step(uuid), descriptor: nil)
    case 2: form = .named(service: nil, characteristic: step(uuid), descriptor: step(UUID(0x2902)))
    case 3: form = .named(service: step(UUID(0x180F)), characteristic: step(uuid), descriptor: step(UUID(0x2901)))
    default: form = .named(service: nil, characteristic: step(uuid), descriptor: nil)
    }
    return AttributePath(
      form: form, home: choice & 7 == 3 ? UUID(0x180F) : choice & 7 < 3 ? UUID(0x180D) : nil, text: "path \(choice)")
  }

  static func request(_ input: inout Input) -> GattRequest {
    switch input.below(9) {
    case 0: .discover([])
    case 1: .discover([UUID(0x180D)])
    case 2: .discover([UUID(0x180F), UUID(high: 0x6E40_0001_B5A3_F393, low: 0xE0A9_E50E_24DC_CA9E)])
    case 3: .read(path(&input))
    case 4: .write(path(&input), value(&input))
    case 5: .writeWithoutResponse(path(&input), value(&input))
    case 6: .subscribe(path(&input))
    case 7: .unsubscribe(path(&input))
    default: .locate(path(&input))
    }
  }

  static func value(_ input: inout Input) -> [UInt8] { Array(repeating: 0x5A, count: Int(input.byte()) * 3) }
}
