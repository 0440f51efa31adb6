import Stage
import Testing
import Vocabulary
@Test func debugKill() throws {
        let fixture = try Fixture(recipe: "recipes/heart-rate.ble", devices: "recipes/devices/heart-rate-strap.ble")
        try fixture.start(hook: { p in
          if p.side == .before, p.number > 24 { print("\(p.number) \(p.kind)".prefix(200)) }
          return p.number == 45 && p.side == .after ? .kill : .goOn })
        _ = fixture.world.run(for: .seconds(8))
        fixture.world.wait(.seconds(2))
        var n = 0
        try fixture.start(hook: { p in
          if p.side == .before, n < 120 { n += 1; print("  \(p.number) \(p.kind)".prefix(200)) }
          return .goOn })
        _ = fixture.world.run(for: .seconds(12))
        print(fixture.output)
        print(fixture.errors)
        print(fixture.playground.content("beats.csv") ?? "")
}
