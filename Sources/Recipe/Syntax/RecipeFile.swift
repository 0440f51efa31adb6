package import Exchange

/// A parsed recipe: declarations by kind, and the body in order.
///
/// Lists keep the order of the text. `uses` and `includes` may be in the wrong place, which the
/// check reports.
package struct RecipeFile: Equatable, Sendable {
  /// The name by which it was opened, for messages.
  package var name: String
  /// The `##` lines at its top, joined by line ends.
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

  /// The adapter that `use adapter` names.
  package var adapter: String? {
    for use in uses.reversed() where use.setting.text == "adapter" && use.range.file == 0 {
      if case .string(let text)? = use.value?.kind { return text.plain }
    }
    return nil
  }

  /// `use checkpoint off`: a run stores only what it remembers.
  package var keepsNoCheckpoint: Bool {
    uses.contains { $0.setting.text == "checkpoint" && $0.range.file == 0 && $0.value?.kind == .name("off") }
  }

  /// Whether its simulated adapters need Bluetooth 5, because it has `use scan coded` or a
  /// peripheral that names a `phy`.
  package var needsExtendedAdapters: Bool {
    uses.contains { $0.setting.text == "scan" && $0.value?.kind == .name("coded") } || peripherals.contains(where: \.namesPHY)
  }

  /// Whether it does more than declare peripherals and their constants.
  package var isMoreThanPeripherals: Bool {
    peripherals.isEmpty
      || body.contains { member in
        guard case .statement(let statement) = member, case .let(_, let value) = statement.kind else { return true }
        guard case .call(let name, _) = value.kind else { return false }
        return procedures.contains { $0.name.text == name.text }
      }
  }
}

/// An element of a block.
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

/// A word with its range.
package struct NameSyntax: Equatable, Sendable {
  package var text: String
  package var range: SourceRange

  package init(text: String, range: SourceRange) {
    self.text = text
    self.range = range
  }
}
