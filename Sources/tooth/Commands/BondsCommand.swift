import Exchange
import Journal
import KeeperProcess
import Runner
import Linux
import Session
import Vocabulary

/// `tooth bonds [DEVICE]`: lists, imports and exports the bonds of this machine's adapters. Keys
/// are never printed.
enum BondsCommand {
  static func run(_ line: [String], _ command: Command) throws(UsageError) -> Int32 {
    let arguments = try Arguments(line, of: command, inputs: [])
    let console = Console(style: arguments.style())
    if let word = arguments.words.first, command.verbs.contains(word) { return try transfer(word, arguments, command, console) }
    guard arguments.words.count < 2 else { throw UsageError("tooth bonds takes one device", hint: HelpText.usage(command)) }
    var (bonds, remarks) = try bonds(arguments)
    for remark in remarks { console.note("warning: \(remark)") }
    let isWhole = report(unreadable: [try state(arguments)], console)
    let code = isWhole ? 0 : Failure.Kind.file.exitCode
    if let word = arguments.words.first {
      guard let address = Self.address(word, arguments) else {
        throw UsageError("\(word) is neither an address nor an alias of one", hint: "tooth bonds lists the addresses")
      }
      bonds = bonds.filter { AddressValue($0.identity).isSame(as: address) }
      guard !bonds.isEmpty else {
        guard isWhole else { return code }
        console.complain("there is no bond with \(address.withKind)", hint: "tooth pair \(address.withKind)")
        return 2
      }
    }
    list(bonds, console)
    if bonds.isEmpty, remarks.isEmpty, isWhole { console.note(try nothing(arguments)) }
    return code
  }

  /// Reports the folders of bonds that cannot be read. Returns whether there are none.
  static func report(unreadable states: [String], _ console: Console) -> Bool {
    let reasons = states.flatMap { state in Files.asOwner(of: state) { BondFolder(state: state).unreadable } }
    for (reason, cure) in reasons { console.complain("bonds cannot be read: \(reason)", hint: cure) }
    return reasons.isEmpty
  }

  /// Says why the list may be empty. A keeper does not store bonds in the folder of --state.
  private static func nothing(_ arguments: Arguments) throws(UsageError) -> String {
    let own = try state(arguments)
    if let usual = try? StateDirectory.choose(option: nil, environment: environment).path, usual != own,
      !BondFolder(state: usual).all().bonds.isEmpty
    {
      return
        "no device is paired here; keepers that you start store bonds in \(usual): tooth bonds --state \(ShellText.word(usual))"
    }
    return "no device is paired; bonds with simulated devices end with their process"
  }

  // MARK: Import and export

  private static func transfer(_ verb: String, _ arguments: Arguments, _ command: Command, _ console: Console) throws(UsageError)
    -> Int32
  {
    guard arguments.words.count == 2 else {
      throw UsageError("tooth bonds \(verb) needs one path", hint: HelpText.usage(command))
    }
    let path = absolute(arguments.words[1], in: workingDirectory())
    let state = try state(arguments)
    let replaces = arguments.has("replace")
    var transfer: BondTransfer
    if verb == "import" {
      transfer = BondTransfer(reading: path, at: SystemClock.now().wall)
      let folder = BondFolder(state: state)
      transfer = Files.asOwner(of: state) { [transfer] in
        var transfer = transfer
        transfer.keep(in: folder, replacing: replaces)
        return transfer
      }
    } else {
      transfer = Files.asOwner(of: state) { BondTransfer(state: state) }
      transfer.write(to: path, as: arguments.has("bluez") ? .bluez : .tooth, replacing: replaces)
    }
    for remark in transfer.remarks { console.note("note: \(remark)") }
    list(transfer.done, console)
    // One device that cannot be imported does not make the whole import a failure.
    let isDone = verb == "import" && !transfer.isOfOneDevice && (!transfer.done.isEmpty || transfer.known > 0)
    for refusal in transfer.refusals {
      if isDone { console.warn("skipped \(refusal)") } else { console.complain(refusal) }
    }
    if !transfer.done.isEmpty {
      console.note(
        verb == "import"
          ? "a running keeper uses them from its next connection on"
          : arguments.has("bluez")
            ? "bluetoothd reads them the next time it starts"
            : "these are keys: anyone who has them can pose as this machine or the device"
      )
    }
    return transfer.refusals.isEmpty || isDone ? 0 : 2
  }

  private static func state(_ arguments: Arguments) throws(UsageError) -> String {
    do throws(JournalFailure) {
      return try StateDirectory.choose(option: arguments.value("state"), environment: environment).path
    } catch { throw UsageError(error.message, hint: error.hint) }
  }

  /// The address of a command-line word; `nil` if it is neither an address nor an alias.
  static func address(_ word: String, _ arguments: Arguments) -> AddressValue? {
    AddressValue(AliasBook(arguments, among: [word]).all.first { $0.name == word }?.device ?? word)
  }

  /// A bond file: of which device and adapter, and in which state folder.
  struct BondFile: Equatable {
    var identity: Address
    var own: Address
    var folder: String
  }

  /// The folders of the bonds that a one-shot command may use: the state folder and, with a keeper,
  /// the usual one, because keepers do not store bonds in the folder of --state.
  static func folders(_ arguments: Arguments) throws(UsageError) -> [String] {
    let own = try state(arguments)
    guard !arguments.has("direct"), arguments.has("keeper") || !KeptAdapters.running().isEmpty,
      let usual = try? StateDirectory.choose(option: nil, environment: environment).path, usual != own
    else { return [own] }
    return [own, usual]
  }

  /// The bond files in these folders, including unreadable ones.
  static func files(in folders: [String]) -> [BondFile] {
    folders.flatMap { folder in
      Files.asOwner(of: folder) { BondFolder(state: folder).files() }
        .map { BondFile(identity: $0.identity, own: $0.own, folder: folder) }
    }
  }

  /// The bonds in the state folder.
  static func bonds(_ arguments: Arguments) throws(UsageError) -> (bonds: [BondSummary], remarks: [String]) {
    let path = try state(arguments)
    return Files.asOwner(of: path) { BondFolder(state: path).all() }
  }

  private static func list(_ bonds: [BondSummary], _ console: Console) {
    if console.style.format == .csv, !bonds.isEmpty { console.print("device,adapter,made,pairing,authenticated,key\n") }
    let zone = LocalTime.rules()
    for bond in bonds {
      let kind = bond.isSecureConnections ? "secure connections" : "legacy"
      let made = zone.civil(bond.madeAt).description
      switch console.style.format {
      case .text:
        let proof = bond.isAuthenticated ? "authenticated" : "not authenticated"
        let key = bond.keySize < 16 ? ", key of \(bond.keySize) octets" : ""
        let cells = [bond.identity.withKind, "made \(made)", "\(kind), \(proof)\(key)", "adapter \(bond.own)"]
        for line in TextTable.stacked(cells, columns: console.columns) { console.print(line + "\n") }
      case .csv:
        console.print("\(bond.identity.withKind),\(bond.own),\(made),\(kind),\(bond.isAuthenticated),\(bond.keySize)\n")
      case .json:
        var object = JSONObject()
        object.set("device", bond.identity.withKind)
        object.set("adapter", bond.own.withKind)
        object.set("made", made)
        object.set("pairing", kind)
        object.set("authenticated", bond.isAuthenticated)
        object.set("key_size", Int(bond.keySize))
        console.print(object.text + "\n")
      }
    }
  }
}
