package import Exchange
package import Recipe

/// A compiled recipe: flat register code and what its instructions refer to. Immutable, and the same for the same text.
package struct Program: Sendable {
  package var file: RecipeFile
  package var lines: LineTable
  package var code: [Op] = []
  /// The statement of each instruction, -1 for none.
  package var statementOf: [Int32] = []
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
  package var serverTable: ServerTemplate?
  package var settings = Settings()

  package var scans: [ScanSite] = []
  package var connects: [ConnectSite] = []
  package var reconnects: [ReconnectSite] = []
  package var devices: [DeviceSite] = []
  package var discovers: [DiscoverSite] = []
  package var reads: [ReadSite] = []
  package var writes: [WriteSite] = []
  package var subscribes: [SubscribeSite] = []
  package var attributes: [AttributeSite] = []
  package var untils: [WaitUntilSite] = []
  package var eventWaits: [WaitEventSite] = []
  package var tries: [TrySite] = []
  package var rescues: [[String]] = []
  package var outputs: [OutputSite] = []
  package var calls: [CallSite] = []
  package var places: [PlaceSite] = []
  package var interpolations: [Interpolation] = []
  package var handlerLists: [[Int]] = []
  package var publishes: [PublishSite] = []
  package var advertises: [AdvertiseSite] = []

  /// What `use` says.
  package struct Settings: Equatable, Sendable {
    package var operationTimeout: Int64 = 10_000_000_000
    package var strict = false
  }

  /// The body's unit.
  package static let body = 0

  package func line(of statement: Int) -> Int {
    statements.indices.contains(statement) ? lines.line(of: statements[statement].range) : 0
  }
}

/// A variable of the recipe: seen by its body, its handlers and its procedures.
package struct Variable: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    /// A `let` that nothing sets and that needs nothing from outside: text, not state.
    case constant
    case state
    case remembered
    case input
    /// Known by name only in a checkpoint.
    case secret
  }

  package var name: String
  package var kind: Kind
  /// Has a value before the body first waits.
  package var isEarly: Bool
}

/// What a checkpoint knows a statement by, and where it is in the code.
package struct StatementInfo: Equatable, Sendable {
  package var id: Int
  package var range: SourceRange
  package var normalized: String
  /// The ids of the blocks around it, outermost first.
  package var blocks: [Int]
  package var start: Int
  /// Instructions at which a fiber may stand, in order.
  package var waits: [Int]
  package var unit: Int
}

/// The value of an early top-level `let` or of a `remember`, as code of its own.
package struct Initialiser: Equatable, Sendable {
  package var variable: Int
  package var unit: Int
  package var statement: Int
  package var isConstant: Bool
}

/// Where lines begin, to tell the line of a byte.
package struct LineTable: Equatable, Sendable {
  package var starts: [UInt32]

  package init(_ text: some Sequence<UInt8>) {
    starts = [0]
    for (offset, byte) in text.enumerated() where byte == 0x0A { starts.append(UInt32(truncatingIfNeeded: offset + 1)) }
  }

  /// From 1.
  package func line(of range: SourceRange) -> Int {
    var low = 0
    var high = starts.count
    while low < high {
      let middle = (low + high) / 2
      if starts[middle] <= range.start { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// A peripheral's declaration, ready to be published once the values of `starts as` are known.
package struct ServerTemplate: Equatable, Sendable {
  package struct Attribute: Equatable, Sendable {
    package var id: ServerAttributeID
    package var service: Int
    package var path: AttributePath
    /// Where the instructions that compute `starts as` begin.
    package var initial: Int?
    package var isDescriptor: Bool
  }

  package var table: ServerTable
  package var attributes: [Attribute]
  package var advertise: Int?
}

/// What is wrong with a recipe that parses and checks but cannot be compiled.
package struct CompileError: Error, Equatable, Sendable {
  package var range: SourceRange
  package var message: String
}
