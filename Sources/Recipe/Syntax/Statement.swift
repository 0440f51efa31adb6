package import Exchange

/// A statement: a one-line action or a block.
package struct Statement: Equatable, Sendable {
  /// Unique in the file, in textual order. Handlers, rescues, procedures and `remember` share the
  /// numbers.
  package var id: Int
  package var kind: StatementKind
  /// The whole statement, up to `end` if it is a block, but without a one-line `otherwise`.
  package var range: SourceRange
  /// The statement itself, or the header line of a block.
  package var header: SourceRange
  /// The tokens of `header`, separated by single spaces and without comments. Identifies the
  /// statement in a checkpoint.
  package var normalized: String
  private var rescue: [Statement] = []

  package init(
    id: Int, kind: StatementKind, range: SourceRange, header: SourceRange, normalized: String,
    otherwise: Statement? = nil
  ) {
    self.id = id
    self.kind = kind
    self.range = range
    self.header = header
    self.normalized = normalized
    self.otherwise = otherwise
  }

  /// The action after `otherwise` on the same line. The `otherwise` of a `try` is one of its
  /// rescues instead.
  package var otherwise: Statement? {
    get { rescue.first }
    set { rescue = newValue.map { [$0] } ?? [] }
  }
}

/// All actions and blocks of the grammar.
package enum StatementKind: Equatable, Sendable {
  // client
  case scan(ScanStatement)
  case connect(ConnectStatement)
  case reconnect(ReconnectStatement)
  case disconnect(DeviceSyntax?)
  case pair(PairStatement)
  case forget(DeviceSyntax?)
  case discover(DiscoverStatement)
  case request(setting: NameSyntax, value: Expression)
  case read(ReadStatement)
  case write(WriteStatement)
  case subscribe(SubscribeStatement)
  case unsubscribe([AttributePathSyntax])
  case wait(WaitStatement)
  // output and files
  case output(OutputStatement)
  case append(value: Expression, file: Expression)
  case save(value: Expression, file: Expression)
  case progress(value: Expression, total: Expression)
  case run(RunStatement)
  case ask(AskStatement)
  // values and control
  case `let`(name: NameSyntax, value: Expression)
  case set(place: PlaceSyntax, value: Expression)
  case expect(condition: Expression, message: Expression?)
  case stop(StopStatement)
  case fail(message: Expression, code: Expression?)
  case `return`(Expression?)
  case leave
  case skip
  case restart
  case checkpoint
  // channels
  case openChannel(OpenChannelStatement)
  case send(SendStatement)
  case close(DeviceSyntax)
  // peripheral side
  case serve(NameSyntax)
  case advertise(AdvertiseStatement)
  case notify(NotifyStatement)
  case update(attribute: AttributePathSyntax, value: Expression)
  case answer(Expression)
  case refuse(Expression?)
  // tests
  case simulate(SimulateStatement)
  case startRecipe(StartRecipeStatement)
  case kill(NameSyntax)
  case resume(NameSyntax)
  case make(MakeStatement)
  // procedures
  case call(name: NameSyntax, arguments: [ArgumentSyntax])
  // a value that a prompt displays
  case value(Expression)
  // blocks
  case `if`(IfStatement)
  case `repeat`(RepeatStatement)
  case forEach(ForEachStatement)
  case `try`(TryStatement)
  case with(device: DeviceSyntax, body: [Member])
}

extension StatementKind {
  /// The names that it gives with `let`, `as` or `for each`.
  var givenNames: [NameSyntax] {
    switch self {
    case .let(let name, _): [name]
    case .scan(let scan): scan.name.map { [$0] } ?? []
    case .read(let read): read.name.map { [$0] } ?? []
    case .wait(.event(_, _, _, let name)): name.map { [$0] } ?? []
    case .run(let run): run.name.map { [$0] } ?? []
    case .ask(let ask): ask.name.map { [$0] } ?? []
    case .openChannel(let channel): [channel.name]
    case .simulate(let simulate): simulate.name.map { [$0] } ?? []
    case .startRecipe(let start): start.name.map { [$0] } ?? []
    case .forEach(let loop): loop.atOnce == nil ? [loop.name] : []
    case .try(let attempt): attempt.rescues.compactMap(\.name)
    default: []
    }
  }
}
