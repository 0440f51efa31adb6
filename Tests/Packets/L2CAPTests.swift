import Packets
import Testing
import Vocabulary

private let signals: [(L2CAPSignal, String, Int?)] = [
  (L2CAPSignal(1, .reject(reason: 0, data: [])), "01 01 02 00 00 00", nil),
  (L2CAPSignal(1, .reject(reason: 2, data: [0x40, 0, 0x41, 0])), "01 01 06 00 02 00 40 00 41 00", nil),
  (L2CAPSignal(2, .disconnectionRequest(destination: 0x40, source: 0x41)), "06 02 04 00 40 00 41 00", nil),
  (L2CAPSignal(2, .disconnectionResponse(destination: 0x40, source: 0x41)), "07 02 04 00 40 00 41 00", nil),
  (
    L2CAPSignal(3, .connectionParameterUpdateRequest(.init(intervalMin: 24, intervalMax: 40, latency: 0, timeout: 500))),
    "12 03 08 00 18 00 28 00 00 00 f4 01", nil
  ),
  (L2CAPSignal(3, .connectionParameterUpdateResponse(result: 1)), "13 03 02 00 01 00", nil),
  (
    L2CAPSignal(4, .leCreditConnectionRequest(spsm: 0x25, source: 0x40, mtu: 512, mps: 64, credits: 10)),
    "14 04 0a 00 25 00 40 00 00 02 40 00 0a 00", nil
  ),
  (
    L2CAPSignal(4, .leCreditConnectionResponse(destination: 0x41, mtu: 512, mps: 64, credits: 10, result: 2)),
    "15 04 0a 00 41 00 00 02 40 00 0a 00 02 00", nil
  ),
  (L2CAPSignal(5, .flowControlCredit(channel: 0x40, credits: 3)), "16 05 04 00 40 00 03 00", nil),
  (
    L2CAPSignal(6, .creditConnectionRequest(spsm: 0x27, mtu: 64, mps: 64, credits: 1, sources: [0x40, 0x41])),
    "17 06 0c 00 27 00 40 00 40 00 01 00 40 00 41 00", nil
  ),
  (
    L2CAPSignal(6, .creditConnectionResponse(mtu: 64, mps: 64, credits: 1, result: 0, destinations: [])),
    "18 06 08 00 40 00 40 00 01 00 00 00", nil
  ),
  (L2CAPSignal(7, .creditReconfigureRequest(mtu: 64, mps: 64, destinations: [0x40])), "19 07 06 00 40 00 40 00 40 00", nil),
  (L2CAPSignal(7, .creditReconfigureResponse(result: 0)), "1a 07 02 00 00 00", nil),
  (L2CAPSignal(8, .unknown(code: 0x42, data: [1, 2])), "42 08 02 00 01 02", nil),
]

@Suite struct L2CAPTests {
  @Test(arguments: signals.indices) func everySignalKeepsTheLaws(index: Int) {
    let (signal, bytes, fixed) = signals[index]
    #expect(Hex.text(signal.encoded) == bytes)
    keepsTheLaws(signal, fixed: fixed, name: "L2CAP signal")
  }

  @Test func aFrameKeepsTheLaws() {
    keepsTheLaws(L2CAPFrame(channel: L2CAPChannel.attribute, payload: [0x0A, 0x03, 0x00]), name: "L2CAP frame")
    keepsTheLaws(L2CAPFrame(channel: 0xFFFF, payload: []))
    #expect(L2CAPFrame.totalLength(of: [0x03]) == nil)
    #expect(L2CAPFrame.totalLength(of: [0xFF, 0xFF, 1]) == 65_539)
  }

  @Test func refusesOctetsAfterASignal() {
    #expect(throws: DecodeError.trailing(1, after: "L2CAP command")) {
      try L2CAPSignal(encoded: [0x13, 1, 3, 0, 0, 0, 9])
    }
  }

  @Test func moreThanFiveChannelsAreRefused() {
    let signal = L2CAPSignal(1, .creditReconfigureRequest(mtu: 64, mps: 64, destinations: [1, 2, 3, 4, 5, 6]))
    #expect(throws: DecodeError.invalid("number of channels", 6)) { try L2CAPSignal(encoded: signal.encoded) }
  }

  @Test(
    arguments: [
      (24, 40, 0, 500, true), (6, 6, 0, 10, true), (5, 6, 0, 10, false), (40, 24, 0, 500, false), (24, 3201, 0, 500, false),
      (24, 40, 500, 500, false), (24, 40, 0, 9, false), (24, 40, 0, 3201, false), (3200, 3200, 0, 800, false),
      (3200, 3200, 0, 801, true),
      (0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, false), (80, 80, 24, 500, false),
    ] as [(UInt16, UInt16, UInt16, UInt16, Bool)]) func connectionParametersAreValidated(
      min: UInt16, max: UInt16, latency: UInt16, timeout: UInt16, valid: Bool
    )
  {
    #expect(
      L2CAPSignal.ConnectionParameters(intervalMin: min, intervalMax: max, latency: latency, timeout: timeout).isValid == valid)
  }
}
