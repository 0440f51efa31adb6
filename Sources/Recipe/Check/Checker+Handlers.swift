import Exchange
import Vocabulary

/// Handlers, procedures, peripherals, and the end of the body.
extension Checker {
  // MARK: - handlers

  /// Checks where a handler is written. Its body is checked later, when the names around it are
  /// complete.
  mutating func handler(_ member: Member, _ place: Place) {
    let header = header(of: member)
    if let around = place.handler {
      let title = title(of: member)
      let outerTitle = self.title(of: around)
      let lastLine = sources[of: around.range].line(of: max(around.range.end, 1) - 1)
      report(
        Diagnostic(
          "T213", "this handler ends on line \(lastLine), when `\(outerTitle)` is done", at: header,
          "move this `\(title)` to the top level",
          labels: [Diagnostic.Label(range: self.header(of: around), text: "it is inside this")],
          fixes: movingOut(member, of: around)))
      return
    }
    if place.isBranch {
      report(
        Diagnostic(
          "T213", "this `\(title(of: member))` would end with its branch of `at once`", at: header, "move it to the top level"))
      return
    }
    if place.isProcedure {
      report(Diagnostic("T213", "this `\(title(of: member))` would end with the procedure", at: header, "move it to the top level"))
      return
    }
    var inner = place
    inner.loops = 0
    waitingHandlers.append((member, inner, scopeOf(place)))
  }

  /// Reports a handler in a block that does not wait, unless it is in a place that is an error by
  /// itself.
  mutating func idle(_ member: Member, _ place: Place) {
    if place.handler != nil || place.isBranch || place.isProcedure { return handler(member, place) }
    report(
      Diagnostic(
        "T213", "this `\(title(of: member))` would end with its block, which does not wait", at: header(of: member),
        "move it to the top level; a condition goes after `where` or inside it"))
  }

  /// Moves the lines of a handler in front of the handler that contains it.
  private func movingOut(_ member: Member, of around: Member) -> [Fix] {
    let range = member.range
    let source = sources[of: range]
    let first = source.line(of: range.start)
    let last = source.line(of: max(range.end, range.start + 1) - 1)
    let outer = source.line(of: around.range.start)
    guard range.file == around.range.file, outer < first,
      source.text(range).hasPrefix(trimmed(source.lineText(first)).prefix(2)),
      let end = source.lineSpan(last), trimmed(source.text(SourceRange(start: range.end, end: UInt32(end.upperBound)))).isEmpty
    else { return [] }
    let excess = max(0, source.indentation(ofLine: first).utf8.count - source.indentation(ofLine: outer).utf8.count)
    var text = ""
    for line in first...last {
      let indent = source.indentation(ofLine: line).utf8.count
      text += source.lineText(line).dropFirst(min(indent, excess)) + "\n"
    }
    let target = source.startOfLine(outer, file: range.file)
    let gone = source.startOfLine(first, file: range.file).to(source.startOfLine(last + 1, file: range.file))
    return [
      Fix(
        lead: "move it up to line \(outer)",
        edits: [Fix.Edit(range: target, replacement: text), Fix.Edit(range: gone, replacement: "")])
    ]
  }

  /// The names that a handler sees besides its own; empty means the recipe's.
  func scopeOf(_ place: Place) -> Scope { place.isPeripheral ? outer : Scope() }

  func header(of member: Member) -> SourceRange {
    switch member {
    case .handler(let handler): handler.header
    case .whenever(let whenever): whenever.header
    case .statement(let statement): statement.header
    }
  }

  /// The handler as a message calls it: `on notify`.
  func title(of member: Member) -> String {
    switch member {
    case .handler(let handler):
      switch handler.kind {
      case .every: "every"
      case .after: "after"
      case .on(let event): "on \(eventWord(event))"
      }
    case .whenever: "whenever"
    case .statement: "statement"
    }
  }

  func eventWord(_ event: EventSyntax) -> String {
    switch event.kind {
    case .attribute(let kind, _, _): kind.rawValue
    case .connect: "connect"
    case .disconnect: "disconnect"
    case .data: "data"
    case .advertisement: "advertisement"
    case .passkey: "passkey"
    case .services: "services"
    case .line: "line"
    case .restore: "restore"
    case .stop: "stop"
    case .failure: "failure"
    case .adapter: "adapter"
    }
  }

  mutating func walk(_ member: Member, _ place: Place) {
    scope = Scope(id: symbols.open(.handler, member.range, in: outer.id))
    itFormat = nil
    itAge = nil
    // `it` is the event, the device or the tick.
    mayHaveIt = true
    mayHaveQuestion = false
    device = .none
    switch member {
    case .handler(let handler): walk(handler, member, place)
    case .whenever(let whenever):
      var inner = place
      inner.isHandler = true
      what(whenever.what, whenever.filters, inner)
      if place.isPeripheral {
        report(
          Diagnostic(
            "T214", "a peripheral does not listen to advertisements", at: whenever.header, "`whenever` works only in a recipe"))
      }
      itFormat = advertisement(of: whenever.what)
      condition(whenever.condition, inner)
      itFormat = nil
      expression(whenever.again, inner)
      pause(whenever.again, "again after", inner)
      inner.device = .given
      give(whenever.name, .parameter, id: whenever.id, value: .device)
      if let name = whenever.name, let entry = scope.find(name.text) {
        inner.given = Int32(clamping: givenNames.count)
        givenNames.append(entry)
      }
      members(whenever.body, inner)
    case .statement: return
    }
  }

  mutating func walk(_ handler: Handler, _ member: Member, _ place: Place) {
    var inner = place
    inner.isHandler = true
    inner.handler = member
    if let given = place.given, handler.isOfItsBlocksDevice { scope.add(givenNames[Int(given)]) }
    inner.given = nil
    switch handler.kind {
    case .every(let period, let at):
      expression(period, inner)
      pause(period, "every", inner)
      expression(at, inner)
      checkTime(at)
      if place.device != .given { inner.device = .only }
    case .after(let delay):
      expression(delay, inner)
      span(delay, "after", inner)
      if place.device != .given { inner.device = .only }
    case .on(let event):
      let format = on(event, handler, &inner)
      itFormat = format
      itKind = kind(ofEvent: event)
      give(handler.name, .parameter, id: handler.id, format: format, value: itKind)
      condition(handler.condition, inner)
    }
    switch handler.kind {
    case .on: break
    case .every, .after:
      itFormat = KnownRecord.tick.rawValue
      give(handler.name, .parameter, id: handler.id, format: itFormat)
    }
    members(handler.body, inner)
    itFormat = nil
  }

  /// Checks the time of `at "06:00"`.
  mutating func checkTime(_ at: Expression?) {
    switch at?.kind {
    case .number, .duration, .uuid, .address, .bytes, .boolean, .nothing, .list, .record:
      report(Diagnostic("T228", "this is not a time of day", at: at?.range ?? .none, "as in \"06:00\""))
    default: break
    }
    guard let at, case .string(let text) = at.kind, let plain = text.plain else { return }
    let parts = plain.split(separator: ":", omittingEmptySubsequences: false)
    let isTime = parts.count == 2 && parts.allSatisfy { $0.utf8.count == 2 && $0.utf8.allSatisfy(isDigit) }
    if isTime, let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60 { return }
    report(Diagnostic("T228", "this is not a time of day", at: at.range, "as in \"06:00\""))
  }

  /// Checks the event of a handler.
  /// - Returns: the format of its value, if known.
  mutating func on(_ event: EventSyntax, _ handler: Handler, _ inner: inout Place) -> String? {
    if case .data = event.kind { notYet("on data", event.range) }
    self.event(event, inner)
    if case .services = event.kind, inner.isPeripheral {
      report(
        Diagnostic(
          "T214", "`on services` works only in a recipe", at: event.range, "a peripheral has only the attributes that it declares"))
    }
    switch event.kind {
    case .attribute(let kind, let raw, let path):
      attribute(path, inner)
      inner.device = .given
      if kind == .notify {
        if !inner.isPeripheral {
          checkSubscribed(path, inner)
        } else {
          report(
            Diagnostic(
              "T214", "a peripheral receives no notifications", at: handler.header, "`on write` handles what a central writes"))
        }
      } else {
        if !inner.isPeripheral { outsidePeripheral(kind.rawValue, handler.header) }
        inner.answers = kind == .read || kind == .write
        property(path, kind == .read ? .read : kind == .write ? .write : .notify, inner)
      }
      return raw || kind != .notify && kind != .write ? nil : format(of: path)
    case .advertisement(let what, _):
      inner.device = .given
      if inner.isPeripheral {
        report(
          Diagnostic(
            "T214", "a peripheral does not listen to advertisements", at: handler.header,
            "`on advertisement` works only in a recipe"))
      }
      return advertisement(of: what)
    case .connect, .disconnect, .data, .services:
      inner.device = .given
      return nil
    case .passkey(let kind):
      inner.device = .given
      // A passkey that is only displayed needs no answer.
      inner.answers = kind != .display
      return nil
    case .failure:
      if inner.device != .given { inner.device = .only }
      return KnownRecord.failure.rawValue
    case .line, .restore, .stop, .adapter:
      if inner.device != .given { inner.device = .only }
      return nil
    }
  }

  /// The kind of the value of an event without a format, if certain.
  func kind(ofEvent event: EventSyntax) -> Kind? {
    switch event.kind {
    case .connect, .services: .device
    case .disconnect, .stop, .adapter: .text
    case .data: .bytes
    case .attribute(.notify, let raw, _), .attribute(.write, let raw, _): raw ? .bytes : nil
    case .attribute(.read, _, _), .attribute(.subscribe, _, _), .attribute(.unsubscribe, _, _), .passkey(.request): .device
    case .advertisement, .passkey, .line, .restore, .failure: nil
    }
  }

  /// Checks what events have in common in `on` and `wait for`.
  mutating func event(_ event: EventSyntax, _ place: Place) {
    switch event.kind {
    case .connect(let target), .disconnect(let target), .services(let target): if let target { device(target, place) }
    case .advertisement(let what, let filters): self.what(what, filters, place)
    default: return
    }
  }

  /// The format of `it` in an advertisement handler: its fields are known, and those of its value
  /// if the handler names one format.
  func advertisement(of what: WhatSyntax) -> String {
    guard what.targets.count == 1, case .name(let name) = what.targets[0].kind, isAdvertisingFormat(name) else {
      return KnownRecord.advertisement.rawValue
    }
    return "\(KnownRecord.advertisement.rawValue) of \(name)"
  }

  /// Whether a name is a format of advertising data, built in or of the recipe.
  func isAdvertisingFormat(_ name: String) -> Bool {
    if SIGNames.isService(name) || facts.constant(name) != nil { return false }
    guard let own = ownFormat(name) else { return FormatCatalog.isAdvertising(name) }
    switch own.purpose {
    case .manufacturer, .serviceData: return true
    case .characteristic, nil: return false
    }
  }

  mutating func outsidePeripheral(_ event: String, _ range: SourceRange) {
    report(
      Diagnostic(
        "T214", "`on \(event)` works only in a peripheral", at: range, "put it inside a `peripheral`",
        notes: event == "write" || event == "read" ? ["use `on notify` to handle values that a device sends"] : []))
  }

  /// T231: an event that can never happen, because nothing subscribes.
  mutating func checkSubscribed(_ path: AttributePathSyntax, _ place: Place) {
    guard let key = facts.key(path), !facts.isSubscribed(key, inProcedure: place.isProcedure) else { return }
    let text = text(path.range)
    let line = line(path.range)
    let isWait = !place.isHandler || place.handler.map { self.line($0.range) != line } ?? true
    let effect = isWait ? "so this would wait forever" : "so this handler would never run"
    // Declarations of a prompt stay, so a later entry can still subscribe.
    let stays = isEntry && (place.isHandler || place.isProcedure)
    report(
      Diagnostic(
        "T231", "nothing subscribes to \(text)\(stays ? " yet" : "")", at: path.range,
        stays ? "nothing arrives until you type `subscribe to \(text)`" : effect,
        severity: isEntry ? .note : .error, fixes: path.range.file == 0 && isGuessed(path.range) ? subscribing(to: path, line) : [])
    )
  }

  /// The first `write` between the last `connect` and this line in the same block. Its answer may
  /// arrive before a subscription that comes after it.
  private func lineOfAsking(before line: Int, _ range: SourceRange) -> Int? {
    let source = sources[of: range]
    let indentation = source.indentation(ofLine: line)
    guard let connection = connections.last(where: { $0.range.file == range.file && comesBefore($0.range, range) }) else {
      return nil
    }
    var first = source.line(of: connection.range.start) + 1
    // Skip earlier blocks: their statements may not run.
    while let end = (first..<max(first, line)).first(where: {
      !source.lineText($0).allSatisfy(\.isWhitespace) && source.indentation(ofLine: $0).utf8.count < indentation.utf8.count
    }) {
      first = end + 1
    }
    guard first < line else { return nil }
    return (first..<line).first {
      source.indentation(ofLine: $0) == indentation && source.lineText($0).dropFirst(indentation.utf8.count).hasPrefix("write ")
    }
  }

  /// The line of the first `connect` below a line, in the innermost block around it that connects
  /// the device; `nil` if the connection is above it.
  private func connectionBelow(_ line: Int, _ device: String?, _ source: SourceText) -> Int? {
    // The indentation in octets; nil of an empty line.
    func width(_ line: Int) -> Int? {
      guard let span = source.lineSpan(line) else { return nil }
      return source.bytes[span].firstIndex { $0 != 0x20 && $0 != 0x09 }.map { $0 - span.lowerBound }
    }
    func connects(_ line: Int) -> Bool {
      let words = source.lineText(line).split { " \t;".contains($0) }
      guard words.first == "connect" else { return false }
      return device == nil || words.count < 3 || words[1] != "to" || words[2] == device.map { $0[...] }
    }
    guard var depth = width(line) else { return nil }
    var (first, last) = (line, line)
    while true {
      while first > 1, width(first - 1).map({ $0 >= depth }) ?? true { first -= 1 }
      while last < source.lineCount, width(last + 1).map({ $0 >= depth }) ?? true { last += 1 }
      let found = (first...last).filter { width($0) == depth && connects($0) }
      if let above = found.first, above < line { return nil }
      if let below = found.first { return below }
      guard depth > 0,
        let outer = [first - 1, last + 1].compactMap({ (1...source.lineCount).contains($0) ? width($0) : nil }).max()
      else { return nil }
      depth = outer
    }
  }

  /// Inserts `subscribe to` where the device is connected: before the line, or after the first
  /// `connect` below it.
  private func subscribing(to path: AttributePathSyntax, _ line: Int) -> [Fix] {
    let range = path.range
    let source = sources[of: range]
    let device = path.device.map { self.text($0.range) }
    let text = self.text(range) + (device.map { " of \($0)" } ?? "")
    if let below = connectionBelow(line, device, source) {
      guard let end = source.lineSpan(below)?.upperBound else { return [] }
      let place = SourceRange(file: range.file, start: UInt32(end), end: UInt32(end))
      return [
        .insert("\n\(source.indentation(ofLine: below))subscribe to \(text)", after: place, lead: "add after line \(below)")
      ]
    }
    let statement = "\(source.indentation(ofLine: line))subscribe to \(text)\n"
    if let asked = lineOfAsking(before: line, range) {
      return [.insert(statement, before: sources.startOfLine(asked, in: range), lead: "add before line \(asked)")]
    }
    return [.insert(statement, before: sources.startOfLine(line, in: range), lead: "add before it")]
  }
}
