import Exchange
import Vocabulary

/// Which device a statement means, and whether anything is connected there.
extension Checker {
  mutating func need(_ target: DeviceSyntax?, _ header: SourceRange, _ place: Place) {
    if let target { device(target, place) } else { needsDevice(header, place, toConnect: false) }
  }

  mutating func attributeOfDevice(_ path: AttributePathSyntax, _ header: SourceRange, _ place: Place) {
    attribute(path, place)
    guard path.device == nil else { return }
    if case .value = path.kind { return }
    needsDevice(header, place, toConnect: false, attribute: path.range)
  }

  static func connections(of recipe: RecipeFile, in sources: [SourceText]) -> [(key: String, range: SourceRange)] {
    var list: [(key: String, range: SourceRange)] = []
    var known: Set<String> = []
    var lastScan: (range: SourceRange, name: String?)?
    recipe.body.forEachStatement(handlers: false) { statement in
      switch statement.kind {
      case .scan(let scan): if scan.mode != .all { lastScan = (statement.header, scan.name?.text) }
      case .connect(let connect):
        let key: String
        if let target = connect.device {
          key = sources.text(target.range)
        } else {
          key = lastScan.map { $0.name ?? "the device of line \(sources.line(of: $0.range))" } ?? ""
        }
        if known.insert(key).inserted { list.append((key, statement.header)) }
      default: break
      }
    }
    return list
  }

  mutating func needsDevice(_ header: SourceRange, _ place: Place, toConnect: Bool, attribute: SourceRange? = nil) {
    switch place.device {
    case .given, .caller: return
    case .path:
      switch device {
      case .connected, .unreachable: return
      case .named: if toConnect { return }
      case .none: break
      }
      notConnected(header, toConnect: toConnect)
    case .only:
      if device == .connected || device == .unreachable || device == .named && toConnect { return }
      let all = connections
      if all.isEmpty {
        notConnected(header, toConnect: toConnect)
      } else if all.count > 1, all.allSatisfy({ !$0.key.isEmpty }) {
        ambiguous(header, all, attribute)
      }
    }
  }

  mutating func notConnected(_ header: SourceRange, toConnect: Bool) {
    if toConnect {
      report(Diagnostic("T211", "connect to what?", at: header, "nothing was scanned for: `scan for …` first, or `connect to …`"))
      return
    }
    var notes: [String] = []
    if let later = connections.first(where: { comesBefore(header, $0.range) }) {
      notes.append("\(place(later.range, from: header)) connects only after this")
    }
    var label = "`scan for …` and `connect` first"
    if notes.isEmpty, let earlier = connections.last(where: { comesBefore($0.range, header) }) {
      label = "\(place(earlier.range, from: header)) connects, but this is reached without a link, too"
    }
    report(Diagnostic("T211", "not connected to anything here", at: header, label, notes: notes))
  }

  mutating func ambiguous(_ header: SourceRange, _ all: [(key: String, range: SourceRange)], _ attribute: SourceRange?) {
    let shown = all.prefix(3).map { "`\($0.key)` (\(place($0.range, from: header)))" }.joined(separator: " or ")
    let fixes: [Fix] = all.prefix(3).compactMap { entry in
      guard let attribute, Words.isName(entry.key), entry.key.utf8.allSatisfy(isWordByte) else { return nil }
      return .insert(" of \(entry.key)", after: attribute)
    }
    report(
      Diagnostic(
        "T210", "which device: \(shown)?", at: header, "say which with `of`, or put this into a `with` block", fixes: fixes))
  }

  /// `reconnect` without `to` needs something that this body has connected.
  mutating func needsConnection(_ statement: Statement, _ place: Place) {
    if place.device == .given { return }
    if place.device == .path, device == .none || device == .named,
      !connections.contains(where: { comesBefore($0.range, statement.header) })
    {
      notConnected(statement.header, toConnect: false)
    }
  }

  mutating func onlyInPeripheral(_ verb: String, _ range: SourceRange) {
    report(
      Diagnostic(
        "T224", "`\(verb)` belongs in a peripheral", at: range, "a recipe that is no peripheral writes, reads and subscribes"))
  }

  mutating func onlyInRequest(_ verb: String, _ range: SourceRange) {
    report(
      Diagnostic("T224", "there is no request to \(verb) here", at: range, "it belongs in `on read` or `on write` of a peripheral"))
  }
}
