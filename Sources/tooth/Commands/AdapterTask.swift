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
/// how both are told what became of it.
struct AdapterTask {
  let console: Console
  let choice: AdapterChoice
  /// As it was typed.
  let name: String
  private let place: KeeperPlace
  let cutting: Bool
  let force: Bool

  /// `nil` when the adapter cannot be one, which was told then.
  init?(_ arguments: Arguments) throws(UsageError) {
    console = Console(style: arguments.style())
    choice = AdapterChoice(arguments.value("adapter"))
    cutting = arguments.has("take")
    force = arguments.has("force")
    var name = choice.keeperName(in: workingDirectory())
    // By its address: the keeper of an adapter is found by its number.
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

  /// What became of it: as one line of JSON, with these facts behind the adapter, else in words.
  func tell(_ text: String, facts: (inout JSONObject) -> Void) {
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

  // MARK: Through a keeper

  /// Orders something of the adapter's keeper: the links that end with it, or nothing when that was
  /// refused; and whether there is a keeper at all.
  func order(_ message: KeeperMessage) -> (hasKeeper: Bool, peers: [Address]?) {
    guard place.isServed else { return (false, nil) }
    do throws(KeeperUnreachable) {
      switch try KeeperLink.ask(message, place, patience: .seconds(5)) {
      case .ending(let peers): return (true, peers)
      case .refused(let refusal): console.complain(refusal.text, hint: refusal.hint)
      default:
        console.complain(
          "the keeper of \(name) did not understand the request", hint: "end it with tooth keeper stop --adapter \(name)")
      }
    } catch { console.complain(error.text, hint: error.hint) }
    return (true, nil)
  }

  /// What came of waiting for a keeper.
  enum Outcome {
    case reached(KeeperStatus)
    /// As it stood last, if it said so.
    case late(KeeperStatus?)
    /// There is no keeper any more.
    case gone
  }

  static let patience = TimeSpan.seconds(15)

  /// Asks the keeper until this holds of it, or the time is over.
  func awaitStatus(_ isMeant: (KeeperStatus) -> Bool) -> Outcome {
    let end = SystemClock.now().moment + Self.patience
    var last: KeeperStatus?
    while SystemClock.now().moment < end {
      if case .told(let status)? = try? KeeperLink.ask(.status, place, patience: .seconds(5)) {
        if isMeant(status) { return .reached(status) }
        last = status
      } else if !place.isServed {
        return .gone
      }
      _ = Poll.wait(for: [], until: SystemClock.now().moment + .milliseconds(20))
    }
    return .late(last)
  }

  // MARK: Without one

  /// Links that the kernel has on this adapter; they end when it is taken. Nothing where it does
  /// not tell.
  func kernelLinks() -> [Address] {
    guard case .kernel(let adapter) = choice, cutting, let management = try? ManagementSocket(),
      let all = try? AdapterSummary.all(management), let summary = adapter.find(among: all)
    else { return [] }
    return (try? management.connections(of: summary.index))?.map(\.address) ?? []
  }

  /// Opens the adapter and does something with it; it is given back as it was found.
  func care(_ work: (AdapterCare) throws(AdapterCare.Trouble) -> Int32) -> Int32 {
    let now = SystemClock.now()
    let transport: any Transport
    do throws(AdapterRefusal) {
      transport = try AdapterOpener.open(choice, cutting: cutting, seed: 0, at: now, zone: .utc).transport
    } catch {
      console.complain(error.message, hint: error.hint)
      return error.exitCode
    }
    defer { transport.close() }
    do throws(AdapterCare.Trouble) { return try work(AdapterCare(transport)) } catch {
      switch error {
      case .silent(let opcode):
        console.complain("the controller of \(name) did not answer \(opcode) within \(AdapterCare.answer)", hint: choice.cure)
      case .gone(let why): console.complain(why, hint: choice.cure)
      }
      return 9
    }
  }
}
