package import Vocabulary

/// The output of `tooth runs show`.
extension Snapshot {
  /// Each fiber with its current statement, the body first.
  package func fiberLines(_ program: Program) -> [String] {
    fibers.map { fiber in
      guard let frame = fiber.frames.last, program.statementOf.indices.contains(frame.pc) else {
        // A prompt's program is its entries.
        if let entry = entries.last { return "entry \(entry.number): \(entry.text.split(separator: "\n").first ?? "")" }
        return "a place that this recipe does not have"
      }
      guard let statement = program.statement(at: frame.pc) else { return "its end" }
      let place =
        "\(program.lines.text(of: program.line(of: statement))): \(program.lines.quote(program.statements[statement].range))"
      if case .body = fiber.role { return place }
      return "\(place) (in a handler)"
    }
  }

  /// When each timer is due, by the wall clock.
  package func timerLines(_ zone: TimeZoneRules) -> [String] {
    timers.map { timer in "due \(zone.civil(timer.due.wall))" + (timer.period.map { ", every \($0)" } ?? "") }
  }
}
