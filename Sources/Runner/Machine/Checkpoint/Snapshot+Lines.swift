package import Vocabulary

/// The output of `tooth runs show`.
extension Snapshot {
  /// Each fiber with its current statement, the body first. While a run ends, only `on stop` runs,
  /// and `on failure` if it fails.
  package func fiberLines(_ program: Program) -> [String] {
    let going = header.isStopping ? fibers.filter { $0.role == .body || $0.isStop } : fibers
    return going.map { fiber in
      guard let frame = fiber.frames.last, program.statementOf.indices.contains(frame.pc) else {
        return self.entry(of: fiber) ?? "a place that this recipe does not have"
      }
      guard let statement = program.statement(at: frame.pc) else { return "its end" }
      let place =
        "\(program.lines.text(of: program.line(of: statement))): \(program.lines.quote(program.statements[statement].range))"
      if case .body = fiber.role { return place }
      return "\(place) (in a handler)"
    }
  }

  /// The entry of a prompt that a fiber runs. Its statements are not in the program.
  private func entry(of fiber: Fiber) -> String? {
    let units = fiber.frames.map(\.unit)
    guard let entry = entries.last(where: { units.contains($0.unit) || $0.handlers.contains(where: units.contains) }) else {
      return nil
    }
    let line = "entry \(entry.number): \(entry.text.split(separator: "\n").first ?? "")"
    return units.contains(entry.unit) ? line : "\(line) (in a handler)"
  }

  /// When each timer is due, by the wall clock.
  package func timerLines(_ zone: TimeZoneRules) -> [String] {
    timers.map { timer in "due \(zone.civil(timer.due.wall))" + (timer.period.map { ", every \($0)" } ?? "") }
  }
}
