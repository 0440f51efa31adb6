import Exchange
import Vocabulary

/// What the services of a peripheral may contain (Vol 3, Part G, 3.1 to 3.3).
extension Checker {
  /// Checks that `include UUID[n]` names exactly one service of the same peripheral.
  mutating func include(_ line: AttributeDeclaration, in service: ServiceDeclaration, _ place: Place) {
    guard let peripheral = place.peripheral, let wanted = key(line.uuid) else { return }
    let found = peripheral.parts.compactMap { part -> ServiceDeclaration? in
      guard case .service(let service) = part.kind, key(service.uuid) == wanted else { return nil }
      return service
    }
    let name = self.text(line.uuid.range)
    let labels = found.map { Diagnostic.Label(range: $0.header, text: "a service \(name)") }
    guard let instance = line.instance else {
      if found.isEmpty {
        report(Diagnostic("T229", "\(peripheral.name.text) has no service \(name)", at: line.range, "declare it with `service`"))
      } else if found.count > 1 {
        report(
          Diagnostic(
            "T229", "\(peripheral.name.text) has \(found.count) services named \(name)", at: line.range,
            "choose one: `include \(name)[0]` is the first", labels: labels))
      }
      return
    }
    guard case .number(let literal) = instance.kind, case .integer(let number) = literal.value, number >= 0 else {
      report(
        Diagnostic("T229", "the number of an included service must be a whole number", at: instance.range, "`[0]` is the first"))
      return
    }
    if number >= Int64(found.count) {
      report(
        Diagnostic(
          "T229", "\(peripheral.name.text) has \(found.count == 0 ? "no service" : "only \(found.count) of the service") \(name)",
          at: line.range, "`[0]` is the first", labels: labels))
    }
  }

  /// Reports repeated descriptors 0x2900 to 0x2903, of which a characteristic has one each. `can
  /// notify` and `can indicate` already make the 0x2902.
  mutating func twice(in service: ServiceDeclaration, _ place: Place) {
    var owner: AttributeDeclaration?
    var seen: [(uuid: UUID, range: SourceRange)] = []
    for line in service.attributes {
      switch line.kind {
      case .include: continue
      case .characteristic:
        owner = line
        seen = []
        if line.properties.contains(.notify) || line.properties.contains(.indicate) { seen.append((UUID(0x2902), line.range)) }
      case .descriptor:
        guard owner != nil, let uuid = key(line.uuid), let short = uuid.short, (0x2900...0x2903).contains(short) else { continue }
        if let first = seen.first(where: { $0.uuid == uuid }) {
          report(
            Diagnostic(
              "T202", "`\(self.text(line.uuid.range))` is defined twice", at: line.range,
              short == 0x2902 ? "`can notify` and `can indicate` already add it" : "a characteristic can have only one",
              labels: [Diagnostic.Label(range: first.range, text: "first here")]))
        }
        seen.append((uuid, line.range))
      }
    }
  }

  /// The UUID of a line, if it is known before the run.
  private func key(_ syntax: UUIDSyntax) -> UUID? {
    switch syntax.kind {
    case .literal(let uuid): uuid
    case .name(let name):
      facts.constant(name).flatMap { Facts.uuid($0) } ?? AssignedNumbers.service(named: name)
        ?? AssignedNumbers.descriptor(named: name)
    }
  }
}
