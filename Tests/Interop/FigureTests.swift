import Glibc
import Judgement
import Testing
import Vocabulary

/// The cost of operations in round trips and bytes, counted on Bumble's link, compared with
/// Bumble's own host. The MTU exchange is left out on both sides.
extension InteropTests {
  @Suite struct FigureTests {
    /// The benchmarks' peer shares code with the tests' peer, and must keep up with it.
    @Test func theBenchmarksPeerComesUp() throws {
      let server = try Child([Bumble.python, "\(Bumble.root)/Benchmarks/bumble/server.py"])
      #expect(server.line(beginning: "listening ") != nil, "\(server.complaint)")
      #expect(server.lines.contains("attributes 148"), "\(server.text)")
    }

    init() { Bumble.counted() }

    private static let device = "C4:11:22:33:44:55"

    /// One link of the log.
    struct Link {
      var requests: [UInt8] = []
      /// Bytes of frames on the attribute channel in both directions: PDUs with their L2CAP
      /// headers.
      var octets = 0

      /// The links of a log, each up to the first unsolicited value.
      static func all(_ log: [String], wholly: Bool = false) -> [Link] {
        var links: [Int: Link] = [:]
        var closed: Set<Int> = []
        for (index, text) in log.enumerated() {
          guard let line = AirLine(text, number: index + 1), line.isAttribute, let number = line.link, !closed.contains(number)
          else {
            continue
          }
          let message = AttributeMessage(bytes: line.bytes)
          if message.isNotification, !wholly { closed.insert(number) }
          if message.opcode == 0x02 || message.opcode == 0x03 { continue }
          links[number, default: Link()].octets += line.bytes.count + 4
          if message.isRequest { links[number, default: Link()].requests.append(message.opcode) }
        }
        return links.sorted { $0.key < $1.key }.map(\.value)
      }
    }

    private func say(_ words: String) {
      let line = Array("interop figures: \(words)\n".utf8)
      _ = write(STDERR_FILENO, line, line.count)
    }

    @Test func roundTripsAreFourColdTwoCachedAndOneForARead() throws {
      let strap = try BumblePeripheral("--beats", "20")
      #expect(try strap.lines("first-beat") == ["got it"])
      #expect(Link.all(strap.log).last?.requests == [0x06, 0x08, 0x04, 0x12])
      #expect(try strap.lines("first-beat") == ["got it"])
      #expect(Link.all(strap.log).last?.requests == [0x08, 0x12])
      let other = try BumblePeripheral("--beats", "20")
      #expect(try other.lines("one-read") == ["97"])
      #expect(Link.all(other.log, wholly: true).last?.requests == [0x08])
      say("round trips to the first notification 4 cold, 2 cached; a read by UUID 1")
    }

    /// Bumble's client does the same on the same link with the same server.
    @Test(arguments: [23, 517]) func discoverySendsNoMoreRequestsThanBumble(mtu: Int) throws {
      let bumble = try BumblePeripheral(mtu: mtu, "--attributes", "148")
      #expect(bumble.tableSize == 148)
      func last() throws -> Link { try #require(Link.all(bumble.log, wholly: true).last) }
      #expect(try bumble.lines("one-subscription") == [])
      let ours = try last()
      #expect(try bumble.central("mtu=517", "targeted", "leave").contains("targeted"))
      let theirs = try last()
      #expect(ours.requests.count <= theirs.requests.count && ours.octets <= theirs.octets, "\(ours) \(theirs)")
      say(
        "one subscription among 148 attributes, MTU \(mtu): \(ours.requests.count) round trips and \(ours.octets) octets, Bumble's targeted way \(theirs.requests.count) and \(theirs.octets)"
      )
      #expect(try bumble.lines("dump", "--name", "Stranger") == bumble.tree)
      let all = try last()
      #expect(try bumble.central("mtu=517", "everything", "leave").contains { $0.hasPrefix("everything ") })
      let theirAll = try last()
      #expect(Link.all(bumble.log, wholly: true).count == 4)
      #expect(all.requests.count <= theirAll.requests.count && all.octets <= theirAll.octets, "\(all) \(theirAll)")
      say(
        "all of 148 attributes, MTU \(mtu): \(all.requests.count) round trips and \(all.octets) octets, Bumble \(theirAll.requests.count) and \(theirAll.octets)"
      )
    }
  }
}
