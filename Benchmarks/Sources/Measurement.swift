/// Everything that is measured within this process. `Scripts/bench` measures whole processes.
enum Measurement: String, CaseIterable {
  case loop
  case checkLets = "check-lets"
  case checkHandlers = "check-handlers"
  case checkTimers = "check-timers"
  case growingList = "growing-list"
  case textIndex = "text-index"
  case textCount = "text-count"
  case sort
  case notifications
  case turnsBesideFew = "turns-beside-few"
  case turnsBesideManyElements = "turns-beside-many-elements"
  case turnsBesideManyVariables = "turns-beside-many-variables"
  case notificationsBeside10 = "notifications-beside-10"
  case notificationsBeside1000 = "notifications-beside-1000"
  case notificationsBeside10000 = "notifications-beside-10000"
  case reports
  case reportsOfUnknownDevices = "reports-of-unknown-devices"
  case reportsBeside10 = "reports-beside-10"
  case reportsBeside1000 = "reports-beside-1000"
  case reportsBeside10000 = "reports-beside-10000"
  case keptReportsBeside8 = "kept-reports-beside-8"
  case keptReportsBeside64 = "kept-reports-beside-64"
  case discovery
  case noDiscovery = "no-discovery"
  case roundTrips = "round-trips"
  case day
  case week
  case startGrowth = "start-growth"
  case runsGrowth = "runs-growth"
  case scanGrowth = "scan-growth"
  case foundGrowth = "found-growth"

  func run(_ count: Int) throws {
    switch self {
    case .loop: try LoopBench.run(count)
    case .checkLets: try LanguageBench.lets(count)
    case .checkHandlers: try LanguageBench.handlers(count)
    case .checkTimers: try LanguageBench.timers(count)
    case .growingList: try LanguageBench.list(count)
    case .textIndex: try LanguageBench.index(count)
    case .textCount: try LanguageBench.count(count)
    case .sort: try LanguageBench.sort(count)
    case .notifications: try NotificationBench.notifications(count)
    case .turnsBesideFew: try NotificationBench.turns(count, beside: .elements(10))
    case .turnsBesideManyElements: try NotificationBench.turns(count, beside: .elements(10_000))
    case .turnsBesideManyVariables: try NotificationBench.turns(count, beside: .variables(10_000))
    case .notificationsBeside10: try NotificationBench.notifications(count, devices: 10)
    case .notificationsBeside1000: try NotificationBench.notifications(count, devices: 1000)
    case .notificationsBeside10000: try NotificationBench.notifications(count, devices: 10_000)
    case .reports: try ReportBench.burst(count, of: 200)
    case .reportsOfUnknownDevices: try ReportBench.unknownDevices(count)
    case .reportsBeside10: try ReportBench.beside(10, count)
    case .reportsBeside1000: try ReportBench.beside(1000, count)
    case .reportsBeside10000: try ReportBench.beside(10_000, count)
    case .keptReportsBeside8: try KeptReportBench.run(count, clients: 8)
    case .keptReportsBeside64: try KeptReportBench.run(count, clients: 64)
    case .discovery: try DiscoveryBench.run(isDiscovering: true)
    case .noDiscovery: try DiscoveryBench.run(isDiscovering: false)
    case .roundTrips: try RoundTripBench.run()
    case .day: try DayBench.run(beats: count)
    case .week: try WeekBench.run(days: count)
    case .startGrowth: try GrowthBench.starts(count)
    case .runsGrowth: try GrowthBench.runs(count)
    case .scanGrowth: GrowthBench.scan(count)
    case .foundGrowth: try GrowthBench.found(count)
    }
  }
}
