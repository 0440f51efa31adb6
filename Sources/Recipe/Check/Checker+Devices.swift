import Exchange
import Vocabulary

/// Which device a statement refers to, and whether it is connected there.
extension Checker {
  mutating func need(_ target: DeviceSyntax?, _ header: SourceRange, _ place: Place) {
    if let target, !isPathDevice(target, place) { device(target, place) } else { needsDevice(header, place) }
  }

  /// Whether `device` is the device that the path has named, as if the statement named none.
  func isPathDevice(_ target: DeviceSyntax, _ place: Place) -> Bool {
    target.kind == .name("device") && !isVariable("device", place)
  }

  mutating func attributeOfDevice(_ path: AttributePathSyntax, _ header: SourceRange, _ place: Place) {
    attribute(path, place)
    if let owner = path.device, !isPathDevice(owner, place) { return }
    if case .value = path.kind { return }
    needsDevice(header, place, attribute: path.range)
  }

  static func connections(of body: [Member], in sources: [SourceText]) -> [(key: String, range: SourceRange)] {
    var list: [(key: String, range: SourceRange)] = []
    var known: Set<String> = []
    var lastScan: (range: SourceRange, name: String?)?
    body.forEachStatement(handlers: false) { statement in
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

  /// What a statement needs of the device that it does not name.
  enum DeviceUse {
    /// A link.
    case talking
    /// An address, which a scan already gives.
    case connecting, forgetting
  }

  mutating func needsDevice(
    _ header: SourceRange, _ place: Place, for use: DeviceUse = .talking, attribute: SourceRange? = nil
  ) {
    switch place.device {
    case .given, .caller: return
    case .path:
      switch device {
      case .connected, .unreachable: return
      case .named: if use != .talking { return }
      case .none: break
      }
      notConnected(header, for: use)
    case .only:
      if device == .connected || device == .unreachable || device == .named && use != .talking { return }
      let all = connections
      if all.isEmpty {
        notConnected(header, for: use)
      } else if all.count > 1, all.allSatisfy({ !$0.key.isEmpty }) {
        ambiguous(header, all, attribute)
      }
    }
  }

  mutating func notConnected(_ header: SourceRange, for use: DeviceUse = .talking) {
    switch use {
    case .connecting:
      return report(
        Diagnostic("T211", "`connect` needs a device", at: header, "use `scan for …` first, or `connect to …`"))
    case .forgetting:
      return report(
        Diagnostic("T211", "`forget` needs a device", at: header, "use `scan for …` first, or `forget DEVICE`"))
    case .talking: break
    }
    var notes: [String] = []
    if let later = connections.first(where: { comesBefore(header, $0.range) }) {
      notes.append("\(place(later.range, from: header)) connects only after this")
    }
    var label = "`scan for …` and `connect` first"
    if notes.isEmpty, let earlier = connections.last(where: { comesBefore($0.range, header) }) {
      label =
        isEntry && earlier.range.file != header.file
        ? "the link has ended since then; `connect` again"
        : "\(place(earlier.range, from: header)) connects, but this can also be reached without a link"
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
        "T210", "which device: \(shown)?", at: header, "name the device with `of`, or put this in a `with` block", fixes: fixes))
  }

  /// `reconnect` without `to` needs a device that this body has connected.
  mutating func needsConnection(_ statement: Statement, _ place: Place) {
    if place.device == .given { return }
    if place.device == .path, device == .none || device == .named,
      !connections.contains(where: { comesBefore($0.range, statement.header) })
    {
      notConnected(statement.header)
    }
  }

  mutating func onlyInPeripheral(_ verb: String, _ range: SourceRange) {
    report(
      Diagnostic(
        "T224", "`\(verb)` belongs in a peripheral", at: range, "outside a peripheral, use `write`, `read` and `subscribe`"))
  }

  /// Whether a question may be open, possibly from an earlier entry.
  var hasQuestion: Bool { mayHaveQuestion || isEntry && facts.uses.takesQuestions }

  mutating func onlyInRequest(_ verb: String, _ range: SourceRange) {
    report(
      Diagnostic(
        "T224", "there is no request to \(verb) here", at: range,
        "requests come in `on read`, `on write` and `on passkey`, and after `wait for passkey`"))
  }
}
