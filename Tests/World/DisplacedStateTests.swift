import Glibc
import Journal
import Linux
import Runner
import Testing
import Vocabulary

/// The files of a run are removed, replaced or truncated at any moment. The run ends with exit code
/// 11 and says what happened.
@Suite struct DisplacedStateTests {
  enum Displacement: String, CaseIterable {
    case directoryRemoved, lockRemoved, lockReplaced, databaseRemoved, databaseReplaced, databaseEmptied, databaseHalved
    case logRemoved, logReplaced, logEmptied, logHalved
    /// Files without consequence: they can be created again.
    case sharedRemoved, sharedEmptied

    var isHarmless: Bool { self == .sharedRemoved || self == .sharedEmptied }

    func act(in state: String) {
      guard self != .directoryRemoved else {
        for name in Files.names(in: state) { unlink("\(state)/\(name)") }
        rmdir(state)
        return
      }
      let suffix =
        switch self {
        case .lockRemoved, .lockReplaced: ".lock"
        case .logRemoved, .logReplaced, .logEmptied, .logHalved: ".db-wal"
        default: ".db"
        }
      let names = Files.names(in: state).filter { isHarmless == ($0 == "shared.db") && $0.hasSuffix(suffix) }
      for path in names.map({ "\(state)/\($0)" }) {
        switch self {
        case .lockRemoved, .databaseRemoved, .logRemoved, .sharedRemoved: unlink(path)
        case .lockReplaced, .databaseReplaced, .logReplaced:
          let bytes = (try? readFile(path, limit: 1 << 24)) ?? []
          unlink(path)
          try? saveFile(path, bytes)
        case .databaseEmptied, .logEmptied, .sharedEmptied: truncate(path, 0)
        case .databaseHalved, .logHalved: truncate(path, off_t(Files.size(of: path) / 2))
        case .directoryRemoved: break
        }
      }
    }
  }

  private static let recipe = """
    scan for strongest environmental_sensing within 5s
    connect within 10s
    let n = 0
    repeat 3 times
      read temperature as celsius
      set n to n + 1
      append {n: n, celsius: celsius} to "t.csv"
      wait 2s
    end
    disconnect
    print n

    """

  private func fixture() throws -> Fixture { try Fixture(recipe: Self.recipe, devices: "recipes/devices/thermometer.ble") }

  private static var step: Int { environment("FULL") == nil ? 7 : 1 }

  @Test(arguments: Displacement.allCases) func displacedStateIsDetectedDuringARun(displacement: Displacement) throws {
    let whole = try fixture()
    try whole.start()
    #expect(whole.world.run(for: .minutes(1)) == .ended)
    let count = whole.world.session?.effectCount ?? 0
    let lastCommit = whole.world.session.map { _ in count } ?? 0
    #expect(count > 40)
    let offset = Displacement.allCases.firstIndex(of: displacement) ?? 0
    for number in stride(from: 1 + offset % Self.step, through: lastCommit, by: Self.step) {
      let fixture = try fixture()
      let state = "\(fixture.playground.path)/state"
      var isLast = false
      try fixture.start { point in
        if point.number == number, point.side == .before {
          if case .commit(synced: true) = point.kind, number == count { isLast = true }
          displacement.act(in: state)
        }
        return .goOn
      }
      #expect(fixture.world.run(for: .minutes(1)) == .ended, "\(displacement) at \(number)")
      let session = try #require(fixture.world.session)
      if displacement.isHarmless || isLast && fixture.errors.isEmpty && session.exitStatus.code == 0 {
        #expect(session.exitStatus.code == 0, "\(displacement) at \(number): \(fixture.errors)")
      } else {
        #expect(session.exitStatus.code == 11, "\(displacement) at \(number) of \(count)")
        #expect(session.journalFailure != nil)
      }
    }
  }

  /// A run with nothing to commit checks, too.
  @Test func displacedStateIsDetectedByAnIdleRun() throws {
    let fixture = try Fixture(recipe: "scan for environmental_sensing\nwait forever\n", devices: "recipes/devices/thermometer.ble")
    try fixture.start()
    #expect(fixture.world.run(for: .minutes(3)) == .timeUp)
    Displacement.lockReplaced.act(in: "\(fixture.playground.path)/state")
    #expect(fixture.world.run(for: .minutes(3)) == .ended)
    #expect(fixture.world.session?.journalFailure?.kind == .displaced)
    #expect(fixture.world.session?.journalFailure?.message.contains(".lock was replaced by another file") ?? false)
  }
}
