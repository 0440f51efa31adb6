import Glibc
import Packets
import Testing
import Vocabulary

@testable import Linux

@Suite struct AdapterTests {
  static let one = AdapterSummary(
    index: 0, address: Address(bits: 0x00AA_0100_0042, kind: .public), bus: "USB", use: .kernel, block: .none)

  @Test func oneToothAtATimeMayTakeAnAdapter() {
    // A number that no adapter of a test machine has.
    var first = AdapterLock(61_001)
    #expect(first != nil)
    #expect(AdapterLock(61_001) == nil)
    #expect(AdapterLock(61_002) != nil)
    first = nil
    // A process that another test forks meanwhile has it too, until it closes its descriptors.
    var again = AdapterLock(61_001)
    for _ in 0..<500 where again == nil {
      usleep(10_000)
      again = AdapterLock(61_001)
    }
    #expect(again != nil)
  }

  @Test(arguments: [
    ("hci0", AdapterName.index(0)), ("hci12", .index(12)), ("00:AA:01:00:00:42", .address(0x00AA_0100_0042)),
    ("00:aa:01:00:00:42", .address(0x00AA_0100_0042)),
  ])
  func namesOfAdapters(text: String, name: AdapterName) { #expect(AdapterName(text) == name) }

  @Test(arguments: [
    "", "hci", "hci-1", "hci0x", "hci65535", "hci99999", "HCI0", "usb0", "00:AA:01:00:00", "C4:7C:8D:6A:12:0F/random",
  ])
  func invalidAdapterNames(text: String) { #expect(AdapterName(text) == nil) }

  @Test(arguments: [AdapterName.any, .index(513), .address(0x1234_5678_9ABC)])
  func namesCrossToTheHelper(name: AdapterName) throws {
    var reader = name.encoded.span.bytes
    #expect(try AdapterName(reading: &reader) == name)
    for count in 0..<name.encoded.count {
      let cut = Array(name.encoded.prefix(count))
      var short = cut.span.bytes
      #expect(throws: DecodeError.self) { try AdapterName(reading: &short) }
    }
  }

  @Test(arguments: [
    AdapterFault.noBluetooth, .noAdapter, .settingUp("hci0"), .classicOnly("hci1"), AdapterFault(.system, "no hint"),
  ])
  func faultsCrossToTheirReader(fault: AdapterFault) throws {
    #expect(try AdapterFault(encoded: fault.encoded) == fault)
    #expect(throws: DecodeError.self) { try AdapterFault(encoded: Array(fault.encoded.dropLast())) }
  }

  @Test func aMissingAdapterErrorListsTheOthers() {
    let fault = AdapterFault.missing(.index(3), others: [Self.one])
    #expect(fault.message == "there is no adapter hci3")
    #expect(fault.hint == "there is hci0 (00:AA:01:00:00:42); see tooth adapters")
    #expect(AdapterFault.missing(.index(3), others: []).message == "there is no adapter hci3; this machine has none")
  }

  @Test func theFixForMissingPrivilegesCanBePasted() {
    let fault = AdapterFault.notPermitted("hci0", program: "/opt/my tools/it's/tooth", isAdministrator: false)
    #expect(fault.hint == "sudo setcap cap_net_admin+ep '/opt/my tools/it'\\''s/tooth'\nor start it with sudo")
    #expect(
      AdapterFault.notPermitted("hci0", program: "/usr/bin/tooth", isAdministrator: false).hint
        == "sudo setcap cap_net_admin+ep /usr/bin/tooth\nor start it with sudo")
    #expect(AdapterFault.notPermitted("hci0", program: "tooth", isAdministrator: true).message.contains("container"))
  }

  @Test func aHolderIsNamed() {
    let node = SocketHolder(process: 412, name: "node")
    #expect(AdapterFault.held("hci0", by: [node]).message == "hci0 is held by node (process 412)")
    #expect(AdapterFault.held("hci0", by: [node]).hint == "end it with kill 412, or name another adapter")
    #expect(
      AdapterFault.held("hci0", by: [node, SocketHolder(process: 7, name: "tooth")]).message
        == "hci0 is held by one of node (process 412), tooth (process 7)")
    #expect(AdapterFault.held("hci0", by: [], isRoot: false).hint?.contains("adapters names it") == true)
    // Root has all the rights there are.
    #expect(AdapterFault.held("hci0", by: [], isRoot: true).message.contains("not visible here"))
  }

  @Test func listsUpToFourForeignLinks() {
    let peers = (1...6).map { Address(bits: UInt64($0), kind: .public) }
    #expect(AdapterFault.linked("hci0", Array(peers.prefix(1))).hint?.contains("or cut it with --take") == true)
    let many = AdapterFault.linked("hci0", peers)
    #expect(many.message.hasSuffix("00:00:00:00:00:04 and 2 more"))
    #expect(many.hint?.contains("or cut them with --take") == true)
  }

  @Test func hardwareSwitchesDifferFromSoftBlocks() {
    var summary = Self.one
    summary.block = .soft
    #expect(AdapterFault.blocked(summary).hint == "rfkill unblock bluetooth")
    summary.block = .hard
    #expect(AdapterFault.blocked(summary).message.contains("a hardware switch"))
  }

  /// A running daemon is named, with the command that stops it.
  @Test func namesADaemonThatHoldsTheAdapter() {
    #expect(AdapterFault.busy("hci0", daemon: SocketHolder(process: 9, name: "bluetoothd")).hint == "sudo systemctl stop bluetooth")
  }

  /// The helper is a separate process. Without Bluetooth in this kernel it can only report that and
  /// exit when it is asked to.
  @Test func theHelperAnswersAndEnds() throws {
    let helper = try AdapterGuard()
    #expect(throws: AdapterFault.self) { try helper.take(.index(65000), cutting: false) }
    #expect(helpers(of: getpid()) == 0)
    helper.release()
    #expect(helpers(of: getpid()) == 0)
  }

  /// Helpers for which this process would have to wait.
  private func helpers(of parent: Int32) -> Int {
    Files.names(in: "/proc").count { entry in
      // 17 (tooth-guard) S 16 …
      guard Int32(entry) != nil, let words = Files.line("/proc/\(entry)/stat")?.split(separator: " "), words.count > 3 else {
        return false
      }
      return words[1] == "(tooth-guard)" && words[3] == "\(parent)"
    }
  }
}
