package import Exchange
package import Recipe

/// A compiled recipe: register code and the tables that its instructions refer to. Immutable; the
/// same text always gives the same program.
package struct Program: Sendable {
  package var file: RecipeFile
  package var lines: LineTable
  package var code: [Op] = []
  /// The statement of each instruction; -1 if there is none.
  package var statementOf: [Int32] = []
  /// The unit of each instruction.
  package var unitOf: [Int32] = []
  /// The range of each instruction in the text.
  package var rangeOf: [SourceRange] = []
  package var constants: [Value] = []
  package var names: [String] = []
  package var shapes: [[String]] = []
  package var variables: [Variable] = []
  package var units: [Unit] = []
  package var statements: [StatementInfo] = []
  package var initialisers: [Initialiser] = []
  package var formats = ProgramFormats()
  /// The peripherals that `serve` names; in a simulated peripheral, only itself.
  package var servers: [ServerTemplate] = []
  /// Whether it is a simulated peripheral, which serves from the start.
  package var isPeripheral = false
  package var settings = Settings()
  /// Whether handlers listen to advertisements, in addition to `scan for`.
  package var hasListeners = false
  /// Whether it uses `heard`, so that these times are saved, too.
  package var asksWhenHeard = false

  package var scans: [ScanSite] = []
  package var connects: [ConnectSite] = []
  package var reconnects: [ReconnectSite] = []
  package var devices: [DeviceSite] = []
  package var discovers: [DiscoverSite] = []
  package var pairs: [PairSite] = []
  package var requests: [RequestSite] = []
  package var reads: [ReadSite] = []
  package var writes: [WriteSite] = []
  package var subscribes: [SubscribeSite] = []
  package var attributes: [AttributeSite] = []
  package var untils: [WaitUntilSite] = []
  package var eventWaits: [WaitEventSite] = []
  package var tries: [TrySite] = []
  package var runs: [RunSite] = []
  package var questions: [AskSite] = []
  package var atOnces: [AtOnceSite] = []
  package var rescues: [[String]] = []
  package var outputs: [OutputSite] = []
  package var calls: [CallSite] = []
  package var places: [PlaceSite] = []
  package var interpolations: [Interpolation] = []
  package var handlerLists: [[Int]] = []
  package var publishes: [PublishSite] = []
  package var advertises: [AdvertiseSite] = []
  package var orders: [OrderSite] = []

  /// The settings of `use`.
  package struct Settings: Equatable, Sendable {
    package var operationTimeout: Int64 = 10_000_000_000
    package var strict = false
    /// The duty cycle of all scans; `nil` if each scan chooses its own.
    package var scan: ScanRequest.Duty?
    /// `use pairing automatic` and `use pairing strict`.
    package var pairsOnDemand = false
    package var pairsStrictly = false
  }

  /// The unit of the body.
  package static let body = 0

  /// The statement at an instruction. An instruction without a statement belongs to the next one in
  /// its unit; `nil` at the end of the unit.
  package func statement(at pc: Int) -> Int? {
    guard statementOf.indices.contains(pc) else { return nil }
    let next = statementOf.indices[pc...].first { unitOf[$0] == unitOf[pc] && statements.indices.contains(Int(statementOf[$0])) }
    return next.map { Int(statementOf[$0]) }
  }

  package func line(of statement: Int) -> RecipeLine {
    statements.indices.contains(statement) ? lines.line(of: statements[statement].range) : .none
  }
}
