import Packets
import Testing
import Vocabulary

private let uuid = UUID("6e400001-b5a3-f393-e0a9-e50e24dcca9e") ?? UUID(0)

/// Each PDU with the bytes of the specification's tables, and the number of bytes before a part of
/// variable length.
private let samples: [(ATTPDU, String, Int?)] = [
  (.errorResponse(request: 0x10, handle: AttributeHandle(0x0020), code: .attributeNotFound), "01 10 20 00 0a", nil),
  (.exchangeMTURequest(517), "02 05 02", nil),
  (.exchangeMTUResponse(247), "03 f7 00", nil),
  (.findInformationRequest(HandleRange(0x0010, 0x0012)), "04 10 00 12 00", nil),
  (
    .findInformationResponse([HandleUUID(AttributeHandle(0x10), UUID(0x2902)), HandleUUID(AttributeHandle(0x11), UUID(0x2901))]),
    "05 01 10 00 02 29 11 00 01 29", 6
  ),
  (
    .findInformationResponse([HandleUUID(AttributeHandle(0x10), uuid)]),
    "05 02 10 00 9e ca dc 24 0e e5 a9 e0 93 f3 a3 b5 01 00 40 6e", 20
  ),
  (.findByTypeValueRequest(.all, type: 0x2800, value: [0x0D, 0x18]), "06 01 00 ff ff 00 28 0d 18", 7),
  (.findByTypeValueResponse([HandleRange(0x0010, 0x0015), HandleRange(0x0030, 0x0035)]), "07 10 00 15 00 30 00 35 00", 5),
  (.readByTypeRequest(HandleRange(0x0001, 0x0010), type: UUID(0x2803)), "08 01 00 10 00 03 28", nil),
  (
    .readByTypeRequest(HandleRange(0x0001, 0x0010), type: uuid),
    "08 01 00 10 00 9e ca dc 24 0e e5 a9 e0 93 f3 a3 b5 01 00 40 6e", 7
  ),
  (.readByTypeResponse([HandleValue(AttributeHandle(2), [0x02, 0x03, 0x00, 0x00, 0x2A])]), "09 07 02 00 02 03 00 00 2a", 9),
  (.readByTypeResponse([HandleValue(AttributeHandle(2), [])]), "09 02 02 00", 4),
  (.readRequest(AttributeHandle(3)), "0a 03 00", nil),
  (.readResponse([1, 2, 3]), "0b 01 02 03", 1),
  (.readBlobRequest(AttributeHandle(3), offset: 22), "0c 03 00 16 00", nil),
  (.readBlobResponse([]), "0d", 1),
  (.readMultipleRequest([AttributeHandle(3), AttributeHandle(5)]), "0e 03 00 05 00", 5),
  (.readMultipleResponse([9]), "0f 09", 1),
  (.readByGroupTypeRequest(.all, type: UUID(0x2800)), "10 01 00 ff ff 00 28", nil),
  (
    .readByGroupTypeResponse([GroupValue(1, 7, [0x00, 0x18]), GroupValue(8, 11, [0x01, 0x18])]),
    "11 06 01 00 07 00 00 18 08 00 0b 00 01 18", 8
  ),
  (.readMultipleVariableRequest([AttributeHandle(3), AttributeHandle(5)]), "20 03 00 05 00", 5),
  (.readMultipleVariableResponse([.init([1]), .init([2, 3], length: 9)]), "21 01 00 01 09 00 02 03", 3),
  (.writeRequest(AttributeHandle(0x12), [1, 0]), "12 12 00 01 00", 3),
  (.writeResponse, "13", nil),
  (.writeCommand(AttributeHandle(0x12), [7]), "52 12 00 07", 3),
  (
    .signedWriteCommand(AttributeHandle(0x12), [7], signature: [0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]),
    "d2 12 00 07 00 00 00 00 01 02 03 04 05 06 07 08", 15
  ),
  (.prepareWriteRequest(AttributeHandle(0x12), offset: 18, [4, 5]), "16 12 00 12 00 04 05", 5),
  (.prepareWriteResponse(AttributeHandle(0x12), offset: 18, [4, 5]), "17 12 00 12 00 04 05", 5),
  (.executeWriteRequest(write: true), "18 01", nil),
  (.executeWriteResponse, "19", nil),
  (.handleValueNotification(AttributeHandle(0x10), [0, 72]), "1b 10 00 00 48", 3),
  (.handleValueIndication(AttributeHandle(0x10), [0, 72]), "1d 10 00 00 48", 3),
  (.handleValueConfirmation, "1e", nil),
  (
    .multipleHandleValueNotification([HandleValue(AttributeHandle(1), [1]), HandleValue(AttributeHandle(2), [])]),
    "23 01 00 01 00 01 02 00 00 00", 10
  ),
  (.unknown(0x3F, [1, 2]), "3f 01 02", 1),
]

@Suite struct ATTPDUTests {
  @Test(arguments: samples.indices) func everyPDUKeepsTheLawsWithTheBytesOfTheSpecification(index: Int) {
    let (pdu, bytes, fixed) = samples[index]
    #expect(Hex.text(pdu.encoded) == bytes)
    keepsTheLaws(pdu, fixed: fixed, name: "ATT PDU")
  }

  @Test(arguments: [
    "11 00 42", "11 03 01 00 07", "11 06", "11 06 01 00 07 00 00", "09 00 01 00", "09 01 01 00", "09 07", "05 00 01 00 00 28",
    "05 03 01 00 00 28", "05 01", "07", "07 01 00", "0e 01 00", "18 02", "23 01 00 01 00 01", "", "08 01 00 ff ff 00",
    "08 01 00 ff ff 00 28 01",
  ]) func refusesAMalformedList(text: String) throws {
    let bytes = try #require(Hex.bytes(text))
    #expect(throws: DecodeError.self) { try ATTPDU(encoded: bytes) }
  }

  @Test func theLongFormOfAShortUUIDIsTheSameType() throws {
    let bytes = try #require(Hex.bytes("08 01 00 ff ff fb 34 9b 5f 80 00 00 80 00 10 00 00 37 2a 00 00"))
    #expect(try ATTPDU(encoded: bytes) == .readByTypeRequest(.all, type: UUID(0x2A37)))
  }

  @Test func everyByteStringIsReadOrRefused() {
    var state: UInt64 = 42
    for _ in 0..<20_000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1
      let count = Int(state >> 33) % 30
      let bytes = (0..<count).map { _ -> UInt8 in
        state = state &* 6_364_136_223_846_793_005 &+ 1
        return UInt8(truncatingIfNeeded: state >> 40)
      }
      if let pdu = try? ATTPDU(encoded: bytes) { #expect((try? ATTPDU(encoded: pdu.encoded)) == pdu) }
    }
  }

  @Test(
    arguments: [
      (0x12, "0x12 database out of sync"), (0x13, "0x13 value not allowed"), (0x80, "0x80 application error"),
      (0xFC, "0xfc write request rejected"), (0xFF, "0xff out of range"), (0x14, "0x14 reserved error"),
      (0xE0, "0xe0 common profile error"),
    ] as [(UInt8, String)]) func errorsAreNamedByNumberAndName(code: UInt8, text: String)
  {
    #expect(ATTError(code).description == text)
  }

  @Test func everyRequestHasANameAndIsNotAResponse() {
    for opcode in UInt8.min...UInt8.max {
      #expect(!(ATTOpcode.isRequest(opcode) && ATTOpcode.isResponse(opcode)))
      #expect(!ATTOpcode.name(opcode).isEmpty)
    }
    #expect(ATTOpcode.isCommand(ATTOpcode.writeCommand) && ATTOpcode.isCommand(ATTOpcode.signedWriteCommand))
    #expect(!ATTOpcode.isCommand(ATTOpcode.writeRequest))
  }
}
