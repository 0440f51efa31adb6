import Adapters
import Linux
import Recipe
import Runner
import Session
import Vocabulary
import World

/// `tooth adapters`: lists the kernel's adapters and what uses them, without changing anything.
enum AdaptersCommand {
  static func run(_ line: [String], _ command: Command) throws(UsageError) -> Int32 {
    let arguments = try Arguments(line, of: command, inputs: [])
    try arguments.noWords(command)
    let console = Console(style: arguments.style())
    do throws(AdapterFault) {
      let adapters = try AdapterSummary.all(try management())
      let daemon = SocketHolder.daemon
      let holders = adapters.contains { $0.use == .program } ? SocketHolder.ofUserChannels() : []
      if console.style.format == .csv { console.print("name,address,bus,state,product\n") }
      for adapter in adapters {
        let line = text(adapter, holders, daemon, console.style.format)
        if console.style.format == .text { console.printFolded(line) } else { console.print(line) }
      }
      guard adapters.isEmpty else { return 0 }
      throw .noAdapter
    } catch {
      let refusal = AdapterRefusal(error, .any)
      console.complain(refusal.message, hint: refusal.hint)
      return refusal.exitCode
    }
  }

  private static func management() throws(AdapterFault) -> ManagementSocket {
    do throws(SystemFailure) { return try ManagementSocket() } catch { throw AdapterFault(opening: error) }
  }

  /// The state of an adapter in words.
  static func standing(_ adapter: AdapterSummary, _ holders: [SocketHolder], _ daemon: SocketHolder?) -> String {
    switch adapter.block {
    case .hard: return "blocked by a switch (rfkill)"
    case .soft: return "blocked (rfkill)"
    case .none: break
    }
    switch adapter.use {
    case .free: return "off"
    case .kernel: return daemon.map { "on, used by \($0)" } ?? "on"
    case .settingUp: return "not ready: the kernel is still setting it up"
    case .program:
      return holders.isEmpty ? "held by another program" : "held by \(holders.map(\.description).joined(separator: " or "))"
    }
  }

  private static func text(
    _ adapter: AdapterSummary, _ holders: [SocketHolder], _ daemon: SocketHolder?, _ format: Console.Style.Format
  ) -> String {
    let stands = standing(adapter, holders, daemon)
    switch format {
    case .text:
      let product = adapter.product ?? adapter.info?.name ?? ""
      let address = HelpText.padded(adapter.address.map { "\($0)" } ?? "-", 19)
      let name = HelpText.padded(adapter.name, 6)
      let bus = HelpText.padded(adapter.bus, 9)
      return "\(name)\(address)\(bus)\(stands)\(product.isEmpty ? "" : "  (\(product))")\n"
    case .csv:
      let cells = [adapter.name, adapter.address.map { "\($0)" } ?? "", adapter.bus, stands, adapter.product ?? ""]
      return cells.map { CSV.quoted($0) }.joined(separator: ",") + "\n"
    case .json:
      let held: [SocketHolder] =
        switch adapter.use {
        case .program: holders
        case .kernel: daemon.map { [$0] } ?? []
        case .free, .settingUp: []
        }
      var object = JSONObject()
      object.set("index", Int(adapter.index))
      object.set("name", adapter.name)
      object.set("address", adapter.address.map { "\($0)" })
      object.set("bus", adapter.bus)
      object.set("product", adapter.product)
      object.set("powered", adapter.use == .program ? nil : adapter.isPowered)
      object.set("low_energy", adapter.info.map { $0.supported.contains(.lowEnergy) })
      object.set("rfkill", adapter.block == .none ? nil : adapter.block == .soft ? "soft" : "hard")
      object.set(
        "held_by",
        held.map { holder in
          var object = JSONObject()
          object.set("process", Int(holder.process))
          object.set("program", holder.name)
          return object
        })
      object.set("state", stands)
      return object.text + "\n"
    }
  }
}
