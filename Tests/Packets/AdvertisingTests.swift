import Packets
import Testing
import Vocabulary

private let nordic = UUID("6e400001-b5a3-f393-e0a9-e50e24dcca9e") ?? UUID(0)

@Suite struct AdvertisingTests {
  @Test func aStructureKeepsTheLaws() {
    keepsTheLaws(AdvertisingStructure(AdvertisingStructure.flags, [6]), name: "AD structure")
    keepsTheLaws(AdvertisingStructure(0x42, []), name: "AD structure")
    keepsTheLaws(AdvertisingStructure(0x42, Array(repeating: 7, count: 254)), name: "AD structure")
  }

  @Test func aStrapIsRead() throws {
    let bytes = try #require(Hex.bytes("02 01 06 03 03 0d 18 03 19 41 03 02 0a fc 09 09 48 52 20 42 65 6c 74 21"))
    let data = AdvertisingData(tolerating: bytes)
    #expect(data.flags == 6)
    #expect(data.services == [UUID(0x180D)])
    #expect(data.appearance == 0x0341)
    #expect(data.txPower == -4)
    #expect(data.name == "HR Belt!")
    #expect(!data.nameIsShortened)
    #expect(data.bytes == bytes)
    #expect(data.unread.isEmpty)
  }

  @Test func everyKindOfListAndDataIsRead() {
    let long = UUID(short32: 0x1234_5678)
    let payload = AdvertisingData(structures: [
      AdvertisingStructure(AdvertisingStructure.someServices16, [0x0D, 0x18, 0x0F, 0x18, 0x99]),
      AdvertisingStructure(AdvertisingStructure.allServices32, [0x78, 0x56, 0x34, 0x12]),
      AdvertisingStructure(AdvertisingStructure.allServices128, nordic.encoded),
      AdvertisingStructure(AdvertisingStructure.allServices16, [0x0D, 0x18]),
      AdvertisingStructure(AdvertisingStructure.solicited16, [0x05, 0x18]),
      AdvertisingStructure(AdvertisingStructure.manufacturer, [0x4C, 0x00, 0x02, 0x15]),
      AdvertisingStructure(AdvertisingStructure.manufacturer, [0x4C]),
      AdvertisingStructure(AdvertisingStructure.serviceData16, [0xAA, 0xFE, 0x10]),
      AdvertisingStructure(AdvertisingStructure.serviceData32, [0x78, 0x56, 0x34, 0x12, 1]),
      AdvertisingStructure(AdvertisingStructure.serviceData128, nordic.encoded + [2]),
      AdvertisingStructure(AdvertisingStructure.serviceData16, [0xAA]),
      AdvertisingStructure(AdvertisingStructure.appearance, [1]),
      AdvertisingStructure(AdvertisingStructure.shortenedName, [0x48, 0x69, 0x00, 0xFF]),
    ])
    let data = AdvertisingData(tolerating: payload.bytes)
    #expect(data.services == [UUID(0x180D), UUID(0x180F), long, nordic])
    #expect(data.solicited == [UUID(0x1805)])
    #expect(data.manufacturer == [.init(company: 0x4C, data: [0x02, 0x15])])
    #expect(
      data.serviceData == [
        .init(service: UUID(0xFEAA), data: [0x10]), .init(service: long, data: [1]), .init(service: nordic, data: [2]),
      ])
    #expect(data.appearance == nil)
    #expect(data.name == "Hi" && data.nameIsShortened)
  }

  @Test(arguments: ["02 01 06 ff", "02 01 06 05 09 41", "02 01 06 1f", "02 01 06 02"]) func aBadLengthKeepsWhatWasReadBefore(
    text: String
  ) throws {
    let bytes = try #require(Hex.bytes(text))
    let data = AdvertisingData(tolerating: bytes)
    #expect(data.flags == 6)
    #expect(data.structures.count == 1)
    #expect(data.unread == Array(bytes.dropFirst(3)))
  }

  @Test func aZeroLengthIsTheEarlyEnd() {
    let data = AdvertisingData(tolerating: [2, 1, 6, 0, 0, 0, 9, 9])
    #expect(data.structures.count == 1)
    #expect(data.unread.isEmpty)
  }

  @Test func anyBytesAreTolerated() {
    var state: UInt64 = 7
    for _ in 0..<20_000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1
      let count = Int(state >> 33) % 40
      let bytes = (0..<count).map { _ -> UInt8 in
        state = state &* 6_364_136_223_846_793_005 &+ 1
        return UInt8(truncatingIfNeeded: state >> 40) & 0x2F
      }
      let data = AdvertisingData(tolerating: bytes)
      _ = (data.name, data.services, data.solicited, data.manufacturer, data.serviceData, data.txPower, data.appearance)
      #expect(data.bytes + data.unread == Array(bytes.prefix((data.bytes + data.unread).count)))
    }
  }

  @Test func aSmallPlanFitsIntoTheAdvertisement() {
    let payload = AdvertisingPayload(services: [UUID(0x180D), UUID(0x180F)], txPower: -4, name: "HR")
    #expect(Hex.text(payload.advertising.bytes) == "02 01 06 05 03 0d 18 0f 18 02 0a fc 03 09 48 52")
    #expect(payload.scanResponse.bytes.isEmpty)
    #expect(payload.leftOut.isEmpty)
  }

  @Test func aNameThatDoesNotFitGoesToTheScanResponse() {
    let payload = AdvertisingPayload(services: [nordic], name: "A name of 23 characters")
    #expect(payload.advertising.name == nil)
    #expect(payload.scanResponse.name == "A name of 23 characters")
  }

  @Test func aNameThatFitsNowhereIsShortenedBetweenCharacters() {
    let payload = AdvertisingPayload(services: [nordic], name: String(repeating: "é", count: 20))
    #expect(payload.scanResponse.name == String(repeating: "é", count: 14))
    #expect(payload.scanResponse.nameIsShortened)
    #expect(payload.leftOut.isEmpty)
  }

  @Test func dataThatFitsNowhereIsReported() {
    let data = [UInt8](repeating: 1, count: 28)
    let payload = AdvertisingPayload(
      services: [UUID(0x180D), nordic], manufacturer: [.init(company: 1, data: data)],
      serviceData: [.init(service: UUID(0x1809), data: [1])], name: "x")
    #expect(payload.leftOut == ["manufacturer data"])
    #expect(payload.advertising.bytes.count <= 31 && payload.scanResponse.bytes.count <= 31)
    #expect(payload.advertising.serviceData == [.init(service: UUID(0x1809), data: [1])])
    #expect(payload.scanResponse.name == "x")
  }

  @Test func noStructureExceedsTheLimit() {
    for length in 0...64 {
      let payload = AdvertisingPayload(
        services: [UUID(0x180D), nordic, UUID(short32: 7)],
        manufacturer: [.init(company: 1, data: Array(repeating: 1, count: length))],
        name: String(repeating: "n", count: length))
      #expect(payload.advertising.bytes.count <= 31 && payload.scanResponse.bytes.count <= 31)
    }
  }
}
