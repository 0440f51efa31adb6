import Exchange
import Glibc
import Linux
import Testing
import Vocabulary

/// `--oob`: the data on a device's tag, read from files and digits.
@Suite struct OutOfBandTests {
  private static let key = "11 10 00112233445566778899aabbccddeeff"
  private static let secure = "11 22 000102030405060708090a0b0c0d0e0f 11 23 f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"
  private static let address = "08 1b c1cf2d7013c7 01"

  private func read(_ digits: String) -> OutOfBandData? { try? OutOfBandData(structures: Hex.bytes(digits) ?? []) }

  private func fault(_ digits: String) -> String {
    do throws(OutOfBandData.Fault) { return "\(try OutOfBandData(structures: Hex.bytes(digits) ?? []))" } catch {
      return error.description
    }
  }

  @Test func theStructuresOfATagAreRead() {
    let first = (0..<16).map { UInt8($0) }
    let all = read(Self.address + Self.secure + "02 1c 01 05 09 4c616d70" + Self.key)
    #expect(all?.address == Address(bits: 0xC713_702D_CFC1, kind: .random))
    #expect(all?.secure?.confirmation == first && all?.secure?.random == first.map { 0xF0 + $0 })
    #expect(all?.temporaryKey?.first == 0 && all?.temporaryKey?.last == 0xFF)
    #expect(read(Self.key)?.isLegacyOnly == true && read(Self.secure)?.temporaryKey == nil)
    // trailing zeros are padding
    #expect(read(Self.key + "00 00 00") == read(Self.key))
  }

  /// Each error says what is wrong and contains nothing of the data.
  @Test(arguments: [
    ("", "nothing to pair with"), ("02 1c 01", "nothing to pair with"), ("11 22 00", "17, and 2 octets follow"),
    ("10 10 00112233445566778899aabbccddee", "has 15 octets instead of 16"),
    ("11 22 000102030405060708090a0b0c0d0e0f", "no random value"), ("11 23 000102030405060708090a0b0c0d0e0f", "no confirmation"),
    (key + key, "appears twice"), ("08 1b c1cf2d7013c7 02" + key, "type 2"), ("02 1c 04" + key, "role is 4"), ("ff", "255, and 0"),
  ]) func malformedDataAreRefused(digits: String, why: String) {
    #expect(fault(digits).contains(why), "\(fault(digits))")
  }

  /// Any bytes are read or refused, including each prefix of valid data.
  @Test func everyBeginningIsReadOrRefused() {
    let whole = Hex.bytes(Self.address + Self.secure + Self.key) ?? []
    for count in 0...whole.count {
      let part = try? OutOfBandData(structures: Array(whole.prefix(count)))
      #expect(part == nil || [42, 43, 61].contains(where: { $0 <= count }), "\(count)")
    }
    var random = SplitMix(seed: 5)
    for _ in 0..<2000 {
      _ = try? OutOfBandData(structures: (0..<Int(random.next() % 64)).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    }
  }

  @Test func aPrivateAddressMatchesAnyDevice() {
    let data = read(Self.address + Self.key)
    #expect(data?.isOf(Address(bits: 0xC713_702D_CFC1, kind: .random)) == true)
    #expect(data?.isOf(Address(bits: 0xC713_702D_CFC2, kind: .random)) == false)
    #expect(data?.isOf(Address(bits: 0x4013_702D_CFC2, kind: .random)) == true)
    #expect(read(Self.key)?.isOf(Address(bits: 1, kind: .public)) == true)
  }

  /// Written data reads back the same.
  @Test func givenDataReadBackEqual() {
    for digits in [Self.address + Self.secure, Self.secure, Self.address + Self.key + Self.secure] {
      let data = read(digits)
      #expect(data != nil && data.flatMap { try? OutOfBandData(structures: $0.structures) } == data)
    }
    #expect(read(Self.address + Self.secure)?.structures == Hex.bytes(Self.address + Self.secure))
  }

  /// Two programs: one serves and writes its data to a file, the other reads it. One pairing uses
  /// the data up, and no other user can read it.
  @Test(arguments: [true, false]) func twoProgramsPairWithWrittenData(isServerKnown: Bool) throws {
    let folder = Folder()
    folder.file(
      "lock.ble",
      """
      peripheral lock named "Lock"
        advertise 0xFFF0 every 100ms
        service 0xFFF0
          characteristic 0xFFF1 can read needs authentication starts as "secret light"
        end
      end
      serve lock
      wait 1h

      """)
    let lamp = folder.file("lamp.ble", "peripheral lamp named \"Lamp\"\n  advertise 0xFFF2 every 1s\nend\n")
    let air = Tooth.start(["air", lamp, "--listen", "unix:\(folder.path)/s"])
    try #require(air.readErrors { _ in access("\(folder.path)/s", F_OK) == 0 }, "\(air.complaint)")
    defer { air.signal(SIGTERM) }
    func start(_ name: String, _ words: [String]) -> Tooth.Process {
      Tooth.start(
        words + ["--adapter", "unix:\(folder.path)/s", "--direct", "--state", "\(folder.path)/\(name)"], directory: folder.path)
    }
    let file = "\(folder.path)/data"
    func isWritten() -> Bool { ((try? readFile(file, limit: 4096)) ?? []).count == 45 }
    // the offering program starts first
    let giver = start(
      "giver",
      isServerKnown
        ? ["run", "lock.ble", "--give-oob", file, "-v"] : ["run", folder.file("c.ble", Self.central), "--give-oob", file])
    try #require(giver.readErrors { _ in isWritten() }, "\(giver.complaint)")
    var status = stat()
    #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
    let data = try #require(try? OutOfBandData(structures: try readFile(file, limit: 4096)))
    #expect(data.address != nil && data.secure != nil)
    if isServerKnown {
      let pair = start("taker", ["run", folder.file("c.ble", Self.central), "--oob", file]).wait()
      #expect(pair.code == 0 && pair.output.contains("secret light"), "\(pair) \(giver.complaint)")
      let again = start("other", ["run", folder.file("c.ble", Self.central), "--oob", file]).wait()
      #expect(again.code == 7, "\(again)")
      giver.signal(SIGTERM)
    } else {
      let server = start("taker", ["run", "lock.ble", "--oob", file])
      let end = giver.wait()
      #expect(end.code == 0 && end.output.contains("secret light"), "\(end) \(server.complaint)")
      server.signal(SIGTERM)
    }
  }

  private static let central = """
    use pairing automatic
    scan for "Lock" within 60s
    connect
    read 0xFFF1 as value
    print value.text()

    """

  @Test func aFileThatCannotBeWrittenIsRefused() {
    let folder = Folder()
    let lamp = folder.file("lamp.ble", "peripheral lamp named \"Lamp\"\n  advertise 0xFFF2 every 1s\nend\n")
    for path in ["\(folder.path)/nowhere/data", folder.path, ""] {
      let refused = Tooth.start(["pair", "Lock", "--adapter", "sim:\(lamp)", "--give-oob", path], directory: folder.path).wait()
      #expect(refused.code == 2 && refused.errors.contains("--give-oob"), "\(refused)")
    }
  }

  /// A device that neither shows nor takes a passkey, and has no tag.
  private static let lock = """
    peripheral lock named "Lock"
      advertise 0xFFF0 every 100ms
      service 0xFFF0
        characteristic 0xFFF1 can read needs authentication starts as "secret light"
      end
    end

    """

  /// The program takes a file of bytes, a file of digits, and digits. A user who gives them asks
  /// for a proof, and does not pair without one.
  @Test func acceptsDataAsFileOrDigits() throws {
    let folder = Folder()
    let recipe = folder.file("lock.ble", Self.lock)
    try saveFile("\(folder.path)/tag", Hex.bytes(Self.key) ?? [])
    let digits = folder.file("digits", "11 10 00112233 44556677\n8899aabb ccddeeff\n")
    func pair(_ oob: String...) -> Tooth.Result {
      Tooth.start(
        ["pair", "Lock", "--adapter", "sim:\(recipe)", "--clock", "virtual", "--time-limit", "2min"]
          + oob.flatMap { ["--oob", $0] }, directory: folder.path
      ).wait()
    }
    // the lock of the simulated air has no data of its own, so nothing is proven and nothing is
    // paired
    for given in ["\(folder.path)/tag", digits, Self.key] {
      let refused = pair(given)
      #expect(refused.code == 7 && refused.errors.contains("cannot prove who it is"), "\(given): \(refused)")
    }
    for given in ["", "nowhere", "11 22 00", folder.file("words", "secret words\n"), folder.file("empty", "")] {
      let refused = pair(given)
      #expect(
        refused.code == 2 && !refused.errors.contains("secret words") && refused.errors.contains("--oob"), "\(given): \(refused)")
    }
    // a pipe without a writer is not waited for, and oversized input is not read
    #expect(mkfifo("\(folder.path)/pipe", 0o600) == 0)
    try saveFile("\(folder.path)/large", [UInt8](repeating: 0x41, count: 20_000))
    for (given, why) in [
      ("\(folder.path)/pipe", "not an ordinary file"), ("/dev/tty", "--oob"), ("/dev/zero", "not an ordinary file"),
      (folder.path, "directory"), ("\(folder.path)/large", "16 KiB"),
    ] {
      let refused = pair(given)
      #expect(refused.code == 2 && refused.errors.contains(why), "\(given): \(refused)")
    }
    let other = pair("08 1b c1cf2d7013c7 01" + Self.key)
    #expect(other.code == 7 && other.errors.contains("belong to C7:13:70:2D:CF:C1"), "\(other)")
  }

  /// A device that neither shows nor takes a passkey is paired without the option, and the hint
  /// says so.
  @Test func aPasskeyForADeviceWithoutOneIsExplained() {
    let folder = Folder()
    let recipe = folder.file("lock.ble", Self.lock)
    let result = Tooth.start(
      ["pair", "Lock", "--passkey", "111111", "--adapter", "sim:\(recipe)", "--clock", "virtual", "--time-limit", "2min"],
      directory: folder.path
    ).wait()
    #expect(result.code == 7 && result.errors.contains("--confirm yes without --passkey"), "\(result)")
  }
}
