import Journal
import Session
import Testing
import Vocabulary
import World

/// `use checkpoint off`: only remembered values are stored.
@Suite struct NoCheckpointTests {
  private static let recipe = """
    use checkpoint off
    remember n = 0
    let steps = 0
    set n to n + 1
    print "begun {n}"
    repeat 3 times
      set steps to steps + 1
      append "{steps}" to "steps.txt"
      wait 1s
    end
    print "done {steps}"

    """

  @Test func aKilledRunBeginsFromTheTop() throws {
    let whole = try Fixture(recipe: Self.recipe, devices: "recipes/devices/thermometer.ble")
    try whole.start()
    #expect(whole.world.run(for: .minutes(2)) == .ended)
    #expect(whole.output == "begun 1\ndone 3\n", "\(whole.output)\(whole.errors)")
    let count = whole.world.session?.effectCount ?? 0
    #expect(count > 4)
    for number in 1...max(count, 1) {
      let fixture = try Fixture(recipe: Self.recipe, devices: "recipes/devices/thermometer.ble")
      try fixture.start(hook: { $0.number == number && $0.side == .after ? .kill : .goOn })
      _ = fixture.world.run(for: .minutes(2))
      let before = fixture.output
      let state = StateDirectory(path: "\(fixture.playground.path)/state")
      let id = RunID(RunIdentity(owner: .path(fixture.recipe.name), inputs: fixture.inputs.identity))
      #expect((try? RunStore.peek(id, in: state))?.rows.isEmpty ?? true, "effect \(number)")
      try fixture.start()
      #expect(fixture.world.run(for: .minutes(2)) == .ended, "effect \(number): \(fixture.errors)")
      let lines = fixture.output.dropFirst(before.count).split(separator: "\n")
      // Remembered values are there, unless the run was killed before.
      #expect(["begun 1", "begun 2"].contains(lines.first.map(String.init) ?? ""), "effect \(number): \(fixture.output)")
      #expect(lines.last == "done 3", "effect \(number): \(fixture.output)\(fixture.errors)")
    }
  }

  @Test func aRunWithoutCheckpointsCannotBeResumed() throws {
    let fixture = try Fixture(recipe: Self.recipe, devices: "recipes/devices/thermometer.ble")
    try fixture.start(hook: { $0.number == 3 && $0.side == .after ? .kill : .goOn })
    _ = fixture.world.run(for: .minutes(2))
    var plan = fixture.plan()
    plan.isResume = true
    #expect(throws: StartRefusal.self) {
      try fixture.start(plan)
    }
  }
}
