import Journal
import KeeperProcess
import Runner
import Linux
import Session
import Vocabulary

/// `tooth bonds [DEVICE]`: what is kept of the devices that adapters of this machine are paired
/// with. Keys are never shown.
enum BondsCommand {
  static func run(_ line: [String], _ command: Command) throws(UsageError) -> Int32 {
    let arguments = try Arguments(line, of: command, inputs: [])
    let console = Console(style: arguments.style())
    guard arguments.words.count < 2 else { throw UsageError("tooth bonds takes one device", hint: HelpText.usage(command)) }
    var (bonds, remarks) = try bonds(arguments)
    for remark in remarks { console.note("warning: \(remark)") }
    if let word = arguments.words.first {
      let known = AliasBook(arguments, among: [word]).all.first { $0.name == word }?.device ?? word
      guard let address = AddressValue(known) else {
        throw UsageError("\(word) is no address and no alias of one", hint: "tooth bonds lists the addresses")
      }
      bonds = bonds.filter { AddressValue($0.identity).isSame(as: address) }
      guard !bonds.isEmpty else {
        console.complain("there is no bond with \(address.withKind)", hint: "tooth pair \(address.withKind)")
        return 2
      }
    }
    list(bonds, console)
    if bonds.isEmpty, remarks.isEmpty { console.note("no device is paired; bonds with simulated devices end with their process") }
    return 0
  }

  /// Those of the state folder.
  static func bonds(_ arguments: Arguments) throws(UsageError) -> (bonds: [BondSummary], remarks: [String]) {
    do throws(JournalFailure) {
      return BondFolder(state: try StateDirectory.choose(option: arguments.value("state"), environment: environment).path).all()
    } catch { throw UsageError(error.message, hint: error.hint) }
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
        console.print("\(bond.identity.withKind)  made \(made)  \(kind), \(proof)\(key)  adapter \(bond.own)\n")
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
