import Crypto
import Journal
import Keeper
import KeeperProcess
import Linux
import Session
import Vocabulary

/// `tooth doctor`: gathers facts about this machine and lets `Doctor` judge them.
enum DoctorCommand {
  static func run(_ line: [String], _ command: Command) throws(UsageError) -> Int32 {
    let arguments = try Arguments(line, of: command, inputs: [])
    try arguments.noWords(command)
    let console = Console(style: arguments.style())
    let doctor = Doctor(gather(arguments))
    switch console.style.format {
    case .text: console.printFolded(doctor.text)
    case .json: console.print(doctor.json)
    case .csv: console.print(doctor.csv)
    }
    return doctor.exitCode
  }

  private static func gather(_ arguments: Arguments) -> SystemFacts {
    var facts = SystemFacts(
      kernel: KernelFacts.release, program: realPath("/proc/self/exe") ?? "tooth", state: state(arguments))
    facts.hasBluetooth = KernelFacts.hasBluetooth
    facts.switches = KernelFacts.switches.map { ($0.name, $0.isHardBlocked ? .hard : $0.isSoftBlocked ? .soft : .none) }
    facts.isRoot = CurrentProcess.isRoot
    facts.mayAdministerNetwork = Privileges.canAdministerNetwork
    facts.daemon = SocketHolder.daemon?.process
    facts.adapters = adapters()
    facts.keepers = keepers()
    facts.hasSystemd = realPath("/run/systemd/system") != nil
    if facts.hasSystemd {
      for isSystem in facts.isRoot ? [true] : [true, false] {
        let manager = Systemd(isSystem: isSystem)
        for service in (try? manager.services()) ?? [] {
          let (state, doing) = manager.facts(of: service.unit)
          facts.services.append(SystemFacts.Service(name: service.name, state: state, doing: doing))
        }
      }
    }
    let state = facts.state.path
    if facts.state.isWritable != nil {
      let folder = BondFolder(state: state)
      let (bonds, remarks) = Files.asOwner(of: state) { folder.all() }
      (facts.bonds, facts.bondTroubles) = (bonds.count, remarks)
      facts.unreadableBonds = Files.asOwner(of: state) { folder.unreadable }
    }
    facts.versions = [
      ("tooth", HelpText.version), ("SQLite", StateSurvey.libraryVersion), ("libcrypto", CryptoLibrary.version),
    ]
    if facts.hasSystemd { facts.versions.append(("systemd", systemd())) }
    return facts
  }

  private static func systemd() -> String? {
    guard let outcome = try? ChildProcess.run(["systemctl", "--version"]), outcome.code == 0 else { return nil }
    return outcome.text.split(separator: "\n").first?.split(separator: " ").dropFirst().first.map(String.init)
  }

  /// The adapters, as far as the kernel shows them to this process.
  private static func adapters() -> [SystemFacts.Adapter] {
    guard let management = try? ManagementSocket(), let summaries = try? AdapterSummary.all(management) else { return [] }
    let holders = summaries.contains { $0.use == .program } ? SocketHolder.ofUserChannels().map(\.description) : []
    return summaries.map { summary in
      var adapter = SystemFacts.Adapter(name: summary.name)
      adapter.address = summary.address.map { "\($0)" }
      adapter.product = summary.product
      switch summary.block {
      case .none: break
      case .soft: adapter.block = .soft
      case .hard: adapter.block = .hard
      }
      adapter.hasLowEnergy = summary.info.map { $0.supported.contains(.lowEnergy) }
      switch summary.use {
      case .free: adapter.isPowered = false
      case .kernel:
        adapter.isPowered = true
        adapter.links = (try? management.connections(of: summary.index))?.count
      case .program: (adapter.isHeld, adapter.holders) = (true, holders)
      case .settingUp: adapter.isSettingUp = true
      }
      return adapter
    }
  }

  private static func keepers() -> [SystemFacts.Keeper] {
    var folders = [KeeperPlace.shared]
    let own = KeeperPlace.folder()
    if !folders.contains(own) { folders.append(own) }
    return folders.flatMap { folder in
      Files.names(in: folder).sorted().filter { $0.hasSuffix(".socket") }.map { keeper(at: folder, String($0.dropLast(7))) }
    }
  }

  private static func keeper(at folder: String, _ name: String) -> SystemFacts.Keeper {
    let place = KeeperPlace(folder: folder, name: name)
    var keeper = SystemFacts.Keeper(adapter: name, socket: place.socket)
    do throws(KeeperUnreachable) {
      switch try KeeperLink.ask(.status, place, patience: .seconds(5)) {
      case .statusReport(let status):
        keeper.adapter = status.adapter
        keeper.process = status.process
        keeper.version = status.version
        keeper.isAdapterReady = status.info != nil
        keeper.clients = status.clients.map {
          SystemFacts.Keeper.Client(name: $0.name, links: $0.links.count, isGone: $0.heldFor != nil)
        }
      case .refused(let refusal): keeper.trouble = refusal.text
      default: keeper.trouble = "it did not answer"
      }
    } catch { keeper.trouble = error.text }
    return keeper
  }

  private static func state(_ arguments: Arguments) -> SystemFacts.State {
    let directory: StateDirectory
    do throws(JournalFailure) {
      directory = try StateDirectory.choose(option: arguments.value("state"), environment: environment)
    } catch { return SystemFacts.State(path: "", trouble: error.message) }
    guard let room = Files.room(at: directory.path) else {
      // The first run creates it, in the nearest folder above that exists.
      var above = parent(of: directory.path)
      while above != "/", Files.room(at: above) == nil { above = parent(of: above) }
      let found = Files.room(at: above)
      let reason = found?.isFolder == false ? "is not a folder" : found?.isWritable == false ? "cannot be written" : nil
      return SystemFacts.State(
        path: directory.path, trouble: reason.map { "\(directory.path) cannot be created: \(above) \($0)" })
    }
    guard room.isFolder else {
      return SystemFacts.State(path: directory.path, trouble: "\(directory.path) is not a folder")
    }
    let survey = StateSurvey(directory)
    return SystemFacts.State(
      path: directory.path, isWritable: room.isWritable, free: room.free, size: survey.size, runs: survey.runs,
      damaged: survey.damaged)
  }
}
