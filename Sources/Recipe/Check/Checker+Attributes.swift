import Exchange
import Vocabulary

/// The meaning of names in ATTR and WHAT position.
extension Checker {
  enum Role { case service, characteristic, descriptor, any }

  mutating func attribute(_ path: AttributePathSyntax, _ place: Place) {
    if let owner = path.device, !isPathDevice(owner, place) { device(owner, place) }
    switch path.kind {
    case .handle(let value): expression(value, place)
    case .value(let value):
      expression(value, place)
      attributeValue(value, place)
    case .path(let steps):
      for step in steps { expression(step.index, place) }
      if steps.count == 1, case .name("rssi") = steps[0].uuid.kind { return }
      let roles: [Role] =
        switch steps.count {
        case 1: [.characteristic]
        case 2: Facts.isDescriptor(steps[1].uuid) ? [.characteristic, .descriptor] : [.service, .characteristic]
        default: [.service, .characteristic, .descriptor]
        }
      for (step, role) in zip(steps, roles) { uuid(step.uuid, role, place) }
    }
  }

  /// Checks a name in UUID position: a constant `let`, an `input` of type uuid, or a SIG name.
  mutating func uuid(_ syntax: UUIDSyntax, _ role: Role, _ place: Place) {
    guard case .name(let name) = syntax.kind else {
      if case .literal(let literal) = syntax.kind { magicNumber(literal, syntax.range, role) }
      return
    }
    if isUUIDName(name) {
      use(name, syntax.range)
      return
    }
    let isKnown: Bool =
      switch role {
      case .service: SIGNames.isService(name)
      case .characteristic: SIGNames.isCharacteristic(name)
      case .descriptor: SIGNames.isDescriptor(name)
      case .any: SIGNames.isAny(name)
      }
    if isKnown { return }
    if isVariable(name, place) {
      use(name, syntax.range)
      let spelling = spelling(ofValue: name, place)
      var hint: String?
      if spelling != nil { hint = "put the value in parentheses" }
      if quotedUUID(name) != nil { hint = "write the UUID without quotes" }
      if isNumber(name, place) { hint = "`let \(name) = 0x…`, never changed, names a UUID; `handle (\(name))` is a handle" }
      report(
        Diagnostic(
          "T206", "`\(name)` is a value, not an attribute name", at: syntax.range, hint ?? "use an attribute name or a UUID",
          fixes: spelling.map { [.replace(syntax.range, with: $0)] } ?? quotedUUID(name).map { [$0] } ?? []))
      return
    }
    unknownAttribute(name, syntax.range, role)
  }

  /// Removes the quotes in `let led = "5c1d0003-…"`.
  private func quotedUUID(_ name: String) -> Fix? {
    guard let value = facts.constant(name), case .string(let text) = value.kind, let plain = text.plain, UUID(plain) != nil else {
      return nil
    }
    return .replace(value.range, with: plain)
  }

  /// Suggests the name of a UUID that is written as a number.
  mutating func magicNumber(_ uuid: UUID, _ range: SourceRange, _ role: Role) {
    let name: String? =
      switch role {
      case .service: AssignedNumbers.name(ofService: uuid)
      case .characteristic: AssignedNumbers.name(ofCharacteristic: uuid)
      case .descriptor: AssignedNumbers.name(ofDescriptor: uuid)
      case .any: AssignedNumbers.name(ofService: uuid) ?? AssignedNumbers.name(ofCharacteristic: uuid)
      }
    guard let name, !facts.topNames.contains(name) else { return }
    report(
      Diagnostic(
        "T247", "this is \(name)", at: range, "use the name instead", severity: .warning, fixes: [.replace(range, with: name)]))
  }

  func isVariable(_ name: String, _ place: Place) -> Bool {
    scope.find(name) != nil || place.hasNamesAround && (outer.find(name) != nil || recipeScope.find(name) != nil)
  }

  func isUUIDName(_ name: String) -> Bool {
    if recipe.inputs.contains(where: { $0.name.text == name && $0.type.text == "uuid" }) { return true }
    return facts.constant(name).map { Facts.uuid($0) != nil } ?? false
  }

  mutating func unknownAttribute(_ name: String, _ range: SourceRange, _ role: Role) {
    let (what, kinds): (String, [AssignedNumbers.Kind]) =
      switch role {
      case .service: ("service", [.service])
      case .characteristic: ("characteristic", [.characteristic])
      case .descriptor: ("descriptor", [.descriptor])
      case .any: ("service or characteristic", [.service, .characteristic])
      }
    if role == .characteristic, let service = AssignedNumbers.service(named: name) {
      let own = HomeService.characteristics(of: service).compactMap { AssignedNumbers.name(ofCharacteristic: $0) }
      let main = HomeService.main(of: service).flatMap { AssignedNumbers.name(ofCharacteristic: $0) }
      report(
        Diagnostic(
          "T207", "\(name) is a service; only characteristics have values", at: range, main.map { "did you mean `\($0)`?" } ?? "",
          fixes: main.map { [.replace(range, with: $0)] } ?? [],
          notes: main == nil && !own.isEmpty ? ["it has \(own.prefix(8).joined(separator: ", "))"] : []))
      return
    }
    let own = allNearest(to: name, at: range, among: facts.constants.filter { Facts.uuid($0.value) != nil }.map(\.name))
    if !own.isEmpty {
      report(
        Diagnostic(
          "T206", "there is no \(what) `\(name)`", at: range, "did you mean \(own.map { "`\($0)`" }.list(by: " or "))?",
          fixes: own.map { .replace(range, with: $0) }))
      return
    }
    let near = suggestions(for: name, at: range, kinds: kinds)
    if !near.isEmpty {
      let shown = near.map { name in
        "`\(name)`" + (AssignedNumbers.number(named: name, kind: kinds[0]).map { " (0x\(Hex.text($0)))" } ?? "")
      }
      report(
        Diagnostic(
          "T206", "there is no \(what) `\(name)`", at: range, "did you mean \(shown.list(by: " or "))?",
          fixes: near.map { .replace(range, with: $0) }))
      return
    }
    report(
      Diagnostic(
        "T206", "there is no \(what) `\(name)`", at: range, "it is not a Bluetooth SIG name",
        notes: ["to name your own UUID, put `let \(name) = 6e400001-b5a3-f393-e0a9-e50e24dcca9e` at the top"]))
  }

  // MARK: - WHAT

  mutating func what(_ what: WhatSyntax, _ filters: [FilterSyntax], _ place: Place) {
    for target in what.targets { self.target(target, place, isScan: true) }
    for filter in filters {
      switch filter.kind {
      case .named(let text): string(text, place)
      case .strongerThan(let value):
        expression(value, place)
        if case .number(let literal) = value.kind, case .integer(let number) = literal.value, number > 0 {
          report(
            Diagnostic(
              "T243", "signal strengths are below 0 dBm", at: value.range, "did you mean `-\(number)dBm`?",
              severity: .warning, fixes: [.replace(value.range, with: "-\(number)dBm")]))
        }
      case .madeBy(.name(let name)):
        if AssignedNumbers.company(named: name) == nil {
          let place = SourceRange(file: filter.range.file, start: filter.range.end - UInt32(name.utf8.count), end: filter.range.end)
          let near = nearest(
            to: name, at: place, among: AssignedNumbers.companyNames.flatMap { [$0, String($0.prefix { $0 != "_" })] })
          report(
            Diagnostic(
              "T206", "there is no company `\(name)`", at: filter.range,
              near.map { "did you mean `\($0)`?" } ?? "you can also give its number, as in 0x004c",
              fixes: near.map { [.replace(place, with: $0)] } ?? []))
        }
      case .madeBy(.number): break
      case .soliciting(let service): uuid(service, .service, place)
      }
    }
  }

  mutating func target(_ target: TargetSyntax, _ place: Place, isScan: Bool) {
    switch target.kind {
    case .uuid(let uuid): magicNumber(uuid, target.range, .service)
    case .address: return
    case .string(let text):
      string(text, place)
      if isScan, let plain = text.plain { checkQuoted(plain, target.range) }
      if !isScan {
        report(
          Diagnostic(
            "T207", "advertise a service by its name or UUID", at: target.range,
            "set the device name in the first line: `peripheral NAME named \"…\"`"))
      }
    case .name(let name):
      if isUUIDName(name) {
        use(name, target.range)
        return
      }
      if isScan, let constant = facts.constant(name) {
        use(name, target.range)
        switch constant.kind {
        case .address, .string: return
        default: break
        }
      }
      if isScan, recipe.inputs.contains(where: { $0.name.text == name && ["text", "address", "uuid"].contains($0.type.text) }) {
        use(name, target.range)
        return
      }
      if SIGNames.isService(name) {
        if isScan, ["battery_service", "battery", "device_information", "generic_access", "generic_attribute"].contains(name) {
          report(
            Diagnostic(
              "T241", "few devices advertise \(name)", at: target.range,
              "scan by name, or for the device's main service",
              severity: .warning))
        }
        return
      }
      if let declared = recipe.formats.first(where: { $0.name.text == name }) {
        switch declared.purpose {
        case .manufacturer, .serviceData:
          if let symbol = formatSymbols[name] { symbols.use(symbol, at: target.range) }
          return
        default:
          if FormatCatalog.isAdvertising(name) {
            report(
              Diagnostic(
                "T207", "your format `\(name)` does not say where it is advertised", at: target.range,
                "end its first line with `for service_data …` or `for manufacturer …`",
                labels: [Diagnostic.Label(range: declared.header, text: "declared here")]))
            return
          }
        }
      }
      if FormatCatalog.isAdvertising(name) { return }
      if isVariable(name, place), isScan {
        use(name, target.range)
        if let value = facts.value(name), case .name(let service) = value.kind, SIGNames.isService(service) {
          report(
            Diagnostic(
              "T206", "`\(name)` is another name of a service", at: target.range, "scan for the service itself",
              fixes: [.replace(target.range, with: service)]))
          return
        }
        report(
          Diagnostic(
            "T206", "`\(name)` is not a constant", at: target.range,
            "scan for a service, text, address or constant `let`"))
        return
      }
      if SIGNames.isCharacteristic(name) {
        let service = serviceNamed(like: name)
        report(
          Diagnostic(
            "T207", "\(name) is a characteristic; devices advertise services", at: target.range,
            service.map { "did you mean `\($0)`?" } ?? "",
            fixes: service.map { [.replace(target.range, with: $0)] } ?? []))
        return
      }
      let formats = recipe.formats.map(\.name.text) + FormatCatalog.names.filter { FormatCatalog.isAdvertising($0) }
      if let near = nearest(to: name, at: target.range, among: formats), near.lowercased() == name.lowercased() {
        report(
          Diagnostic(
            "T206", "there is no format `\(name)`", at: target.range, "did you mean `\(near)`?",
            fixes: [.replace(target.range, with: near)]))
        return
      }
      unknownAttribute(name, target.range, .service)
    }
  }

  /// The service that a characteristic's name starts with: `heart_rate_measurement` gives
  /// heart_rate.
  func serviceNamed(like characteristic: String) -> String? {
    var words = characteristic.split(separator: "_")
    while words.count > 1 {
      words.removeLast()
      let candidate = words.joined(separator: "_")
      for name in [candidate, candidate + "_service"] where SIGNames.isService(name) { return name }
    }
    let home = AssignedNumbers.characteristic(named: characteristic).flatMap { HomeService.of(characteristic: $0) }
    if let name = home.flatMap({ AssignedNumbers.name(ofService: $0) }) { return name }
    return AssignedNumbers.names(containing: characteristic.split(separator: "_").prefix(1).map(String.init), kinds: [.service])
      .first?.name
  }

  // MARK: - DEV

  mutating func device(_ syntax: DeviceSyntax, _ place: Place) {
    switch syntax.kind {
    case .address: return
    case .expression(let value): expression(value, place)
    case .name where isPathDevice(syntax, place): deviceIsThere(syntax.range, place)
    case .name(let name):
      guard let entry = look(name, syntax.range, place, isDevice: true) else { return }
      if let format = entry.format, KnownRecord(named: format) == .advertisement, !facts.changed.contains(name) {
        report(
          Diagnostic(
            "T236", "`\(name)` is an advertisement, not a device", at: syntax.range, "its sender is `\(name).address`",
            fixes: [.replace(syntax.range, with: "(\(name).address)")]))
        return
      }
      guard let kind = kind(of: Expression(kind: .name(name), range: syntax.range)), ![.device, .address, .uuid].contains(kind)
      else { return }
      let isText = kind == .text
      if isText, let constant = facts.constant(name), case .string(let text) = constant.kind, let plain = text.plain,
        Address(plain) != nil
      {
        report(
          Diagnostic(
            "T236", "`\(name)` is text, not a device", at: syntax.range, "write its address without quotes",
            labels: [Diagnostic.Label(range: constant.range, text: "as in `let \(name) = \(plain)`")],
            fixes: [.replace(constant.range, with: plain)]))
        return
      }
      report(
        Diagnostic(
          "T236", "`\(name)` is \(kind.rawValue), not a device", at: syntax.range,
          isText ? "use `scan for \(name)` to find a device by name" : "use `scan for … as NAME` to get a device"))
    }
  }
}
