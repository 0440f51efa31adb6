import Simulator
import Vocabulary

/// A day of heartbeats through the whole simulated world: the strap and the run, two hosts, two
/// controllers and the air between them. Once an hour the strap is away for half a minute.
enum DayBench {
  static let recipe = """
    let beats = 0
    scan for heart_rate within forever
    connect
    subscribe to heart_rate_measurement
    on notify heart_rate_measurement as beat
      set beats to beats + 1
      append {time: beat.at, bpm: beat.bpm, number: beat.energy} to "beats.csv"
      print "{beat.bpm} bpm"
    end
    on disconnect as reason: log "lost {device.name}: {reason}"
    reconnect forever waiting 1s up to 1min

    """

  static func run(beats: Int) throws {
    let start = Report.processTime()
    let world = try BenchWorld(devices: Devices.strap)
    // The day's commits are synced at the end of the day: disk speed is not what is measured.
    try world.start(recipe, syncWithin: .hours(48))
    guard let strap = world.air.controller(of: "strap") else { throw BenchFailure("there is no strap") }
    var losses = 0
    while world.transport.notifications < beats {
      try world.run(.minutes(59) + .seconds(30))
      losses += 1
      world.air.make { $0.vanish(strap, at: $0.now) }
      try world.run(.seconds(30))
      world.air.make { $0.appear(strap, at: $0.now) }
      guard losses < 100 + beats / 3000 else { throw BenchFailure("the strap is not connected again") }
    }
    let end = Report.processTime()
    guard case .int(let stored)? = try world.stored("beats"), stored == Int64(world.transport.notifications) else {
      throw BenchFailure("not every heartbeat was counted")
    }
    Report.figure("day_ms", (end - start) / 1_000_000)
    Report.figure("day_beats", world.transport.notifications)
    Report.figure("day_reconnections", losses)
    Report.figure("day_commits", world.session?.commitCount ?? 0)
  }
}
