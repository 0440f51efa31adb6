import Exchange
import Journal
import Linux
package import Recipe
package import Runner
package import Session
package import Simulator
package import Vocabulary

/// A whole world under a virtual clock: an air with its peripherals, and one process at a time that
/// runs a recipe on it.
///
/// The process can be dropped at any effect, as by SIGKILL, and started again from its database;
/// air, files and clock go on.
package final class SimulatedWorld {
  package let air: SimulatedAir
  package let controller: ControllerID
  package private(set) var now: Instant
  private let seed: UInt64
  private var loop: RunLoop?
  /// The process that runs, or the last one that ended.
  package private(set) var session: RunSession?
  /// How often a process was started.
  package private(set) var starts = 0

  /// The boot that all processes of this world live in.
  package static let bootID = "00000000-0000-0000-0000-000000000001"

  /// - Parameter adapter: nothing means what the file asks for.
  package init(
    devices: LoadedRecipe, seed: UInt64, mtu: UInt16 = 517, adapter: ControllerModel? = nil, isLogging: Bool = true
  ) throws(RecipeRefusal) {
    guard let recipe = devices.recipe, !devices.hasErrors else {
      throw RecipeRefusal(findings: devices.findings, sources: devices.sources)
    }
    self.seed = seed
    now = .simulationStart
    air = try SimulatedAir(
      recipe: recipe, sources: devices.sources, seed: seed, at: .simulationStart, mtu: mtu, isLogging: isLogging)
    controller = air.addController(name: "run", model: adapter, at: .simulationStart)
  }

  /// Starts a process. The one before must have ended or been dropped.
  package func start(_ plan: RunPlan, console: Console, hook: EffectHook? = nil) throws(StartRefusal) {
    drop()
    starts += 1
    let transport = SimulatedTransport(air: air, controller: controller)
    let surroundings = RunSurroundings(
      transport: transport, console: console, bootID: Self.bootID, seed: seed &+ UInt64(starts), hook: hook,
      state: plan.state)
    let starter = try RunStarter(plan, console: console, bootID: Self.bootID, zone: .utc, at: now)
    let session = try starter.session(surroundings, at: now)
    self.session = session
    loop = RunLoop(session: session, clock: .virtual(now))
  }

  /// Lets the process run until it ends, is killed by its hook, or the time has come.
  package func run(until end: Moment) -> RunLoop.Outcome {
    guard let loop else { return .ended }
    let outcome = loop.run(until: end)
    now = loop.now
    if outcome == .killed { drop() }
    return outcome
  }

  package func run(for span: TimeSpan) -> RunLoop.Outcome { run(until: now.moment + span) }

  /// Asks the process to end, as a signal would.
  package func stop(_ reason: StopReason) { session?.stop(reason, at: now) }

  /// Takes the process away with all its memory. Its links stay in the controller until the next
  /// host resets it.
  package func drop() {
    guard session != nil || loop != nil else { return }
    loop = nil
    session = nil
    air.hostGone(controller, at: now)
  }

  /// Time passes without a process.
  package func wait(_ span: TimeSpan) {
    now = now + span
    air.run(to: now)
  }
}
