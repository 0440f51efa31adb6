import Exchange
import Foundation
import Glibc
import Host
import Linux
import Testing
import Vocabulary
@testable import KeeperProcess

/// `tooth pair`, `bonds` and `forget` with bonds on disk, against a device in another process.
@Suite struct PairCommandTests {
  private let folder = Folder()
  private static let lamp = """
    peripheral lamp named "Lamp"
      advertise 0xFFF0 every 100ms
      service 0xFFF0
        characteristic 0xFFF1 can read needs encryption starts as "secret light"
      end
    end

    """

  private func air() throws -> Tooth.Process {
    let air = Tooth.start(["air", folder.file("air.ble", Self.lamp), "--listen", "unix:\(folder.path)/s"])
    try #require(air.readErrors { _ in access("\(folder.path)/s", F_OK) == 0 }, "\(air.complaint)")
    return air
  }

  private func tooth(_ words: String...) -> Tooth.Result {
    let own = words[0] == "bonds" ? [] : ["--adapter", "unix:\(folder.path)/s", "--direct"]
    return Tooth.start(words + own + ["--state", "\(folder.path)/state"], directory: folder.path).wait()
  }

  private func everyFile(below path: String) -> [String] {
    var files: [String] = []
    for name in Files.names(in: path) {
      let one = "\(path)/\(name)"
      if Files.isFolder(one) { files += everyFile(below: one) } else { files.append(one) }
    }
    return files
  }

  private func isOrdinary(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  private func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
    guard bytes.count >= part.count else { return false }
    return (0...(bytes.count - part.count)).contains { Array(bytes[$0..<($0 + part.count)]) == part }
  }

  /// The keys of the bond are in its file and nowhere else: not in the checkpoint, the capture, the
  /// most detailed log, or the output.
  @Test func theKeysAreInTheFileOfTheBondAndNowhereElse() throws {
    let air = try air()
    let recipe = folder.file(
      "r.ble",
      "scan for \"Lamp\"\nconnect\npair\nread 0xFFF1 as value\nremember seen = 0\nset seen to 1\nprint value.text()\nwait 1s\n")
    let run = tooth("run", recipe, "--capture", "\(folder.path)/c.btsnoop", "-vv", "--output", "json", "--events")
    #expect(run.code == 0 && run.output.contains("secret light"), "\(run)")
    let shown = tooth("bonds")
    #expect(shown.code == 0 && shown.output.contains("secure connections"), "\(shown)")
    let store = BondFolder(state: "\(folder.path)/state")
    var entropy = Entropy.system
    let own = try #require(store.all().bonds.first).own
    guard case .bonds(let identity, let bonds, _, _, _, _) = store.load(own, &entropy), let bond = bonds.first,
      case .secureConnections(let key) = bond.keys, let peers = bond.identityKey
    else {
      Issue.record("there is no bond")
      return
    }
    #expect(bonds.count == 1 && !bond.isProvisional)
    let secrets = [key, peers, identity.key]
    var holders: [String] = []
    let texts = [run.output, run.errors, shown.output, shown.errors, air.complaint, air.text]
    for secret in secrets {
      for form in [secret, secret.reversed()] {
        for file in everyFile(below: folder.path) where isOrdinary(file) {
          if contains(try readFile(file, limit: 1 << 26), form) { holders.append(file) }
        }
        let digits = Hex.text(form)
        for text in texts {
          let bare = text.filter { $0 != " " && $0 != ":" }.lowercased()
          #expect(!bare.contains(digits.filter { $0 != " " }.lowercased()))
        }
      }
    }
    let place = "\(folder.path)/state/bonds/\(BondFolder.name(own))"
    #expect(Set(holders) == ["\(place)/\(BondFolder.name(bond.identity))", "\(place)/local"], "\(holders)")
    air.signal(SIGTERM)
  }

  @Test func aBondIsMadeListedUsedAndRemoved() throws {
    let air = try air()
    let first = tooth("pair", "Lamp")
    #expect(first.code == 0 && first.output.hasPrefix("address=") && first.output.hasSuffix(" bonded=true\n"), "\(first)")
    let list = tooth("bonds", "--output", "json")
    #expect(list.code == 0 && list.output.contains("\"authenticated\":false"), "\(list)")
    // the bond encrypts the link of any command
    let read = tooth("read", "Lamp", "0xFFF1", "--bytes")
    #expect(read.code == 0, "\(read)")
    // successive hosts have the same address, and so the same bonds
    for _ in 0..<4 {
      let again = tooth("read", "Lamp", "0xFFF1", "--bytes")
      #expect(again.code == 0, "\(again)")
    }
    let gone = tooth("forget", "Lamp")
    #expect(gone.code == 0, "\(gone)")
    #expect(tooth("bonds").output.isEmpty)
    let refused = tooth("read", "Lamp", "0xFFF1")
    #expect(refused.code == 7 && refused.errors.contains("T306"), "\(refused)")
    #expect(tooth("pair", "Lamp").code == 0)
    #expect(tooth("forget", "--all").code == 0 && tooth("bonds").output.isEmpty)
    #expect(tooth("bonds", "01:02:03:04:05:06").code == 2)
    #expect(tooth("pair", "La*").code == 2)
    air.signal(SIGTERM)
  }

  @Test func aPairingIsARecordInEveryFormat() throws {
    let path = folder.file("air.ble", Self.lamp)
    func pair(_ format: String) throws -> String {
      let result = Tooth.start(
        ["pair", "Lamp", "--adapter", "sim:\(path)", "--clock", "virtual", "--time-limit", "1min", "--output", format]
      ).wait()
      try #require(result.code == 0, "\(result)")
      return result.output
    }
    let line = try #require(try JSONSerialization.jsonObject(with: Data(try pair("json").utf8)) as? [String: Any])
    #expect(line.keys.sorted() == ["device", "line", "time", "value"])
    let value = try #require(line["value"] as? [String: Any])
    #expect(value.keys.sorted() == ["address", "bonded"] && value["bonded"] as? Bool == true, "\(value)")
    #expect((value["address"] as? String)?.utf8.count == 17, "\(value)")
    #expect(try pair("csv").hasPrefix("address,bonded\n"))
  }

  /// A keeper stores bonds for all its clients, and `bonds` says where.
  @Test func bondsSaysWhereAKeeperHasStoredThem() throws {
    let air = try air()
    defer { air.signal(SIGTERM) }
    try #require(mkdir("\(folder.path)/k", 0o700) == 0)
    let environment = ["TOOTH_KEEPER_DIRECTORY": "\(folder.path)/k", "XDG_STATE_HOME": "\(folder.path)/usual"]
    func tooth(_ words: String...) -> Tooth.Result {
      let own = words[0] == "bonds" ? [] : ["--adapter", "unix:\(folder.path)/s", "--keeper", "--keep", "1s"]
      return Tooth.start(words + own, environment: environment, directory: folder.path).wait()
    }
    #expect(tooth("pair", "Lamp", "--state", "own").code == 0)
    let bonds = tooth("bonds", "--state", "own")
    let usual = "\(folder.path)/usual/tooth"
    #expect(bonds.output.isEmpty && bonds.errors.contains("store bonds in \(usual): tooth bonds --state \(usual)\n"), "\(bonds)")
    #expect(tooth("bonds", "--state", usual).output.split(separator: "\n").count >= 1)
    let gone = tooth("forget", "Lamp")
    #expect(gone.code == 0 && gone.output.hasPrefix("address=") && gone.output.hasSuffix(" bonded=false\n"), "\(gone)")
    #expect(tooth("bonds").output.isEmpty)
    // Also --all removes the bonds of the keeper, whatever --state the client has.
    #expect(tooth("pair", "Lamp", "--state", "own").code == 0)
    let all = tooth("forget", "--all", "--state", "own")
    #expect(all.code == 0 && all.output.hasPrefix("address=") && all.output.hasSuffix(" bonded=false\n"), "\(all)")
    #expect(tooth("bonds").output.isEmpty)
  }

  /// Confirmation and random value of Secure Connections, as a tag holds them.
  private static let inventedData = "11 22 \(String(repeating: "5a", count: 16)) 11 23 \(String(repeating: "6b", count: 16))"

  /// Consent is not used if there is a bond, and the command says so.
  @Test func aCodeThatIsNotUsedIsReported() throws {
    let air = try air()
    defer { air.signal(SIGTERM) }
    let first = tooth("pair", "Lamp", "--confirm", "yes")
    #expect(first.code == 0 && !first.errors.contains("not the code"), "\(first)")
    let address = first.output.split(separator: " ").first.map { String($0.dropFirst("address=".count)) } ?? ""
    let second = tooth("pair", address, "--confirm", "yes")
    #expect(second.code == 0 && second.errors.contains("its bond was used, and not the code"), "\(second)")
    let named = tooth("pair", "Lamp", "--confirm", "yes")
    #expect(named.code == 0 && named.errors.contains("its bond was used, and not the code"), "\(named)")
    #expect(!tooth("pair", address).errors.contains("not the code"))
    // A code is meant to prove who it is, which a bond without one cannot do.
    for option in [["--confirm", "123456"], ["--passkey", "111111"], ["--oob", Self.inventedData]] {
      for device in [address, "Lamp"] {
        let proof = tooth("pair", device, option[0], option[1])
        #expect(proof.code == 7, "\(option): \(proof)")
        #expect(!proof.output.contains("bonded=true"), "\(option): \(proof)")
      }
    }
    #expect(tooth("pair", address).code == 0, "the bond is still there")
  }

  /// A device that still has an authenticated bond refuses a weaker one.
  @Test func aRefusalOfAWeakerBondNamesTheOptions() throws {
    folder.file("lock.ble", Self.lock)
    let air = Tooth.start(["air", "\(folder.path)/lock.ble", "--listen", "unix:\(folder.path)/s"])
    defer { air.signal(SIGTERM) }
    try #require(air.readErrors { _ in access("\(folder.path)/s", F_OK) == 0 }, "\(air.complaint)")
    #expect(tooth("pair", "Lock", "--passkey", "042137").code == 0)
    #expect(tooth("forget", "Lock").code == 0)
    let refused = tooth("pair", "Lock")
    #expect(refused.code == 7 && refused.errors.contains("--passkey"), "\(refused)")
    #expect(!refused.errors.contains("on passkey") && !refused.errors.contains("tooth info"), "\(refused)")
    #expect(tooth("pair", "Lock", "--passkey", "042137").code == 0)
  }

  /// A bond that cannot be read can be removed.
  @Test func aDamagedBondIsForgottenWithAll() throws {
    let air = try air()
    #expect(tooth("pair", "Lamp").code == 0)
    let root = "\(folder.path)/state/bonds"
    let own = try #require(Files.names(in: root).first)
    let bond = try #require(BondFolder(state: "\(folder.path)/state").all().bonds.first)
    let file = "\(root)/\(own)/\(BondFolder.name(bond.identity))"
    try saveFile(file, [1, 2, 3], mode: 0o600)
    #expect(tooth("forget", "--all").code == 0 && Files.kind(of: file) == nil)
    air.signal(SIGTERM)
  }

  /// Every command that needs the bonds of this adapter fails the same way and says what to do.
  @Test func aDamagedIdentityIsReported() throws {
    let air = try air()
    #expect(tooth("pair", "Lamp").code == 0)
    let root = "\(folder.path)/state/bonds"
    let local = "\(root)/\(try #require(Files.names(in: root).first))/local"
    try saveFile(local, [1, 2, 3], mode: 0o600)
    for words in [["read", "Lamp", "0xFFF1"], ["pair", "Lamp"], ["forget", "Lamp"], ["forget", "--all"]] {
      let failed = Tooth.start(
        words + ["--adapter", "unix:\(folder.path)/s", "--direct", "--state", "\(folder.path)/state"], directory: folder.path
      ).wait()
      #expect(failed.code == 1 && failed.errors.contains("\(local) is damaged"), "\(words): \(failed)")
      #expect(failed.errors.contains("restore"), "\(words): \(failed)")
    }
    air.signal(SIGTERM)
  }

  /// Forgetting a bond of another adapter is refused with an error.
  @Test func aBondOfAnotherAdapterIsNotForgotten() throws {
    let air = try air()
    #expect(tooth("pair", "Lamp").code == 0)
    let root = "\(folder.path)/state/bonds"
    let own = try #require(Files.names(in: root).first)
    let others = "A0-13-70-2D-CF-C1.p"
    #expect(rename("\(root)/\(own)", "\(root)/\(others)") == 0)
    let bond = try #require(BondFolder(state: "\(folder.path)/state").all().bonds.first)
    #expect(bond.own == Address("A0:13:70:2D:CF:C1/public"))
    func isKept() {
      for words in [[bond.identity.withKind], ["--all"]] {
        let kept = Tooth.start(
          ["forget"] + words + ["--adapter", "unix:\(folder.path)/s", "--direct", "--state", "\(folder.path)/state"],
          directory: folder.path
        ).wait()
        #expect(kept.code == 9 && kept.errors.contains("belongs to the adapter A0:13:70:2D:CF:C1"), "\(kept)")
      }
    }
    isKept()
    #expect(tooth("bonds").output.contains("adapter A0:13:70:2D:CF:C1"))
    // Nor is an unreadable one.
    let file = "\(root)/\(others)/\(BondFolder.name(bond.identity))"
    let whole = try readFile(file, limit: 1 << 16)
    try saveFile(file, [1, 2, 3], mode: 0o600)
    isKept()
    try saveFile(file, whole, mode: 0o600)
    // A bond does not contain the device's name.
    let unnamed = tooth("forget", "Lamp")
    #expect(unnamed.code == 0 && unnamed.errors.contains("no bond was removed"), "\(unnamed)")
    // An address may be mistyped.
    let unknown = tooth("forget", "E2:9B:E2:F7:03:99/random")
    #expect(unknown.code == 0 && unknown.errors.contains("there was no bond with E2:9B:E2:F7:03:99"), "\(unknown)")
    air.signal(SIGTERM)
  }

  /// --all says of each bond whether it was removed, and which adapter has those that remain.
  @Test func forgettingAllNamesWhatRemains() throws {
    let air = try air()
    defer { air.signal(SIGTERM) }
    #expect(tooth("pair", "Lamp").code == 0)
    let root = "\(folder.path)/state/bonds"
    let own = try #require(Files.names(in: root).first)
    let others = "A0-13-70-2D-CF-C1.p"
    let bond = try #require(BondFolder(state: "\(folder.path)/state").all().bonds.first)
    let name = BondFolder.name(bond.identity)
    mkdir("\(root)/\(others)", 0o700)
    for file in ["local", name] {
      try saveFile("\(root)/\(others)/\(file)", try readFile("\(root)/\(own)/\(file)", limit: 1 << 16), mode: 0o600)
    }
    let words = ["forget", "--all", "--adapter", "unix:\(folder.path)/s", "--direct", "--state", "\(folder.path)/state"]
    let first = Tooth.start(words, directory: folder.path).wait()
    #expect(first.code == 0 && first.output == "address=\(bond.identity) bonded=false\n", "\(first)")
    #expect(first.errors.contains("removed the bond of the adapter \(bond.own) with \(bond.identity.withKind)"), "\(first)")
    #expect(first.errors.contains("belongs to the adapter A0:13:70:2D:CF:C1, and is still there"), "\(first)")
    #expect(Files.kind(of: "\(root)/\(own)/\(name)") == nil && Files.kind(of: "\(root)/\(others)/\(name)") == .file)
    let second = Tooth.start(words, directory: folder.path).wait()
    #expect(second.code == 9 && second.output.isEmpty && second.errors.contains("give that adapter with --adapter"), "\(second)")
    #expect(!second.errors.contains("removed the bond"), "\(second)")
  }

  /// --all goes on after a bond that cannot be removed, and says which ones remain and why.
  @Test func forgettingAllRemovesWhatItCan() throws {
    let air = try air()
    defer { air.signal(SIGTERM) }
    #expect(tooth("pair", "Lamp").code == 0)
    let root = "\(folder.path)/state/bonds"
    let own = try #require(Files.names(in: root).first)
    let bond = try #require(BondFolder(state: "\(folder.path)/state").all().bonds.first)
    let last = "\(root)/\(own)/\(BondFolder.name(bond.identity))"
    // Directories: unlink fails, also as root.
    let stuck = ["00-00-00-00-00-01.p", "00-00-00-00-00-02.p"]
    for name in stuck { mkdir("\(root)/\(own)/\(name)", 0o700) }
    let all = tooth("forget", "--all")
    #expect(all.code == 1 && all.output.contains("\(bond.identity)") && Files.kind(of: last) == nil, "\(all)")
    for name in stuck {
      let address = name.prefix(17).map { $0 == "-" ? ":" : String($0) }.joined()
      #expect(all.errors.contains("the bond with \(address)"), "\(all)")
      #expect(all.errors.contains("removing \(root)/\(own)/\(name)"), "\(all)")
    }
    #expect(all.errors.contains("make its folder writable"), "\(all)")
  }

  /// A device whose bond belongs to another adapter is reported, and not paired in silence.
  @Test func aBondOfAnotherAdapterIsNotReplaced() throws {
    let air = try air()
    defer { air.signal(SIGTERM) }
    #expect(tooth("pair", "Lamp").code == 0)
    let root = "\(folder.path)/state/bonds"
    #expect(rename("\(root)/\(try #require(Files.names(in: root).first))", "\(root)/A0-13-70-2D-CF-C1.p") == 0)
    let recipe = folder.file("r.ble", "use pairing automatic\nscan for \"Lamp\"\nconnect\nread 0xFFF1 as value\nprint value\n")
    for words in [["read", "Lamp", "0xFFF1"], ["run", recipe]] {
      let refused = Tooth.start(
        words + ["--adapter", "unix:\(folder.path)/s", "--direct", "--state", "\(folder.path)/state"], directory: folder.path
      ).wait()
      #expect(refused.code == 9 && refused.errors.contains("belongs to the adapter A0:13:70:2D:CF:C1"), "\(words): \(refused)")
      #expect(refused.errors.contains("tooth pair") && !refused.errors.contains("T306"), "\(words): \(refused)")
    }
    #expect(BondFolder(state: "\(folder.path)/state").all().bonds.count == 1)
    #expect(tooth("pair", "Lamp").code == 0)
    #expect(BondFolder(state: "\(folder.path)/state").all().bonds.count == 2)
    #expect(tooth("read", "Lamp", "0xFFF1").code == 0)
  }

  private static let lock = """
    peripheral lock named "Lock"
      passkey "042137"
      advertise 0xFFF0 every 100ms
      service 0xFFF0
        characteristic 0xFFF1 can read needs authentication starts as "secret light"
      end
    end

    """

  /// The device shows digits to compare.
  static let panel = """
    peripheral panel named "Panel"
      advertise 0xFFF1 every 100ms
      service 0xFFF1
        characteristic 0xFFF2 can read needs authentication starts as "panel"
      end
      on passkey confirm: answer true
    end
    """

  /// Without a terminal, options answer.
  @Test func codesAreGivenByOptions() throws {
    let file = folder.file("lock.ble", Self.lock + Self.panel + "\n")
    func pair(_ device: String, _ options: String...) -> Tooth.Result {
      Tooth.start(
        ["pair", device, "--adapter", "sim:\(file)", "--clock", "virtual", "--time-limit", "2min"] + options, directory: folder.path
      ).wait()
    }
    let right = pair("Lock", "--passkey", "042137")
    #expect(right.code == 0 && right.output.contains("bonded=true"), "\(right)")
    let read = pair("Lock", "--passkey", "@\(folder.file("code", "042137\n"))")
    #expect(read.code == 0 && read.output.contains("bonded=true"), "\(read)")
    let wrong = pair("Lock", "--passkey", "042138")
    #expect(wrong.code == 7 && wrong.errors.contains("the passkey was wrong"), "\(wrong)")
    for given in ["4213", "1000000", "", "abcdef", "@\(folder.file("none", "secret words\n"))", "@nowhere"] {
      let refused = pair("Lock", "--passkey", given)
      #expect(refused.code == 2 && !refused.errors.contains("secret words"), "\(given): \(refused)")
    }
    #expect(pair("Panel", "--confirm", "yes").code == 0)
    let other = pair("Panel", "--confirm", "111111")
    #expect(other.code == 7 && other.errors.contains("differ"), "\(other)")
    #expect(pair("Panel", "--confirm", "no").code == 2)
    for size in ["6", "17", "", "-1", "sixteen"] {
      let refused = pair("Panel", "--min-key-size", size)
      #expect(refused.code == 2 && refused.errors.contains("min-key-size"), "\(size): \(refused)")
    }
    let shorter = pair("Panel", "--min-key-size", "7")
    #expect(shorter.code == 0 && shorter.output.contains("bonded=true"), "\(shorter)")
    // a user with neither terminal nor option proves nothing and is not asked
    let unproven = pair("Panel")
    #expect(unproven.code == 0 && !unproven.errors.contains("[y/N]"), "\(unproven)")
  }
}
