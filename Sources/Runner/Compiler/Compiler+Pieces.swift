import Exchange
import Recipe
import Vocabulary

extension Compiler {
  mutating func within(_ syntax: WithinSyntax?) -> WithinSite {
    switch syntax?.kind {
    case nil: .standard
    case .forever: .forever
    case .duration(let value): .computed(expression(value))
    }
  }

  mutating func device(_ syntax: DeviceSyntax?) -> DeviceSite {
    switch syntax?.kind {
    case nil: return .current
    case .name("device") where lookUp("device") == nil: return .current
    case .name(let name):
      if let operand = lookUp(name) {
        requireValue(of: operand, syntax?.range ?? .none)
        return .value(operand)
      }
      fail("there is no device `\(name)` here", syntax?.range ?? .none)
      return .current
    case .address(let literal): return .value(constant(.address(literal.addressValue), syntax?.range ?? .none))
    case .expression(let value): return .value(expression(value))
    }
  }

  enum UUIDRole { case service, characteristic, descriptor }

  /// A name in ATTR position is a literal `let`, an input, or a SIG name, and nothing else.
  mutating func uuid(_ syntax: UUIDSyntax, _ role: UUIDRole) -> UUIDSite {
    switch syntax.kind {
    case .literal(let uuid): return .fixed(uuid)
    case .name(let name):
      if case .uuid(let uuid)? = literals[name] { return .fixed(uuid) }
      if let input = file.inputs.first(where: { $0.name.text == name && $0.type.text == "uuid" }),
        let operand = lookUp(input.name.text)
      {
        return .value(operand)
      }
      let found: UUID? =
        switch role {
        case .service: AssignedNumbers.service(named: name)
        case .characteristic: AssignedNumbers.characteristic(named: name)
        case .descriptor: AssignedNumbers.descriptor(named: name)
        }
      if let found { return .fixed(found) }
      fail("there is no attribute `\(name)`", syntax.range)
      return .fixed(UUID(0))
    }
  }

  mutating func attribute(_ syntax: AttributePathSyntax) -> AttributeSite {
    let target = device(syntax.device)
    switch syntax.kind {
    case .handle(let value):
      knowAllFormats()
      if case .number(let number) = value.kind, case .integer(let raw) = number.value, (1...0xFFFF).contains(raw) {
        let handle = AttributeHandle(UInt16(raw))
        return AttributeSite(
          form: .fixed(AttributePath(form: .handle(handle), text: "handle \(handle)")), device: target, text: "handle \(handle)")
      }
      return AttributeSite(form: .handle(expression(value)), device: target, text: "the handle")
    case .value(let value):
      knowAllFormats()
      return AttributeSite(form: .value(expression(value)), device: target, text: "the attribute")
    case .path(let steps):
      if steps.count == 1, case .name("rssi") = steps[0].uuid.kind, lookUp("rssi") == nil {
        return AttributeSite(form: .rssi, device: target, text: "rssi")
      }
      return attribute(steps, target, syntax)
    }
  }

  /// Only the run knows which characteristic is meant, so any of the recipe's formats may apply.
  private mutating func knowAllFormats() { program.formats.knowAll(in: file, named: literals) }

  private mutating func attribute(
    _ steps: [AttributePathSyntax.Step], _ target: DeviceSite, _ syntax: AttributePathSyntax
  ) -> AttributeSite {
    let text = steps.map { step in
      switch step.uuid.kind {
      case .name(let name): step.index == nil ? name : "\(name)[…]"
      case .literal(let uuid): uuid.description
      }
    }.list(by: "/")
    guard steps.count <= 3 else {
      fail("an attribute path is at most service/characteristic/descriptor", syntax.range)
      return AttributeSite(form: .rssi, device: target, text: text)
    }
    var roles: [UUIDRole] = [.characteristic]
    if steps.count == 3 { roles = [.service, .characteristic, .descriptor] }
    if steps.count == 2 { roles = isDescriptor(steps[1].uuid) ? [.characteristic, .descriptor] : [.service, .characteristic] }
    var service: AttributeSite.Step?
    var characteristic = AttributeSite.Step(uuid: .fixed(UUID(0)), instance: nil)
    var descriptor: AttributeSite.Step?
    for (step, role) in zip(steps, roles) {
      let site = AttributeSite.Step(uuid: uuid(step.uuid, role), instance: step.index.map { expression($0) })
      switch role {
      case .service: service = site
      case .characteristic: characteristic = site
      case .descriptor: descriptor = site
      }
    }
    if case .fixed(let uuid) = characteristic.uuid {
      program.formats.know(uuid, in: file, named: literals)
    } else {
      knowAllFormats()
    }
    let form = AttributeSite.Form.steps(service: service, characteristic: characteristic, descriptor: descriptor)
    let site = AttributeSite(form: form, device: target, text: text)
    if let fixed = AttributePath(
      fixing: form, text: text, value: { operand in operand.isConstant ? program.constants[operand.index] : nil })
    {
      return AttributeSite(form: .fixed(fixed), device: target, text: text)
    }
    return site
  }

  private func isDescriptor(_ syntax: UUIDSyntax) -> Bool {
    switch syntax.kind {
    case .name(let name):
      if literals[name] != nil { return false }
      return AssignedNumbers.descriptor(named: name) != nil && AssignedNumbers.characteristic(named: name) == nil
    case .literal(let uuid): return uuid.short.map { (0x2900...0x29FF).contains($0) } ?? false
    }
  }

  mutating func advertiseSite(_ advertise: AdvertiseStatement, _ range: SourceRange) -> UInt16 {
    let services = advertise.targets.map { target -> UUIDSite in
      switch target.kind {
      case .name(let name): uuid(UUIDSyntax(kind: .name(name), range: target.range), .service)
      case .uuid(let uuid): .fixed(uuid)
      case .address, .string:
        {
          fail("advertise a service by its name or UUID", target.range)
          return .fixed(UUID(0))
        }()
      }
    }
    let every = advertise.every.map { operand($0, before: [advertise.with]) }
    let with = advertise.with.map { expression($0) }
    return pooled(\.advertises, AdvertiseSite(services: services, every: every, with: with), range)
  }

  /// Compiles a condition that runs on each candidate. The code is jumped over and ends with
  /// `predicateEnd`.
  mutating func predicate(_ condition: Expression?) -> Int? {
    guard let condition else { return nil }
    let over = emit(.jump, at: condition.range)
    let start = here
    let mark = unit.top
    let value = expression(condition)
    emit(.predicateEnd, value, at: condition.range)
    // Keep its temporaries apart from those of the statement, which are alive during evaluation.
    unit.top = max(mark, unit.top)
    patch(over)
    return start
  }

  mutating func compile(_ scan: ScanStatement, _ range: SourceRange) {
    var site = scanSite(scan.what, scan.filters)
    site.mode = scan.mode
    site.within = within(scan.within)
    site.predicate = predicate(scan.condition)
    site.destination = scan.name.map { declare($0.text, $0.range) }
    emit(.scan, Operand(raw: pooled(\.scans, site, range)), at: range)
  }

  /// The targets and filters of a scan for the first match, without a condition.
  private mutating func scanSite(_ what: WhatSyntax, _ filters: [FilterSyntax]) -> ScanSite {
    var site = ScanSite(
      mode: .first, targets: [], named: [], strongerThan: [], madeBy: [], predicate: nil, within: .standard, destination: nil,
      text: "")
    var texts: [String] = []
    var demands: [String] = []
    for target in what.targets {
      let (found, text) = self.target(target)
      texts.append(text)
      if let found { site.targets.append(found) }
    }
    for filter in filters {
      switch filter.kind {
      case .named(let string):
        guard let plain = string.plain else {
          fail("the pattern after `named` must be plain text", filter.range)
          continue
        }
        site.named.append(plain)
        demands.append("named \"\(plain)\"")
      case .strongerThan(let value):
        site.strongerThan.append(expression(value))
        demands.append("stronger than \(Self.number(value).map { "\($0) dBm" } ?? "its limit")")
      case .soliciting(let service):
        site.soliciting.append(uuid(service, .service))
        demands.append("soliciting \(Self.words(service))")
      case .madeBy(.number(let company)):
        site.madeBy.append(company)
        demands.append("made by company \(company)")
      case .madeBy(.name(let name)):
        guard let company = AssignedNumbers.company(named: name) else {
          fail("there is no company `\(name)`", filter.range)
          continue
        }
        site.madeBy.append(company)
        demands.append("made by \(name)")
      }
    }
    site.text = texts.isEmpty ? "anything" : texts.list(by: " or ")
    for demand in demands { site.text += " " + demand }
    return site
  }

  private static func words(_ service: UUIDSyntax) -> String {
    switch service.kind {
    case .name(let name): name
    case .literal(let uuid): AssignedNumbers.name(ofService: uuid) ?? uuid.description
    }
  }

  /// The number of a literal, which may be negative.
  private static func number(_ value: Expression) -> String? {
    switch value.kind {
    case .number(let literal): if case .integer(let number) = literal.value { "\(number)" } else { nil }
    case .unary(.negate, let inside): number(inside).map { "-\($0)" }
    default: nil
    }
  }

  /// The scan of a handler, whose values are computed by separate code before each search.
  mutating func handlerScan(_ what: WhatSyntax, _ filters: [FilterSyntax], _ range: SourceRange) -> UInt16 {
    program.hasListeners = true
    let start = here
    var site = scanSite(what, filters)
    if here > start {
      emit(.predicateEnd, constant(.nothing, range), at: range)
      site.prologue = start
    }
    return pooled(\.scans, site, range)
  }

  private mutating func target(_ target: TargetSyntax) -> (ScanSite.Target?, String) {
    switch target.kind {
    case .uuid(let uuid): return (.service(uuid), AssignedNumbers.name(ofService: uuid) ?? uuid.description)
    case .address(let literal): return (.address(literal.addressValue), literal.addressValue.description)
    case .string(let string):
      if let plain = string.plain { return (.name(plain), "\"\(plain)\"") }
      return (.value(expression(Expression(kind: .string(string), range: target.range))), "that name")
    case .name(let name):
      if let literal = literals[name] {
        switch literal {
        case .uuid(let uuid): return (.service(uuid), name)
        case .address(let address): return (.address(address), name)
        case .text(let text): return (.name(text), name)
        default: break
        }
      }
      if file.inputs.contains(where: { $0.name.text == name }), let operand = lookUp(name) { return (.value(operand), name) }
      if let uuid = AssignedNumbers.service(named: name) { return (.service(uuid), name) }
      if let format = program.formats.advertised(name, in: file, named: literals) { return (.format(format), name) }
      fail("devices do not advertise anything named `\(name)`", target.range)
      return (nil, name)
    }
  }

  mutating func compile(_ wait: WaitStatement, _ range: SourceRange) {
    switch wait {
    case .forever: emit(.waitForever, at: range)
    case .duration(let span): emit(.waitSpan, expression(span), at: range)
    case .until(let condition, let limit):
      let within = within(limit)
      let mentionsNow = condition.calls { $0 == "now" }
      let site = WaitUntilSite(predicate: predicate(condition) ?? 0, within: within, mentionsNow: mentionsNow)
      emit(.waitUntil, Operand(raw: pooled(\.untils, site, range)), at: range)
    case .event(let event, let condition, let limit, let name):
      let within = within(limit)
      guard let found = self.event(event) else { return }
      let predicate = predicate(condition)
      let destination = name.map { declare($0.text, $0.range) }
      let site = WaitEventSite(
        event: found, predicate: predicate, within: within, destination: destination, unit: unit.index,
        peripheral: peripheral?.name.text)
      emit(.waitEvent, Operand(raw: pooled(\.eventWaits, site, range)), at: range)
    }
  }

  mutating func event(_ event: EventSyntax) -> EventSite? {
    switch event.kind {
    case .attribute(let kind, let raw, let path):
      let site = attribute(path)
      switch kind {
      case .notify: return .notify(site, raw: raw)
      case .write: return .write(site, raw: raw)
      case .read: return .read(site)
      case .subscribe: return .subscribe(site)
      case .unsubscribe: return .unsubscribe(site)
      }
    case .connect(let target): return .connect(target.map { device($0) })
    case .disconnect(let target): return .disconnect(target.map { device($0) })
    case .services(let target): return .services(target.map { device($0) })
    case .restore: return .restore
    case .stop: return .stop
    case .failure: return .failure
    case .advertisement(let what, let filters):
      program.hasListeners = true
      return .advertisement(Int(pooled(\.scans, scanSite(what, filters), event.range)))
    case .line: return .line
    case .adapter: return .adapter
    case .passkey(let kind): return .passkey(kind)
    case .data:
      fail("not supported yet", event.range)
      return nil
    }
  }

  mutating func compile(_ place: PlaceSyntax, _ value: Expression, _ range: SourceRange) {
    let root: Operand
    var place = place
    if let known = lookUp(place.name.text) {
      root = known
    } else if case .member(let field)? = place.steps.first, let own = serverVariable(of: place.name.text, field) {
      root = own
      place.steps.removeFirst()
    } else if place.name.text == "device" {
      root = .device
    } else {
      fail("there is no `\(place.name.text)` to set", place.name.range)
      return
    }
    let isRemembered = root.isGlobal && program.variables[root.index].kind == .remembered
    if place.steps.isEmpty, !isRemembered {
      if case .call(let procedure, let arguments) = value.kind {
        call(procedure, arguments, into: root, value.range)
      } else {
        _ = expression(value, into: root)
      }
      return
    }
    if isRemembered, place.steps.isEmpty, case .binary(.add, let left, let right) = value.kind,
      left.isPlace(place.name.text, []), !callsProcedure(right)
    {
      // It grows in place. What it has already may be remembered.
      let more = expression(right)
      emit(.mayRemember, more, at: value.range)
      emit(.add, root, root.raw, more.raw, at: value.range)
      return
    }
    let held = temporary(value.range)
    var grows = false
    if case .call(let procedure, let arguments) = value.kind {
      call(procedure, arguments, into: held, value.range)
    } else if !place.steps.isEmpty, case .binary(.add, let left, let right) = value.kind,
      left.isPlace(place.name.text, place.steps[...]), !callsProcedure(right)
    {
      grows = true
      // `growPlace` expects the part in the next local.
      let part = temporary(left.range)
      _ = expression(left, into: part)
      _ = expression(right, into: held)
    } else {
      _ = expression(value, into: held)
    }
    if isRemembered { emit(.mayRemember, held, at: value.range) }
    if place.steps.isEmpty {
      emit(.move, root, held.raw, at: range)
      return
    }
    var steps: [PlaceSite.Step] = []
    var indices: [Expression] = []
    for step in place.steps {
      switch step {
      case .member(let name): steps.append(.member(name.text))
      case .index(let index):
        steps.append(.index)
        indices.append(index)
      }
    }
    requireValue(of: root, range)
    let first = consecutive(indices, range)
    let site = pooled(\.places, PlaceSite(root: root, steps: steps, grows: grows), range)
    emit(.setPlace, Operand(raw: site), held.raw, first.raw, at: place.range)
  }
}

extension Expression {
  /// Whether it reads the place with this name and these steps.
  fileprivate func isPlace(_ root: String, _ steps: ArraySlice<PlaceSyntax.Step>) -> Bool {
    switch (steps.last, kind) {
    case (nil, .name(let name)): name == root
    case (.member(let name), .member(let base, let field)): field.text == name.text && base.isPlace(root, steps.dropLast())
    case (.index(let index), .index(let base, let other)): index.isSame(as: other) && base.isPlace(root, steps.dropLast())
    default: false
    }
  }

  /// Whether both are the same name, number, plain text or member of a name.
  private func isSame(as other: Expression) -> Bool {
    switch (kind, other.kind) {
    case (.name(let name), .name(let second)): name == second
    case (.number(let number), .number(let second)): number == second
    case (.string(let string), .string(let second)): string.plain != nil && string.plain == second.plain
    case (.member(let base, let field), .member(let second, let name)): field.text == name.text && base.isSame(as: second)
    default: false
    }
  }
}
