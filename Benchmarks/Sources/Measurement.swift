/// Everything that can be measured in this process. What concerns whole processes is in `Scripts/bench`.
enum Measurement: String, CaseIterable {
  case loop
  case notifications
  case turnsBesideFew = "turns-beside-few"
  case turnsBesideManyElements = "turns-beside-many-elements"
  case turnsBesideManyVariables = "turns-beside-many-variables"
  case roundTrips = "round-trips"
  case day
  case week

  func run(_ count: Int) throws {
    switch self {
    case .loop: try LoopBench.run(count)
    case .notifications: try NotificationBench.notifications(count)
    case .turnsBesideFew: try NotificationBench.turns(count, beside: .elements(10))
    case .turnsBesideManyElements: try NotificationBench.turns(count, beside: .elements(10_000))
    case .turnsBesideManyVariables: try NotificationBench.turns(count, beside: .variables(10_000))
    case .roundTrips: try RoundTripBench.run()
    case .day: try DayBench.run(beats: count)
    case .week: try WeekBench.run(days: count)
    }
  }
}
