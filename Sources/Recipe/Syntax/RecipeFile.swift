package import Exchange

/// A whole recipe as it was written: declarations by kind, and the body in its order.
///
/// Every list keeps the order of the text. `uses` and `includes` may stand in the wrong place; the
/// check says so.
package struct RecipeFile: Equatable, Sendable {
  /// The name it was opened by, for messages.
  package var name: String
  /// The text of the `##` lines at its top, lines joined by a line end.
  package var help: String?
  package var uses: [UseDeclaration] = []
  package var includes: [IncludeDeclaration] = []
  package var inputs: [InputDeclaration] = []
  package var remembers: [RememberDeclaration] = []
  package var procedures: [ProcedureDeclaration] = []
  package var formats: [FormatDeclaration] = []
  package var peripherals: [PeripheralDeclaration] = []
  package var tests: [TestDeclaration] = []
  package var body: [Member] = []
  /// All statement ids are below this number.
  package var idCount = 0

  package init(name: String) { self.name = name }

  /// What `use adapter` names.
  package var adapter: String? {
    for use in uses.reversed() where use.setting.text == "adapter" && use.range.file == 0 {
      if case .string(let text)? = use.value?.kind { return text.plain }
    }
    return nil
  }

  /// `use checkpoint off`: a run stores what it remembers, and nothing else.
  package var keepsNoCheckpoint: Bool {
    uses.contains { $0.setting.text == "checkpoint" && $0.range.file == 0 && $0.value?.kind == .name("off") }
  }

  /// Whether the adapters of its world need Bluetooth 5: it says `use scan coded`, or a peripheral
  /// names a `phy`.
  package var needsExtendedAdapters: Bool {
    uses.contains { $0.setting.text == "scan" && $0.value?.kind == .name("coded") } || peripherals.contains(where: \.namesPHY)
  }

  /// There is something to run, not only peripherals with the constants that they use.
  package var isMoreThanPeripherals: Bool {
    peripherals.isEmpty
      || body.contains { member in
        guard case .statement(let statement) = member, case .let(_, let value) = statement.kind else { return true }
        guard case .call(let name, _) = value.kind else { return false }
        return procedures.contains { $0.name.text == name.text }
      }
  }
}

/// What a block is made of.
package enum Member: Equatable, Sendable {
  case handler(Handler)
  case whenever(Whenever)
  case statement(Statement)

  package var id: Int {
    switch self {
    case .handler(let handler): handler.id
    case .whenever(let whenever): whenever.id
    case .statement(let statement): statement.id
    }
  }

  package var range: SourceRange {
    switch self {
    case .handler(let handler): handler.range
    case .whenever(let whenever): whenever.range
    case .statement(let statement): statement.range
    }
  }
}

/// A word with its place.
package struct NameSyntax: Equatable, Sendable {
  package var text: String
  package var range: SourceRange

  package init(text: String, range: SourceRange) {
    self.text = text
    self.range = range
  }
}
