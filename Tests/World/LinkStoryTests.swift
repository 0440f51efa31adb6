import Packets
import Session
import Testing
import Vocabulary

/// The reason why a link ended, from packets typed from the specification.
@Suite struct LinkStoryTests {
  private static let peer = Address(bits: 0xECAD_84E6_8249, kind: .random)
  private static let handle = ConnectionHandle(0x0040)

  private func record(_ packet: HCIPacket, sent: Bool = false, at milliseconds: Int64) -> BtsnoopRecord {
    BtsnoopRecord(isSent: sent, time: WallTime(nanoseconds: milliseconds * 1_000_000), packet: packet)
  }

  private func linked(at milliseconds: Int64, status: HCIStatus = .success) -> BtsnoopRecord {
    record(
      .event(
        .leConnectionComplete(
          ConnectionComplete(
            status: status, handle: Self.handle, role: .central, peer: Self.peer, interval: 24, latency: 0, supervisionTimeout: 400)
        )),
      at: milliseconds)
  }

  private func ended(_ reason: HCIStatus, at milliseconds: Int64) -> BtsnoopRecord {
    record(
      .event(.disconnectionComplete(DisconnectionComplete(status: .success, handle: Self.handle, reason: reason))), at: milliseconds
    )
  }

  private func att(_ pdu: ATTPDU, sent: Bool, at milliseconds: Int64) -> BtsnoopRecord {
    let payload = pdu.encoded
    let frame = [UInt8(payload.count), 0, 4, 0] + payload
    return record(
      .acl(ACLPacket(handle: Self.handle, boundary: sent ? .firstNonFlushable : .firstFlushable, broadcast: 0, data: frame)),
      sent: sent, at: milliseconds)
  }

  private func heard(_ dBm: Int8, at milliseconds: Int64) -> BtsnoopRecord {
    record(
      .event(
        .leAdvertisingReport([AdvertisingReport(kind: .connectableUndirected, address: Self.peer, data: [], rssi: dBm)])),
      at: milliseconds)
  }

  @Test func aLostLinkIsExplainedByItsPackets() throws {
    let battery = AttributeHandle(0x0016)
    let declaration = HandleValue(AttributeHandle(0x0015), [0x02, 0x16, 0x00, 0x19, 0x2A])
    let story = LinkStory([
      heard(-58, at: 500), heard(-80, at: 900), linked(at: 1000),
      att(.readByTypeRequest(HandleRange(AttributeHandle(1), AttributeHandle(0xFFFF)), type: UUID(0x2803)), sent: true, at: 1100),
      att(.readByTypeResponse([declaration]), sent: false, at: 1200),
      att(.handleValueNotification(battery, [1]), sent: false, at: 2000),
      att(.readRequest(battery), sent: true, at: 2100), ended(.connectionTimeout, at: 6000),
    ])
    let one = try #require(story.findings.first)
    #expect(story.findings.count == 1 && story.packets == 8)
    #expect(one.kind == .lost && one.code == 0x08 && one.address.hasPrefix("EC:AD:84:E6:82:49"))
    #expect(one.reason == "Connection Timeout (0x08)")
    #expect(one.lasted == .seconds(5) && one.silent == .seconds(4))
    #expect(one.last == "a notification of battery_level")
    #expect(one.outstanding == "read of battery_level, 3.9 s before")
    #expect(one.signal == [-58, -80])
    #expect(one.usually?.contains("out of range") == true)
  }

  @Test func aRequestedDisconnectIsNotALoss() {
    let asked = record(.command(.disconnect(Self.handle, reason: .remoteUserTerminated)), sent: true, at: 1500)
    #expect(LinkStory([linked(at: 1000), asked, ended(.localHostTerminated, at: 1600)]).findings == [])
    #expect(LinkStory([linked(at: 1000), ended(.remoteUserTerminated, at: 1600)]).findings.count == 1)
    #expect(LinkStory([linked(at: 1000, status: .establishmentFailed)]).findings.map(\.kind) == [.failed])
    // A cancelled connection attempt.
    #expect(LinkStory([linked(at: 1000, status: .unknownConnection)]).findings == [])
  }

  @Test func hostilePacketsAreBounded() {
    var story = LinkStory()
    for number in 0..<20_000 {
      let bytes =
        [UInt8(truncatingIfNeeded: [1, 2, 4, 9][number % 4])]
        + (0..<(number % 40)).map { UInt8(truncatingIfNeeded: number &* 31 &+ $0) }
      story.take(BtsnoopRecord(isSent: number % 3 == 0, time: WallTime(nanoseconds: Int64(number)), bytes: bytes))
      story.take(ended(HCIStatus(UInt8(truncatingIfNeeded: number)), at: 1))
    }
    #expect(story.findings.count == 256 && story.packets == 40_000)
  }
}
