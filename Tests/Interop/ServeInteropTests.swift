import Testing
import Vocabulary

/// `tooth serve` on our air, and Bumble's host as its central.
extension InteropTests {
  @Suite struct ServeInteropTests {
    init() { Bumble.counted() }

    /// The peripheral that `tooth air` simulates for other tests, here served by a run.
    private func serve(_ air: AirForBumble, _ folder: Folder, _ options: String...) throws -> Child {
      let child = try Child(
        [
          Bumble.tooth, "serve", Bumble.recipe("shelf"), "--adapter", "tcp:\(air.place)", "--state", "\(folder.path)/state",
        ] + options, in: folder.path)
      return child
    }

    @Test(arguments: ["legacy", "extended"]) func aBumbleCentralUsesServedAttributes(_ controller: String) throws {
      let air = try AirForBumble("bare", controller: controller)
      let folder = try Folder()
      let server = try serve(air, folder, "--direct", "--capture", Traces.new("serve"))
      let lines = try air.central("discover", "attributes", "sizes", "offsets", "refusals", "quick", "descriptors", "signed")
      #expect(lines.filter { $0.hasPrefix("tree ") } == InteropTests.handed.tree)
      #expect(lines.filter { $0.hasPrefix("attribute ") } == InteropTests.handed.attributes)
      #expect(
        lines.filter { !$0.hasPrefix("tree ") && !$0.hasPrefix("attribute ") && $0 != "disconnected 0x00" } == [
          "found True 0d18", "connected", "sizes 23", "overlap b'012XYZ'", "given up b'012XYZ'", "gap ATT_ERROR_RESPONSE 0x07",
          "after b'012XYZ'", "refusal read 0x80", "refusal write 0x81", "refusal handle 0x01", "refusal zero 0x01",
          "refusal unreadable 0x02", "refusal unwritable 0x03", "refusal offset 0x07", "refusal group 0x10",
          "refusal range 0x01", "several ATT_READ_MULTIPLE_RESPONSE 0102",
          "variable ATT_READ_MULTIPLE_VARIABLE_RESPONSE ['01', '02']", "quick b'in a hurry'", "note 0102", "note b'changed'",
          "signed b'not signed'", "done",
        ], "\(server.complaint)")
      let again = try air.central("discover", "notify=200", "indicate=20", "dismissed", "again", "leave")
      #expect(again.contains("notify 200 in order") && again.contains("indicate 20 in order"), "\(server.complaint)")
      server.kill9()
    }

    /// After SIGKILL, the next run advertises again, with the values that the central wrote.
    @Test func aKilledServerKeepsItsValues() throws {
      let air = try AirForBumble("bare")
      let folder = try Folder()
      var server = try serve(air, folder, "--direct")
      let first = try air.central("discover", "descriptors", "notify=20", "leave")
      #expect(first.contains("note b'changed'") && first.contains("notify 20 in order"))
      server.kill9()
      server = try serve(air, folder, "--direct")
      let second = try air.central("discover", "descriptors", "notify=20", "leave")
      // The central finds `changed`, not the initial value of the file.
      #expect(second.contains("note 6368616e676564") && second.contains("notify 20 in order"), "\(server.complaint)")
      server.kill9()
    }

    /// With a keeper, the central keeps its link and its subscription, and is answered meanwhile.
    @Test func throughAKeeperTheCentralStays() throws {
      let air = try AirForBumble("bare")
      let folder = try Folder()
      var server = try serve(air, folder, "--keeper")
      let central = try Child([
        Bumble.python, "\(Bumble.root)/Tests/Interop/central.py", "tcp-client:\(air.place)", "discover", "subscribe", "notify=20",
        "held=10", "notified=20", "leave",
      ])
      #expect(central.read { $0.lines.contains("holding") }, "\(central.text)\(central.complaint)\(server.complaint)")
      server.kill9()
      #expect(central.read { $0.lines.contains("answered") }, "\(central.text)\(central.complaint)")
      server = try serve(air, folder, "--keeper")
      central.companion = server
      #expect(central.end(within: .seconds(60)) == 0, "\(central.text)\(central.complaint)\(server.complaint)")
      #expect(
        central.lines.filter { !$0.hasPrefix("tree ") } == [
          "found True 0d18", "connected", "subscribed", "notify 20 in order", "holding", "answered", "held", "notified 20 in order",
          "disconnected 0x16", "done",
        ], "\(server.complaint)")
      server.kill9()
    }
  }
}
