package import Adapters
import Linux
import Recipe
import Session
package import Vocabulary

/// An adapter that is ready, with its air if it is simulated.
package struct OpenAdapter {
  package var transport: any Transport
  package var air: SimulatedAir?

  package init(transport: any Transport, air: SimulatedAir?) {
    self.transport = transport
    self.air = air
  }
}

package enum AdapterOpener {
  /// Opens an adapter. `cutting` takes one of the kernel even if other programs have links on it.
  /// - Parameter patience: How long to wait for another tooth to give it back, which `waits`
  ///   reports once.
  package static func open(
    _ choice: AdapterChoice, cutting: Bool = false, seed: UInt64, at now: Instant, zone: TimeZoneRules, patience: TimeSpan = .zero,
    waits: (String) -> Void = { _ in }
  ) throws(AdapterRefusal) -> OpenAdapter {
    if let refusal = choice.refusal { throw AdapterRefusal(refusal.message, hint: refusal.hint) }
    switch choice {
    case .stream(let address):
      do throws(SystemFailure) {
        return OpenAdapter(transport: try StreamTransport(connectingTo: address), air: nil)
      } catch {
        throw AdapterRefusal("\(error)", hint: hint(error, address))
      }
    case .simulated(let path):
      let air = try air(of: path, seed: seed, at: now, zone: zone)
      let controller = air.addController(name: "run", at: now)
      return OpenAdapter(transport: SimulatedTransport(air: air, controller: controller), air: air)
    case .kernel(let name):
      let limit = SystemClock.now().moment + patience
      var hasWaited = false
      while true {
        do throws(AdapterFault) {
          return OpenAdapter(transport: try KernelTransport(name, cutting: cutting), air: nil)
        } catch {
          let now = SystemClock.now().moment
          guard error.kind == .lent, now < limit else { throw AdapterRefusal(error, name) }
          if !hasWaited { waits(error.message) }
          hasWaited = true
          _ = Poll.wait(for: [], until: now + .milliseconds(200))
        }
      }
    case .unknown: throw AdapterRefusal("there is no adapter")
    }
  }

  /// Creates the air of a file with peripherals.
  package static func air(of path: String, seed: UInt64, at now: Instant, zone: TimeZoneRules) throws(AdapterRefusal)
    -> SimulatedAir
  {
    let loaded: LoadedRecipe
    do throws(RecipeUnreadable) {
      loaded =
        path == DemoAir.name ? RecipeLoader.parse(name: path, Array(DemoAir.text.utf8)) : try RecipeLoader.load(path: path)
    } catch {
      throw AdapterRefusal(error.message, hint: error.hint, exitCode: 2)
    }
    guard let recipe = loaded.recipe, !loaded.hasErrors else {
      throw AdapterRefusal(
        "\(path) has errors", exitCode: 3, recipe: RecipeRefusal(findings: loaded.findings, sources: loaded.sources))
    }
    guard !recipe.peripherals.isEmpty else {
      throw AdapterRefusal("\(path) declares no peripheral, so nothing would be on the air", exitCode: 2)
    }
    do throws(RecipeRefusal) {
      return try SimulatedAir(recipe: recipe, sources: loaded.sources, seed: seed, at: now, timeZone: zone)
    } catch {
      throw AdapterRefusal("\(path) has errors", exitCode: 3, recipe: error)
    }
  }
}
