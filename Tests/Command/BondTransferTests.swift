import Exchange
import Glibc
import Linux
import Testing
import Vocabulary

@testable import KeeperProcess

/// Bonds of bluetoothd and of another tooth: read, written and refused.
@Suite struct BondTransferTests {
  private let folder = Folder()
  private static let own = "00:1B:DC:07:33:88"
  private static let device = "C4:7C:8D:6A:12:0F"
  private static let now = WallTime(nanoseconds: 1_700_000_000_000_000_000)

  /// The file that bluetoothd 5.66 writes after Secure Connections.
  private static let secure = """
    [General]
    Name=Lock
    AddressType=static
    SupportedTechnologies=LE;
    Trusted=false
    Blocked=false

    [IdentityResolvingKey]
    Key=0102030405060708090A0B0C0D0E0F10

    [PeripheralLongTermKey]
    Key=BEE4256F797B6991A531B1E52B55AEB1
    Authenticated=2
    EncSize=16
    EDiv=0
    Rand=0

    [SlaveLongTermKey]
    Key=BEE4256F797B6991A531B1E52B55AEB1
    Authenticated=2
    EncSize=16
    EDiv=0
    Rand=0

    [ConnectionParameters]
    MinInterval=6

    """

  private static let legacy = """
    [General]
    AddressType=public

    [LinkKey]
    Key=00112233445566778899AABBCCDDEEFF
    Type=4

    [LongTermKey]
    Key=0x0001020304050a000000000000000000
    Authenticated=1
    EncSize=7
    EDiv=4660
    Rand=0x0102030405060708

    [SlaveLongTermKey]
    Key=F0F1F2F3F4F5F6000000000000000000
    Authenticated=1
    EncSize=7
    EDiv=65535
    Rand=18446744073709551615

    """

  private func read(_ text: String, _ device: String = Self.device) throws -> BlueZBonds.Found {
    try BlueZBonds.read(text, device: try #require(Address(device)), at: Self.now)
  }

  private func octets(_ digits: String) -> [UInt8] { BlueZBonds.octets(digits) ?? [] }

  @Test func aKeyOfSecureConnectionsIsForBothRoles() throws {
    let bond = try #require(try read(Self.secure).bond)
    #expect(bond.identity == Address("\(Self.device)/random") && bond.name == "Lock")
    #expect(bond.keys == .secureConnections(octets("BEE4256F797B6991A531B1E52B55AEB1")))
    #expect(!bond.isAuthenticated && bond.keySize == 16 && bond.origin == .imported && !bond.isProvisional)
    #expect(bond.identityKey == Array(1...16))
    let proven = try read(Self.secure.replacing("Authenticated=2", with: "Authenticated=3"))
    #expect(proven.bond?.isAuthenticated == true)
  }

  @Test func legacyKeysAreForTheirRoles() throws {
    let found = try read(Self.legacy, "00:11:22:33:44:55")
    let bond = try #require(found.bond)
    #expect(bond.identity == Address("00:11:22:33:44:55/public"))
    #expect(
      bond.keys
        == .legacy(
          peer: Bond.LegacyKey(
            octets: [0, 1, 2, 3, 4, 5, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0], diversifier: 0x1234, random: 0x0807_0605_0403_0201),
          own: Bond.LegacyKey(
            octets: octets("F0F1F2F3F4F5F6000000000000000000"), diversifier: 0xFFFF, random: UInt64.max)))
    #expect(bond.isAuthenticated && bond.keySize == 7 && bond.identityKey == nil)
    #expect(found.remarks.contains { $0.contains("[LinkKey]") })
  }

  @Test func writtenBondsReadBackEqual() throws {
    for (text, device) in [(Self.secure, Self.device), (Self.legacy, "00:11:22:33:44:55")] {
      var bond = try #require(try read(text, device).bond)
      bond.name = " Lock\n\\ [x]\t=\r\n#"
      let written = BlueZBonds.write(bond)
      var again = try #require(try read(written, device).bond)
      #expect(again == bond, "\(written)")
      again.name = nil
      #expect(!BlueZBonds.write(again).contains("Name"))
    }
  }

  /// Each of these makes the bond unusable, with a reason.
  @Test func invalidBondsAreRefusedWithAReason() throws {
    func refusal(_ text: String, _ device: String = Self.device) -> String? {
      do throws(BlueZBonds.Refusal) {
        _ = try BlueZBonds.read(text, device: Address(device) ?? .init(bits: 0, kind: .public), at: Self.now)
        return nil
      } catch { return error.reason }
    }
    let key = "Key=BEE4256F797B6991A531B1E52B55AEB1"
    for (old, new, words) in [
      (key, "Key=BEE4", "32 hexadecimal"), (key, "Key=" + String(repeating: "G", count: 32), "32 hexadecimal"),
      (key, key + "00", "32 hexadecimal"), (key, "Other=1", "has no Key"),
      (key, "Key=" + String(repeating: "0", count: 32), "zeros"),
      ("EncSize=16", "EncSize=17", "7 to 16"), ("EncSize=16", "EncSize=6", "7 to 16"), ("EncSize=16", "", "has no EncSize"),
      ("EncSize=16", "EncSize=7", "longer"), ("EDiv=0", "EDiv=65536", "EDiv"), ("Rand=0", "Rand=18446744073709551616", "Rand"),
      ("Rand=0", "Rand=0x01", "Rand"), ("Rand=0", "Rand=7", "EDiv or Rand"), ("Authenticated=2", "Authenticated=5", "0 to 4"),
      ("Authenticated=2", "Authenticated=x", "0 to 4"), ("AddressType=static", "AddressType=private", "neither"),
      ("Key=0102030405060708090A0B0C0D0E0F10", "Key=01", "IdentityResolvingKey"),
      ("Key=0102030405060708090A0B0C0D0E0F10", "", "IdentityResolvingKey"),
    ] { #expect(refusal(Self.secure.replacing(old, with: new))?.contains(words) == true, "\(new)") }
    #expect(refusal(Self.secure, "44:7C:8D:6A:12:0F")?.contains("static") == true)
    let two = Self.secure + "[LongTermKey]\nKey=\(String(repeating: "A", count: 32))\nAuthenticated=0\nEncSize=16\nEDiv=1\nRand=1\n"
    #expect(refusal(two)?.contains("two pairings") == true)
    // a device without an LE key is not an error
    for text in ["", "[General]\n", "[LinkKey]\nKey=00\n", "\0\u{1}", "===\n[]\n[\n]"] { #expect(try read(text).bond == nil) }
    let debug = try read(Self.secure.replacing("Authenticated=2", with: "Authenticated=4"))
    #expect(debug.bond == nil && debug.remarks.contains { $0.contains("debug") })
    #expect(
      try read(Self.secure.replacing("0102030405060708090A0B0C0D0E0F10", with: String(repeating: "0", count: 32))).bond?.identityKey
        == nil)
  }

  /// A file that contradicts itself is refused, and the error names both entries.
  @Test func contradictionsAreRefused() throws {
    func refusal(_ text: String) -> String {
      do throws(BlueZBonds.Refusal) {
        return
          "taken: \(try BlueZBonds.read(text, device: Address(Self.device) ?? .init(bits: 0, kind: .public), at: Self.now))"
      } catch { return error.reason }
    }
    let older = Self.legacy.replacing("AddressType=public", with: "AddressType=static")
    let section =
      "[LongTermKey]\nKey=\(String(repeating: "A", count: 14))000000000000000000\nAuthenticated=1\nEncSize=7\nEDiv=1\nRand=1\n"
    #expect(refusal(older + section).contains("[LongTermKey] has two values of Key"))
    #expect(refusal(older + section.replacing("Long", with: "PeripheralLong")).contains("differ"))
    #expect(
      refusal(older + section.replacing("Long", with: "SlaveLong")).contains(
        "[SlaveLongTermKey] has two values"))
    // a repeated entry is not a contradiction
    #expect(refusal(older + older).hasPrefix("taken"))
    #expect(
      refusal(Self.secure + "[General]\nAddressType=public\n").contains(
        "[General] has two values of AddressType"))
    #expect(
      refusal(Self.secure.replacing("EncSize=16", with: "EncSize=16\nEncSize=7")).contains(
        "two values of EncSize"))
    // a key of a hostile file changes no terminal
    #expect(
      refusal(Self.secure.replacing("EncSize=16", with: "A\u{1B}[2J=1\nA\u{1B}[2J=2\nEncSize=16")).contains(
        "two values of A\\x1b[2J"))
    let one = Self.secure.replacing(
      "[SlaveLongTermKey]\nKey=BEE4", with: "[SlaveLongTermKey]\nKey=CEE4")
    #expect(
      one != Self.secure
        && refusal(one).contains("[PeripheralLongTermKey] and [SlaveLongTermKey] differ"))
    // entries of an ignored kind are not compared
    #expect(refusal(older + "[LinkKey]\nKey=00\n").hasPrefix("taken"))
    #expect(
      refusal(Self.secure.replacing("Blocked=false", with: "Blocked=true")).contains("blocked"))
    let unnamed = try read(
      Self.secure.replacing(
        "0102030405060708090A0B0C0D0E0F10", with: String(repeating: "0", count: 32)))
    #expect(unnamed.bond?.identityKey == nil && unnamed.remarks.contains { $0.contains("zeros") })
  }

  /// Any file results in a bond that can be stored, or in none.
  @Test func everyCutAndChangeIsReadOrRefused() throws {
    let bytes = Array(Self.legacy.utf8)
    for count in 0...bytes.count { _ = try? read(String(decoding: bytes[..<count], as: UTF8.self)) }
    var dice = SplitMix(seed: 13)
    for _ in 0..<3000 {
      var changed = bytes
      for _ in 0..<(1 + dice.next() % 4) {
        changed[Int(dice.next() % UInt64(changed.count))] = UInt8(truncatingIfNeeded: dice.next() >> 13)
      }
      guard let bond = try? read(String(decoding: changed, as: UTF8.self)).bond else { continue }
      #expect(7...16 ~= bond.keySize)
      let again = try read(BlueZBonds.write(bond), bond.identity.description)
      #expect(again.bond == bond)
    }
  }

  // MARK: Commands

  private func make(_ name: String, _ text: String, mode: mode_t = 0o600) throws -> String {
    let path = "\(folder.path)/\(name)"
    try Files.makeFolders(parent(of: path))
    try saveFile(path, Array(text.utf8), mode: UInt32(mode))
    return path
  }

  private func tooth(_ words: String...) -> Tooth.Result {
    Tooth.start(["bonds"] + words, directory: folder.path).wait()
  }

  private func mode(_ path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o777 : nil
  }

  @Test func importsFromAndExportsToBluetoothd() throws {
    let there = "bluetooth/\(Self.own)/\(Self.device)/info"
    _ = try make(there, Self.secure)
    _ = try make("bluetooth/\(Self.own)/00:11:22:33:44:55/info", Self.legacy)
    _ = try make("bluetooth/\(Self.own)/cache/\(Self.device)", "[General]\n")
    _ = try make("bluetooth/\(Self.own)/identity", "[General]\nIdentityResolvingKey=0x102030405060708090a0b0c0d0e0f001\n")
    let state = "\(folder.path)/state"
    let taken = tooth("import", "\(folder.path)/bluetooth", "--state", state, "--output", "json")
    #expect(taken.code == 0 && taken.output.split(separator: "\n").count == 2, "\(taken)")
    for secret in ["BEE4256F", "bee4256f", "10203040"] { #expect(!"\(taken)".contains(secret)) }
    let list = tooth("--state", state)
    #expect(list.code == 0 && list.output.contains("\(Self.device)/random") && list.output.contains("key of 7 octets"), "\(list)")
    let place = "\(state)/bonds/\(BondFolder.name(Address(bits: 0x1BDC_0733_88, kind: .public)))"
    for name in Files.names(in: place) { #expect(mode("\(place)/\(name)") == 0o600, "\(name)") }
    #expect(Files.names(in: place).count == 3 && mode(place) == 0o700)

    // and back, unchanged
    let given = tooth("export", "\(folder.path)/out", "--bluez", "--state", state)
    #expect(given.code == 0, "\(given)")
    for (device, text) in [(Self.device, Self.secure), ("00:11:22:33:44:55", Self.legacy)] {
      let path = "\(folder.path)/out/\(Self.own)/\(device)/info"
      #expect(mode(path) == 0o600 && mode(parent(of: path)) == 0o700)
      let written = try read(String(decoding: try readFile(path, limit: 9999), as: UTF8.self), device)
      let original = try read(text, device)
      #expect(written.bond == original.bond)
    }
    let identity = try readFile("\(folder.path)/out/\(Self.own)/identity", limit: 9999)
    #expect(String(decoding: identity, as: UTF8.self).contains("0x102030405060708090a0b0c0d0e0f001"))

    // nothing is overwritten without the option
    let again = tooth("export", "\(folder.path)/out", "--bluez", "--state", state)
    #expect(again.code == 2 && again.errors.contains("--replace"), "\(again)")
    #expect(tooth("export", "\(folder.path)/out", "--bluez", "--replace", "--state", state).code == 0)
    let same = tooth("import", "\(folder.path)/out/\(Self.own)/\(Self.device)", "--state", state)
    #expect(same.code == 0 && same.errors.contains("already exists"), "\(same)")
    let other = try make("bluetooth2/\(Self.own)/\(Self.device)/info", Self.secure.replacing("BEE4", with: "CEE4"))
    let kept = tooth("import", other, "--state", state)
    #expect(kept.code == 2 && kept.errors.contains("--replace"), "\(kept)")
    #expect(tooth("import", other, "--replace", "--state", state).code == 0)
    // The same keys with another level replace only if that is wanted.
    let raised = try make(
      "bluetooth3/\(Self.own)/\(Self.device)/info",
      Self.secure.replacing("BEE4", with: "CEE4").replacing("Authenticated=2", with: "Authenticated=3"))
    let level = { BondFolder(state: state).all().bonds.first { "\($0.identity)" == Self.device }?.isAuthenticated }
    #expect(tooth("import", raised, "--state", state).errors.contains("already exists") && level() == false)
    #expect(tooth("import", raised, "--replace", "--state", state).code == 0 && level() == true)
  }

  /// A folder in which some devices cannot be imported: the others are, and each failure is
  /// reported.
  @Test func skipsDevicesThatCannotBeImported() throws {
    let adapter = "bluetooth/\(Self.own)"
    _ = try make("\(adapter)/\(Self.device)/info", Self.secure)
    try Files.makeFolders("\(folder.path)/\(adapter)/00:00:00:00:00:01")
    _ = try make(
      "\(adapter)/00:00:00:00:00:02/info", Self.legacy.replacing("EncSize=7", with: "EncSize=5"))
    _ = try make("\(adapter)/00:00:00:00:00:03/info", Self.legacy + "[General]\nBlocked=true\n")
    _ = try make(
      "\(adapter)/00:00:00:00:00:04/info", "[General]\nName=Headphones\n[LinkKey]\nKey=00\n")
    for turn in 0..<2 {
      let taken = tooth("import", "\(folder.path)/bluetooth", "--state", "\(folder.path)/state")
      #expect(taken.code == 0 && taken.output.isEmpty == (turn == 1), "\(taken)")
      for (device, why) in [("01", "no info file"), ("02", "EncSize"), ("03", "blocked")] {
        #expect(
          taken.errors.split(separator: "\n").contains {
            $0.contains("skipped") && $0.contains("00:00:00:00:00:\(device)") && $0.contains(why)
          },
          "\(device): \(taken)")
      }
    }
    // a user who asks for one of them gets the message that it was not imported
    for (device, why) in [
      ("01", "no info file"), ("02", "EncSize"), ("03", "blocked"), ("04", "no bond in it"),
    ] {
      for path in [
        "\(folder.path)/\(adapter)/00:00:00:00:00:\(device)",
        "\(folder.path)/\(adapter)/00:00:00:00:00:\(device)/info",
      ] {
        let refused = tooth("import", path, "--state", "\(folder.path)/state")
        #expect(
          refused.code == 2 && refused.errors.contains("error")
            && (refused.errors.contains(why) || device == "01"), "\(refused)")
      }
    }
    // and so is a user who gets no bond at all
    _ = try make(
      "empty/\(Self.own)/00:00:00:00:00:03/info", Self.legacy + "[General]\nBlocked=true\n")
    try Files.makeFolders("\(folder.path)/empty/\(Self.own)/00:00:00:00:00:01")
    let none = tooth("import", "\(folder.path)/empty", "--state", "\(folder.path)/state")
    #expect(
      none.code == 2 && none.errors.contains("blocked") && none.errors.contains("no info file"),
      "\(none)")
  }

  /// A path of the wrong type: the error says what it is and what is accepted.
  @Test func aWrongPlaceIsExplained() throws {
    let state = "\(folder.path)/state"
    let copied = try make("copied", Self.secure)
    let bare = try make("somewhere/info", Self.secure)
    let half = try make("half/\(Self.device)/info", Self.secure)
    try Files.makeFolders("\(folder.path)/nothing")
    for (path, words) in [
      (copied, "it is not an info file; import takes ADAPTER/DEVICE/info"),
      (bare, "do not show whose bond it is"),
      (parent(of: bare), "do not show whose bond it is"), (half, "do not show whose bond it is"),
      (parent(of: half), "do not show whose bond it is"),
      ("\(folder.path)/nothing", "it contains no bonds"),
      ("\(folder.path)/nowhere", "there is no such file or folder"),
    ] {
      let refused = tooth("import", path, "--state", state)
      #expect(
        refused.code == 2 && refused.errors.contains(words) && refused.errors.contains(path),
        "\(refused)")
    }
    // a file in place of a folder that has to be created
    _ = try make("bluetooth/\(Self.own)/\(Self.device)/info", Self.secure)
    #expect(tooth("import", "\(folder.path)/bluetooth", "--state", state).code == 0)
    for form in [[], ["--bluez"]] {
      for (path, words) in [
        (copied, "\(copied) is not a folder:"),
        ("\(copied)/deeper", "\(copied) is not a folder; \(copied)/deeper"),
      ] {
        let refused = Tooth.start(
          ["bonds", "export", path, "--state", state] + form, directory: folder.path
        ).wait()
        #expect(refused.code == 2 && refused.errors.contains(words), "\(refused)")
      }
    }
    #expect(String(decoding: try readFile(copied, limit: 9999), as: UTF8.self) == Self.secure)
  }

  @Test func aFolderOfAnotherToothIsCopied() throws {
    _ = try make("bluetooth/\(Self.own)/\(Self.device)/info", Self.secure)
    #expect(tooth("import", "\(folder.path)/bluetooth/\(Self.own)", "--state", "\(folder.path)/a").code == 0)
    #expect(tooth("export", "\(folder.path)/b", "--state", "\(folder.path)/a").code == 0)
    let taken = tooth("import", "\(folder.path)/b", "--state", "\(folder.path)/c")
    #expect(taken.code == 0, "\(taken)")
    for name in Files.names(in: "\(folder.path)/a/bonds") {
      for file in Files.names(in: "\(folder.path)/a/bonds/\(name)") {
        #expect(
          try readFile("\(folder.path)/a/bonds/\(name)/\(file)", limit: 9999)
            == readFile("\(folder.path)/c/bonds/\(name)/\(file)", limit: 9999))
      }
    }
  }

  /// Links, files that other users could have written, and things that are not files.
  @Test func refusesFilesThatOtherUsersCanWrite() throws {
    let state = "\(folder.path)/state"
    let open = try make("1/\(Self.own)/\(Self.device)/info", Self.secure, mode: 0o666)
    #expect(tooth("import", open, "--state", state).errors.contains("other users can write it"))
    let target = try make("target", Self.secure)
    try Files.makeFolders("\(folder.path)/2/\(Self.own)/\(Self.device)")
    #expect(symlink(target, "\(folder.path)/2/\(Self.own)/\(Self.device)/info") == 0)
    #expect(tooth("import", "\(folder.path)/2", "--state", state).code == 2)
    try Files.makeFolders("\(folder.path)/3/\(Self.own)/\(Self.device)")
    #expect(mkfifo("\(folder.path)/3/\(Self.own)/\(Self.device)/info", 0o600) == 0)
    #expect(tooth("import", "\(folder.path)/3", "--state", state).code == 2)
    let large = try make("4/\(Self.own)/\(Self.device)/info", Self.secure + String(repeating: "#\n", count: 40000))
    #expect(tooth("import", large, "--state", state).code == 2)
    for path in ["nowhere", folder.path, target, "4/\(Self.own)"] where path != "4/\(Self.own)" {
      #expect(tooth("import", path, "--state", state).code == 2, "\(path)")
    }
    #expect(tooth("import").code == 2 && tooth("import", "a", "--bluez").code == 2 && tooth("export").code == 2)
    #expect(!Files.isFolder("\(state)/bonds"))
    // a link in place of a file that has to be written
    let right = try make("5/\(Self.own)/\(Self.device)/info", Self.secure)
    #expect(tooth("import", right, "--state", state).code == 0)
    let out = "\(folder.path)/out/\(Self.own)/\(Self.device)"
    try Files.makeFolders(out)
    #expect(symlink("\(folder.path)/victim", "\(out)/info") == 0)
    let given = tooth("export", "\(folder.path)/out", "--bluez", "--replace", "--state", state)
    #expect(given.code == 2 && Files.kind(of: "\(folder.path)/victim") == nil, "\(given)")
  }

  /// Root copies bonds into the folder of a service; they belong to the service's user.
  @Test(.enabled(if: geteuid() == 0)) func bondsThatRootImportsBelongToTheFolderOwner() throws {
    let info = try make("5/\(Self.own)/\(Self.device)/info", Self.secure)
    let state = "\(folder.path)/service"
    try Files.makeFolders(state)
    #expect(chmod(folder.path, 0o755) == 0 && chown(state, 65534, 65534) == 0)
    let taken = tooth("import", info, "--state", state)
    #expect(taken.code == 0, "\(taken)")
    for path in [
      "\(state)/bonds", "\(state)/bonds/\(BondFolder.name(Address(bits: 0x1BDC_0733_88, kind: .public)))/local",
    ] {
      var status = Glibc.stat()
      #expect(lstat(path, &status) == 0 && status.st_uid == 65534, "\(path)")
    }
    let list = tooth("--state", state)
    #expect(list.code == 0 && list.output.contains(Self.device), "\(list)")
  }
}
