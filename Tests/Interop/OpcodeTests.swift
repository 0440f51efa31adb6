import Glibc
import Judgement
import Packets
import Testing
import Vocabulary

/// Every attribute opcode that our client sends or accepts, and that our server answers or sends,
/// has crossed to Bumble and back.
extension InteropTests {
  @Suite struct OpcodeTests {
    init() { Bumble.counted() }

    private typealias Op = ATTOpcode

    /// For each request that a side sends, the response that returns.
    private static let common: [UInt8: UInt8] = [
      Op.exchangeMTURequest: Op.exchangeMTUResponse, Op.findInformationRequest: Op.findInformationResponse,
      Op.findByTypeValueRequest: Op.findByTypeValueResponse, Op.readByTypeRequest: Op.readByTypeResponse,
      Op.readRequest: Op.readResponse, Op.readBlobRequest: Op.readBlobResponse,
      Op.readByGroupTypeRequest: Op.readByGroupTypeResponse, Op.writeRequest: Op.writeResponse,
      Op.prepareWriteRequest: Op.prepareWriteResponse, Op.executeWriteRequest: Op.executeWriteResponse,
    ]
    /// Our client never sends these, because no procedure uses them. Our server answers them.
    private static let serverOnly: [UInt8: UInt8] = [
      Op.readMultipleRequest: Op.readMultipleResponse, Op.readMultipleVariableRequest: Op.readMultipleVariableResponse,
    ]

    private struct Crossed {
      /// The directions are host to controller and back, where the trace was taken.
      var out: Set<UInt8> = []
      var back: Set<UInt8> = []

      /// The first fragment of each frame on the attribute channel (Vol 4, Part E, 5.4.2; Vol 3,
      /// Part A, 3.1).
      init(traceOf path: String) throws {
        guard let file = fopen(path, "r") else { throw CancellationError() }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 1 << 16)
        while true {
          let count = fread(&block, 1, block.count, file)
          if count == 0 { break }
          bytes += block[..<count]
        }
        for record in try BtsnoopFile.recover(bytes).file.records {
          let packet = record.bytes
          guard packet.count > 9, packet[0] == 2, packet[2] >> 4 & 3 != 1, packet[7] == 4, packet[8] == 0 else { continue }
          if record.isSent { out.insert(packet[9]) } else { back.insert(packet[9]) }
        }
      }
    }

    private func names(_ opcodes: some Sequence<UInt8>) -> [String] { opcodes.sorted().map(ATTOpcode.name) }

    /// Every named opcode is in the tables above or in the list with reasons.
    @Test func everyOpcodeIsAccountedFor() throws {
      let known = Set((0...255).map { UInt8($0) }.filter { !ATTOpcode.name($0).hasPrefix("ATT opcode") })
      var accounted: Set<UInt8> = [
        Op.errorResponse, Op.writeCommand, Op.signedWriteCommand, Op.handleValueNotification, Op.handleValueIndication,
        Op.handleValueConfirmation, Op.multipleHandleValueNotification,
      ]
      for (request, answer) in Array(Self.common) + Array(Self.serverOnly) { accounted.formUnion([request, answer]) }
      #expect(names(known.symmetricDifference(accounted)) == [])
      // The tables equal what the sources of our client and server construct.
      let client = try text("Sources/Host/Procedures") + text("Sources/Host/Bearer")
      for word in [".readMultipleRequest", ".readMultipleVariableRequest", ".signedWriteCommand"] {
        #expect(!client.contains(word), "our client can send \(word): then it must be in the table")
      }
      for word in [
        ".findInformationRequest", ".readByTypeRequest", ".readRequest", ".readBlobRequest", ".readByGroupTypeRequest",
        ".writeRequest",
        ".prepareWriteRequest", ".executeWriteRequest", ".writeCommand", ".exchangeMTURequest", ".findByTypeValueRequest",
      ] { #expect(client.contains(word), "our client does not send \(word) any more") }
      let server = try text("Sources/Host/Server")
      #expect(!server.contains(".multipleHandleValueNotification"), "our server can send it: then it must be in the table")
    }

    private func text(_ folder: String) throws -> String {
      let path = "\(Bumble.root)/\(folder)"
      let names = namesOfFiles(in: path)
      try #require(!names.isEmpty)
      return names.reduce(into: "") { $0 += textOfFile("\(path)/\($1)") ?? "" }
    }

    @Test func everyClientOpcodeIsSent() throws {
      let bumble = try BumblePeripheral(mtu: 100)
      let trace = Traces.new("opcodes")
      let lines = try bumble.lines("opcodes", "--capture", trace)
      #expect(lines == ["reading refuses: the device refuses it (0x80 application error)", "3 3 2003"])
      let crossed = try Crossed(traceOf: trace)
      let sent = Set(Self.common.keys).union([Op.writeCommand, Op.handleValueConfirmation])
      let came = Set(Self.common.values)
        .union([Op.errorResponse, Op.handleValueNotification, Op.handleValueIndication, Op.multipleHandleValueNotification])
      #expect(names(sent.subtracting(crossed.out)) == [], "never sent to Bumble")
      #expect(names(came.subtracting(crossed.back)) == [], "never came from Bumble")
      #expect(names(crossed.out.subtracting(sent)) == [], "sent, but in no table")
    }

    @Test func everyServerOpcodeIsSent() throws {
      let shelf = try AirForBumble()
      let trace = Traces.new("central-opcodes")
      let lines = try shelf.central(
        ["mtu=100", "discover", "by_uuid", "sizes", "refusals", "signed", "quick", "notify=3", "indicate=3", "leave"], trace: trace)
      #expect(lines.contains("signed b'not signed'"))
      let crossed = try Crossed(traceOf: trace)
      let came = Set(Self.common.keys).union(Self.serverOnly.keys)
        .union([Op.writeCommand, Op.signedWriteCommand, Op.handleValueConfirmation])
      let sent = Set(Self.common.values).union(Self.serverOnly.values)
        .union([Op.errorResponse, Op.handleValueNotification, Op.handleValueIndication])
      // The trace is Bumble's: what it sends, we receive.
      #expect(names(came.subtracting(crossed.out)) == [], "never came from Bumble")
      #expect(names(sent.subtracting(crossed.back)) == [], "never sent to Bumble")
      #expect(names(crossed.back.subtracting(sent)) == [], "sent, but in no table")
    }
  }
}
