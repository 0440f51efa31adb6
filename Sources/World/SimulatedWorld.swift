import Exchange
import Journal
import Linux
package import Recipe
package import Runner
package import Session
package import Simulator
package import Vocabulary

/// A whole world under a virtual clock: an air with its peripherals, and a process that runs a
/// recipe on it, one at a time.
///
/// The process can be dropped at any effect, like by SIGKILL, and restarted from its database. Air,
/// files and clock continue.
package final class SimulatedWorld {
  package let air: SimulatedAir
  package let controller: ControllerID
  package private(set) var now: Instant
  private let seed: UInt64
  private var loop: RunLoop?
  /// The process that is running, or the last one that ended.
  package private(set) var session: RunSession?
  /// How often a process was started.
  package private(set) var starts = 0

  /// The boot of all processes of this world.
  package static let bootID = "00000000-0000-0000-0000-000000000001"

  /// - Parameter adapter: the run's controller; `nil` for the one that the file declares.
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

  /// Starts a process. The last one must have ended or been dropped.
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

  /// Runs the process until it ends, its hook kills it, or the time is reached.
  package func run(until end: Moment) -> RunLoop.Outcome {
    guard let loop else { return .ended }
    let outcome = loop.run(until: end)
    now = loop.now
    if outcome == .killed { drop() }
    return outcome
  }

  package func run(for span: TimeSpan) -> RunLoop.Outcome { run(until: now.moment + span) }

  /// Asks the process to end, like a signal.
  package func stop(_ reason: StopReason) { session?.stop(reason, at: now) }

  /// Drops the process with its memory. Its links stay in the controller until the next host resets
  /// it.
  package func drop() {
    guard session != nil || loop != nil else { return }
    loop = nil
    session = nil
    air.hostGone(controller, at: now)
  }

  /// Moves the time without a process.
  package func wait(_ span: TimeSpan) {
    now = now + span
    air.run(to: now)
  }
}
