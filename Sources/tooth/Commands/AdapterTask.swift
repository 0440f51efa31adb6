import Adapters
import Keeper
import KeeperProcess
import Linux
import Packets
import Runner
import Session
import Vocabulary
import World

/// What `tooth adapter reset` and `tooth disconnect` have in common: the adapter, its keeper, and
/// the output of the result.
struct AdapterTask {
  let console: Console
  let choice: AdapterChoice
  /// The adapter's name as typed.
  let name: String
  private let place: KeeperPlace
  let cutting: Bool
  let force: Bool

  /// `nil` if there can be no such adapter, which is then already reported.
  init?(_ arguments: Arguments) throws(UsageError) {
    console = Console(style: arguments.style())
    choice = AdapterChoice(arguments.value("adapter"))
    cutting = arguments.has("take")
    force = arguments.has("force")
    var name = choice.keeperName(in: workingDirectory())
    // An adapter may be given by address, but its keeper is found by its name.
    if case .kernel(let named) = choice, named != .any, let found = KeptAdapters.find(named) { name = found.name }
    guard let name else {
      if let refusal = choice.refusal {
        console.complain(refusal.message, hint: refusal.hint)
        return nil
      }
      if case .kernel = choice { throw UsageError("name the adapter with --adapter", hint: "tooth adapters lists them") }
      throw UsageError("a simulated adapter exists only in the process that uses it, and ends with it")
    }
    place = KeeperPlace(adapter: name)
    self.name = choice.shown(arguments.value("adapter"), else: name)
  }

  /// Prints the result: one line of JSON with additional facts, or a text.
  func report(_ text: String, facts: (inout JSONObject) -> Void) {
    guard isJSON else {
      if !text.isEmpty { console.print(text) }
      return
    }
    var object = JSONObject()
    object.set("adapter", name)
    facts(&object)
    console.print(object.text + "\n")
  }

  var isJSON: Bool { console.style.format == .json }

  // MARK: With a keeper

  /// Sends an order to the adapter's keeper. `peers` are the links that will end, `nil` if the
  /// order was refused; `hasKeeper` is false if there is no keeper.
  func order(_ message: KeeperMessage) -> (hasKeeper: Bool, peers: [Address]?) {
    guard place.hasSocket else { return (false, nil) }
    do throws(KeeperUnreachable) {
      switch try KeeperLink.ask(message, place, patience: .seconds(5)) {
      case .ending(let peers): return (true, peers)
      case .refused(let refusal): console.complain(refusal.text, hint: refusal.hint)
      default:
        console.complain(
          "the keeper of \(name) did not understand the request", hint: "end it with tooth keeper stop --adapter \(name)")
      }
    } catch {
      if error.isAbsent { return (false, nil) }
      console.complain(error.text, hint: error.hint)
    }
    return (true, nil)
  }

  /// The result of waiting for a keeper.
  enum Outcome {
    case reached(KeeperStatus)
    /// The time is over; with the last known status.
    case late(KeeperStatus?)
    /// The keeper has exited.
    case gone
  }

  static let patience = TimeSpan.seconds(15)

  /// Polls the keeper until its status meets a condition, or the time is over.
  func awaitStatus(_ isReached: (KeeperStatus) -> Bool) -> Outcome {
    let end = SystemClock.now().moment + Self.patience
    var last: KeeperStatus?
    while SystemClock.now().moment < end {
      if case .statusReport(let status)? = try? KeeperLink.ask(.status, place, patience: .seconds(5)) {
        if isReached(status) { return .reached(status) }
        last = status
      } else if !place.isServed {
        return .gone
      }
      _ = Poll.wait(for: [], until: SystemClock.now().moment + .milliseconds(20))
    }
    return .late(last)
  }

  // MARK: Without a keeper

  /// The kernel's links on this adapter, which end when it is taken; empty if the kernel does not
  /// report them.
  func kernelLinks() -> [Address] {
    guard case .kernel(let adapter) = choice, cutting, let management = try? ManagementSocket(),
      let all = try? AdapterSummary.all(management), let summary = adapter.find(among: all)
    else { return [] }
    return (try? management.connections(of: summary.index))?.map(\.address) ?? []
  }

  /// Opens the adapter, does some work with it, and restores its previous state.
  func care(_ work: (AdapterMaintenance) throws(AdapterMaintenance.Trouble) -> Int32) -> Int32 {
    let now = SystemClock.now()
    let transport: any Transport
    do throws(AdapterRefusal) {
      transport = try AdapterOpener.open(choice, cutting: cutting, seed: 0, at: now, zone: .utc).transport
    } catch {
      console.complain(error.message, hint: error.hint)
      return error.exitCode
    }
    defer { transport.close() }
    do throws(AdapterMaintenance.Trouble) { return try work(AdapterMaintenance(transport)) } catch {
      switch error {
      case .silent(let opcode):
        console.complain(
          "the controller of \(name) did not answer \(opcode) within \(AdapterMaintenance.answer)", hint: choice.cure)
      case .gone(let why): console.complain(why, hint: choice.cure)
      }
      return 9
    }
  }
}
