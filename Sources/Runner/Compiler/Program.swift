package import Exchange
package import Recipe

/// A compiled recipe: flat register code and what its instructions refer to. Immutable, and the
/// same for the same text.
package struct Program: Sendable {
  package var file: RecipeFile
  package var lines: LineTable
  package var code: [Op] = []
  /// The statement of each instruction, -1 for none.
  package var statementOf: [Int32] = []
  /// The unit of each instruction.
  package var unitOf: [Int32] = []
  /// The place of each instruction in the text.
  package var rangeOf: [SourceRange] = []
  package var constants: [Value] = []
  package var names: [String] = []
  package var shapes: [[String]] = []
  package var variables: [Variable] = []
  package var units: [Unit] = []
  package var statements: [StatementInfo] = []
  package var initialisers: [Initialiser] = []
  package var formats = ProgramFormats()
  /// The peripherals that `serve` names; of a simulated peripheral, itself.
  package var servers: [ServerTemplate] = []
  /// The handlers of one simulated peripheral, which serves from the start.
  package var isPeripheral = false
  package var settings = Settings()
  /// Something listens to advertisements beside `scan for`.
  package var hasListeners = false
  /// It asks when a device was heard: that is saved too.
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

  /// What `use` says.
  package struct Settings: Equatable, Sendable {
    package var operationTimeout: Int64 = 10_000_000_000
    package var strict = false
    /// How all scans listen; nothing when each listens in its own way.
    package var scan: ScanRequest.Duty?
    /// `use pairing automatic` and `use pairing strict`.
    package var pairsOnDemand = false
    package var pairsStrictly = false
  }

  /// The body's unit.
  package static let body = 0

  /// The statement that goes on at an instruction. Some belong to none, as the one that starts to
  /// listen; there it is the next in the unit, or none at its end.
  package func statement(at pc: Int) -> Int? {
    guard statementOf.indices.contains(pc) else { return nil }
    let next = statementOf.indices[pc...].first { unitOf[$0] == unitOf[pc] && statements.indices.contains(Int(statementOf[$0])) }
    return next.map { Int(statementOf[$0]) }
  }

  package func line(of statement: Int) -> RecipeLine {
    statements.indices.contains(statement) ? lines.line(of: statements[statement].range) : .none
  }
}
