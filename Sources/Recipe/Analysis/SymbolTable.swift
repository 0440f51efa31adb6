package import Exchange

/// A name that a recipe declares.
package struct DeclaredName: Equatable, Sendable {
  package enum Kind: String, Equatable, Sendable {
    case input, remembered, variable, result, element, parameter, peripheral, procedure, format
  }

  package var name: String
  package var kind: Kind
  package var declaration: SourceRange
  /// Index of the scope that declares it.
  package var scope: Int
  /// Whether it is called or its value is read anywhere.
  package var isUsed = false
}

/// A range of text with names of its own: the recipe with its included files, a handler, a
/// procedure or a peripheral.
package struct SymbolScope: Equatable, Sendable {
  package enum Kind: String, Equatable, Sendable { case recipe, handler, procedure, peripheral }

  package var kind: Kind
  /// Empty for the recipe, whose scope is all files.
  package var range: SourceRange
  /// `nil` for the recipe.
  package var parent: Int?
}

/// Scopes, names and their uses, in the order in which the check meets them.
package struct SymbolTable: Equatable, Sendable {
  package struct Use: Equatable, Sendable {
    package var symbol: Int
    package var range: SourceRange
  }

  /// The recipe's scope comes first.
  package private(set) var scopes = [SymbolScope(kind: .recipe, range: .none, parent: nil)]
  package private(set) var symbols: [DeclaredName] = []
  package private(set) var uses: [Use] = []

  mutating func open(_ kind: SymbolScope.Kind, _ range: SourceRange, in parent: Int) -> Int {
    scopes.append(SymbolScope(kind: kind, range: range, parent: parent))
    return scopes.count - 1
  }

  mutating func declare(_ name: NameSyntax, _ kind: DeclaredName.Kind, in scope: Int) -> Int {
    symbols.append(DeclaredName(name: name.text, kind: kind, declaration: name.range, scope: scope))
    return symbols.count - 1
  }

  mutating func use(_ symbol: Int, at range: SourceRange, isValue: Bool = true) {
    uses.append(Use(symbol: symbol, range: range))
    if isValue { symbols[symbol].isUsed = true }
  }

  /// The places that refer to a symbol, without its declaration.
  package func uses(of symbol: Int) -> [SourceRange] { uses.filter { $0.symbol == symbol }.map(\.range) }

  /// The symbol that is declared or used at a byte offset of a file.
  package func symbol(at offset: UInt32, file: UInt16 = 0) -> Int? {
    func holds(_ range: SourceRange) -> Bool { range.file == file && range.start <= offset && offset < range.end }
    return uses.first { holds($0.range) }?.symbol ?? symbols.firstIndex { holds($0.declaration) }
  }

  /// The innermost scope around a byte offset of a file.
  package func scope(at offset: UInt32, file: UInt16 = 0) -> Int {
    var found = 0
    for (index, scope) in scopes.enumerated().dropFirst()
    where scope.range.file == file && scope.range.start <= offset && offset < scope.range.end {
      if found == 0 || scope.range.start >= scopes[found].range.start { found = index }
    }
    return found
  }

  /// The symbols that are visible in a scope, its own first.
  package func visible(in scope: Int) -> [Int] {
    var list: [Int] = []
    var next: Int? = scope
    while let current = next, scopes.indices.contains(current) {
      list += symbols.indices.filter { symbols[$0].scope == current }
      next = scopes[current].parent
    }
    return list
  }
}
