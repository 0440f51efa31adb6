import Adapters
import Linux
import Session
import Simulator
import Vocabulary
import World

enum AirCommand {
  static func run(_ line: [String], _ command: Command) throws(UsageError) -> Int32 {
    let arguments = try Arguments(line, of: command, inputs: [])
    let console = Console(style: arguments.style())
    guard arguments.words.count == 1 else {
      throw UsageError(
        arguments.words.isEmpty ? "tooth air needs a file" : "tooth air takes one file", hint: HelpText.usage(command))
    }
    guard let place = arguments.value("listen") else {
      throw UsageError("`tooth air` needs `--listen unix:PATH` or `--listen tcp:HOST:PORT`", hint: "add --listen unix:/tmp/air")
    }
    guard var address = H4Address(place), !address.isSerial else {
      throw UsageError("--listen takes unix:PATH or tcp:HOST:PORT, not \(place)")
    }
    let model: ControllerModel =
      switch arguments.value("controller") {
      case "extended": .extended
      case "coded": .coded
      case "privacy": .privacy
      case "unaddressed": .unaddressed
      default: .legacy
      }
    let seed = try arguments.number("seed") ?? SystemClock.seed()
    let zone = LocalTime.rules()
    let now = SystemClock.now()
    do throws(AdapterRefusal) {
      let air = try AdapterOpener.air(of: arguments.words[0], seed: seed, at: now, zone: zone)
      let signals: Signals
      do throws(SystemFailure) { signals = try Signals(patience: .seconds(5)) } catch { throw AdapterRefusal("\(error)") }
      console.watch(signals)
      do throws(SystemFailure) {
        let listener = try H4Listener(at: address)
        if case .tcp(let host, 0) = address, let port = listener.port { address = .tcp(host: host, port: port) }
        let server = try AirServer(
          air: air, listener: listener, model: model, log: arguments.value("log"), start: now, console: console, zone: zone)
        console.note("\(air.peripheralNames.joined(separator: ", ")) on the air; hosts connect with --adapter \(address)")
        let signal = server.run(signals: signals)
        // Keep the listener, because it removes its socket file when it is released.
        withExtendedLifetime((server, listener)) {}
        listener.remove()
        Signals.die(of: signal)
        return 0
      } catch {
        // Opening a log that is a pipe blocks until it has a reader, and a signal interrupts that.
        if error.isInterrupted, let signal = signals.next() { Signals.die(of: signal) }
        throw AdapterRefusal("\(error)", exitCode: error.doing.hasPrefix("writing") ? 2 : 9)
      }
    } catch {
      if let recipe = error.recipe { console.findings(recipe.findings, in: recipe.sources) }
      console.complain(error.message, hint: error.hint)
      return error.exitCode
    }
  }
}
