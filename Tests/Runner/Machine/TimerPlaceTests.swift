import Testing
import Vocabulary

@testable import Runner

/// A failing interval, delay or time of day of a timer is shown at that expression, not at the code
/// inside or around it.
@Suite struct TimerPlaceTests {
  @Test(arguments: [
    ("every z\n  print 1\nend\n", "z"),
    ("wait 10ms\nevery z * 2\n  print 1\nend\n", "z * 2"),
    ("after \"soon\"\n  print 1\nend\n", "\"soon\""),
    ("every 1d at \"{z}\"\n  print 2\nend\n", "\"{z}\""),
    ("repeat 2 times\n  every z * 2\n    print 1\n  end\n  wait 1s\nend\n", "z * 2"),
    ("every 1s / count([]): print 1\n", "1s / count([])"),
    // A handled failure is forgotten.
    ("try\n  every z: print 1\notherwise\n  print it.line\nend\nfail \"other\"\n", "fail \"other\""),
  ])
  func theExpressionIsShown(text: String, place: String) throws {
    let text = "input z: duration = 0s\n\(text)wait 1h\n"
    let program = try Bench.program(text)
    var machine = Machine(
      program: program, inputs: [("z", .duration(.zero))], environment: MachineEnvironment(seed: 1, bootID: "boot"),
      at: .simulationStart)
    machine.start(at: .simulationStart)
    var places: [String] = []
    var now = Instant.simulationStart
    for _ in 0..<8 {
      let turn = machine.turn(at: now)
      for effect in turn.effects {
        if case .failed(let report) = effect {
          places.append(String(decoding: Array(text.utf8)[Int(report.range.start)..<Int(report.range.end)], as: UTF8.self))
        }
        if case .print(let id, _) = effect { machine.handle(.outputWritten(id), at: now) }
      }
      if !turn.hasMore, let next = machine.nextDeadline { now = now + max(next - now.moment, .zero) }
    }
    #expect(places.first == place, "\(places)")
  }
}
