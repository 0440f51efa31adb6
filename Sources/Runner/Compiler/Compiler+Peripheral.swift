import Exchange
import Recipe
import Vocabulary

extension Compiler {
  /// Compiles a peripheral as a program: its handlers, its `let`s as variables, and its attribute
  /// table.
  ///
  /// - Parameter given: `let`s whose values come from outside.
  mutating func compile(peripheral declaration: PeripheralDeclaration, given: [String] = []) {
    peripheral = declaration
    program.isPeripheral = true
    collectVariables(of: file)
    let parts = self.parts(of: declaration)
    for statement in parts.variables {
      if case .let(let name, _) = statement.kind { variable(name.text, .state, isEarly: true) }
    }
    let body = reserveUnit(role: .body, owner: nil)
    declareProcedures(file.procedures + parts.procedures)
    _ = build(role: .body, locals: nil, owner: nil, reserved: body) { compiler in
      // First the constants of the file, then the peripheral's own `let`s. Then the body waits.
      var order: [Int] = []
      for member in compiler.file.body {
        guard case .statement(let statement) = member, case .let(let name, _) = statement.kind,
          let index = compiler.variableIndex[name.text],
          compiler.program.variables[index].kind == .constant
        else { continue }
        order.append(compiler.here)
        _ = compiler.compile(statement)
      }
      let entry = order.first ?? compiler.here
      for statement in parts.variables {
        if case .let(let name, _) = statement.kind, given.contains(name.text) { continue }
        _ = compiler.compile(statement)
      }
      compiler.emit(.ready, at: declaration.header)
      compiler.program.servers = [compiler.template(declaration, parts)]
      compiler.emit(.waitForever, at: declaration.header)
      return entry
    }
    for handler in parts.handlers { _ = compile(handler, isTopLevel: true) }
    compileProcedures(file.procedures + parts.procedures)
  }

  // MARK: In a recipe

  /// The number of a peripheral that the recipe serves or mentions. Its code comes after the
  /// recipe's.
  mutating func serverIndex(_ name: String) -> Int? {
    if let known = program.servers.firstIndex(where: { $0.peripheral == name }) { return known }
    guard !program.isPeripheral, let declaration = file.peripherals.first(where: { $0.name.text == name }) else { return nil }
    let unit = reserveUnit(role: .procedure(name: "serve \(name)", parameters: 0), owner: nil)
    serverUnits.append(unit)
    program.servers.append(
      ServerTemplate(peripheral: name, name: declaration.displayName?.plain ?? declaration.name.text, unit: unit))
    return program.servers.count - 1
  }

  /// The variable of `P.name`, a `let` of a peripheral.
  mutating func serverVariable(of peripheral: String, _ field: NameSyntax) -> Operand? {
    guard let declaration = file.peripherals.first(where: { $0.name.text == peripheral }),
      lets(of: declaration).contains(field.text)
    else { return nil }
    if program.isPeripheral { return peripheral == self.peripheral?.name.text ? lookUp(field.text) : nil }
    return .global(variable("\(peripheral).\(field.text)", .state, isEarly: false))
  }

  private func lets(of declaration: PeripheralDeclaration) -> [String] {
    declaration.parts.compactMap { part in
      if case .variable(let statement) = part.kind, case .let(let name, _) = statement.kind { name.text } else { nil }
    }
  }

  /// Compiles the peripherals that were named so far. Their `let`s are variables of the recipe, and
  /// their handlers are active while they are served.
  mutating func compileServers() {
    // A peripheral may mention another one.
    while compiledServers < program.servers.count {
      compileServer(compiledServers)
      compiledServers += 1
    }
  }

  private mutating func compileServer(_ index: Int) {
    let name = program.servers[index].peripheral
    guard let declaration = file.peripherals.first(where: { $0.name.text == name }) else { return }
    let saved = (peripheral, serverScope, procedures)
    peripheral = declaration
    serverScope = name
    let parts = self.parts(of: declaration)
    for text in lets(of: declaration) { variable("\(name).\(text)", .state, isEarly: false) }
    declareProcedures(parts.procedures)
    let unit = serverUnits[index]
    _ = build(role: .procedure(name: "serve \(name)", parameters: 0), locals: [], owner: nil, reserved: unit) { compiler in
      let entry = compiler.here
      for statement in parts.variables { _ = compiler.compile(statement) }
      compiler.statement = -1
      compiler.emit(.returnValue, compiler.constant(.nothing, declaration.header), at: declaration.header)
      compiler.program.servers[index] = compiler.template(declaration, parts)
      return entry
    }
    program.servers[index].handlers = parts.handlers.map { compile($0, isTopLevel: false) }
    compileProcedures(parts.procedures)
    (peripheral, serverScope, procedures) = saved
  }

  private mutating func parts(of declaration: PeripheralDeclaration) -> Parts {
    var parts = Parts()
    for part in declaration.parts {
      switch part.kind {
      case .variable(let statement): parts.variables.append(statement)
      case .handler(let handler): parts.handlers.append(handler)
      case .procedure(let procedure): parts.procedures.append(procedure)
      case .service(let service): parts.services.append(service)
      case .advertise(let advertise): parts.advertise = advertise
      case .passkey(let code): parts.passkey = code
      case .channel: fail("not supported yet", part.range)
      }
    }
    return parts
  }

  private struct Parts {
    var variables: [Statement] = []
    var handlers: [Handler] = []
    var procedures: [ProcedureDeclaration] = []
    var services: [ServiceDeclaration] = []
    var advertise: AdvertiseStatement?
    var passkey: Expression?
  }

  private mutating func template(_ declaration: PeripheralDeclaration, _ parts: Parts) -> ServerTemplate {
    var template = ServerTemplate(
      peripheral: declaration.name.text, name: declaration.displayName?.plain ?? declaration.name.text, unit: unit.index)
    for service in parts.services {
      let uuid = fixed(service.uuid, .service)
      template.table.services.append(ServerTable.Service(uuid: uuid, characteristics: [], isPrimary: !service.isSecondary))
    }
    for (index, service) in parts.services.enumerated() {
      for attribute in service.attributes { add(attribute, service: index, to: &template, parts) }
    }
    for handler in parts.handlers { note(handler, in: &template) }
    if let passkey = parts.passkey {
      let over = emit(.jump, at: passkey.range)
      template.passkey = here
      emit(.predicateEnd, expression(passkey), at: passkey.range)
      patch(over)
    }
    if let advertise = parts.advertise {
      // The values are computed when it is published, after the variables are set.
      let over = emit(.jump, at: declaration.header)
      template.advertise = here
      let site = advertiseSite(advertise, declaration.header)
      emit(.advertise, Operand(raw: site), at: declaration.header)
      emit(.predicateEnd, constant(.nothing, declaration.header), at: declaration.header)
      patch(over)
    }
    return template
  }

  private mutating func fixed(_ syntax: UUIDSyntax, _ role: UUIDRole) -> UUID {
    if case .fixed(let uuid) = uuid(syntax, role) { return uuid }
    fail("the UUIDs of a peripheral must be constant", syntax.range)
    return UUID(0)
  }

  private mutating func add(_ attribute: AttributeDeclaration, service: Int, to template: inout ServerTemplate, _ parts: Parts) {
    let id = ServerAttributeID(template.attributes.count)
    var initial: Int?
    if let value = attribute.initial {
      let over = emit(.jump, at: attribute.range)
      initial = here
      emit(.predicateEnd, expression(value), at: value.range)
      patch(over)
    }
    var properties = ServerTable.Properties()
    for property in attribute.properties {
      switch property {
      case .read: properties.insert(.read)
      case .notify: properties.insert(.notify)
      case .indicate: properties.insert(.indicate)
      case .write: properties.insert(.write)
      case .writeWithoutResponse: properties.insert(.writeWithoutResponse)
      case .writeReliably: properties.formUnion([.write, .extendedProperties])
      }
    }
    let protection = Self.protection(attribute.readNeed ?? attribute.need)
    let writeProtection = Self.protection(attribute.writeNeed ?? attribute.need)
    let serviceUUID = template.table.services[service].uuid
    switch attribute.kind {
    case .include:
      let uuid = fixed(attribute.uuid, .service)
      let candidates = template.table.services.indices.filter { template.table.services[$0].uuid == uuid }
      var instance = 0
      if case .number(let literal)? = attribute.instance?.kind, case .integer(let number) = literal.value {
        instance = Int(clamping: number)
      }
      guard candidates.indices.contains(instance), attribute.instance != nil || candidates.count == 1 else {
        return fail("the peripheral has no such service to include, or more than one", attribute.range)
      }
      let included = candidates[instance]
      template.table.services[service].includes.append(included)
    case .characteristic:
      let uuid = fixed(attribute.uuid, .characteristic)
      if initial != nil { program.formats.know(uuid, in: file, named: literals) }
      let instance = template.table.services[service].characteristics.count(where: { $0.uuid == uuid })
      template.table.services[service].characteristics.append(
        ServerTable.Characteristic(
          id: id, uuid: uuid, properties: properties, protection: protection, writeProtection: writeProtection))
      let path = AttributePath(
        form: .named(
          service: .init(serviceUUID, instance: nil), characteristic: .init(uuid, instance: instance), descriptor: nil),
        text: "\(uuid)")
      template.attributes.append(.init(id: id, service: service, path: path, initial: initial, isDescriptor: false))
    case .descriptor:
      guard let last = template.table.services[service].characteristics.indices.last else {
        return fail("a descriptor must come after its characteristic", attribute.range)
      }
      let uuid = fixed(attribute.uuid, .descriptor)
      template.table.services[service].characteristics[last].descriptors.append(
        ServerTable.Descriptor(
          id: id, uuid: uuid, properties: properties, protection: protection, writeProtection: writeProtection))
      // The characteristic announces declared Extended Properties (Vol 3, Part G, 3.3.1.1).
      if uuid == UUID(0x2900) { template.table.services[service].characteristics[last].properties.insert(.extendedProperties) }
      let owner = template.table.services[service].characteristics[last].uuid
      let path = AttributePath(
        form: .named(
          service: .init(serviceUUID, instance: nil), characteristic: .init(owner, instance: nil),
          descriptor: .init(uuid, instance: nil)),
        text: "\(uuid)")
      template.attributes.append(.init(id: id, service: service, path: path, initial: initial, isDescriptor: true))
    }
  }

  private static func protection(_ need: SecurityNeed?) -> ServerTable.Protection {
    switch need {
    case nil: .open
    case .encryption: .encryption
    case .authentication: .authentication
    }
  }

  /// Marks attributes whose reads or writes a handler answers.
  private mutating func note(_ handler: Handler, in template: inout ServerTemplate) {
    guard case .on(let event) = handler.kind, case .attribute(let kind, _, let path) = event.kind, kind == .read || kind == .write
    else {
      return
    }
    guard case .fixed(let wanted) = attribute(path).form, let found = template.attribute(for: wanted) else {
      return fail("this peripheral has no such characteristic", event.range)
    }
    for service in template.table.services.indices {
      for index in template.table.services[service].characteristics.indices {
        Self.mark(&template.table.services[service].characteristics[index], found.id, kind == .read)
      }
    }
  }

  private static func mark(_ characteristic: inout ServerTable.Characteristic, _ id: ServerAttributeID, _ isRead: Bool) {
    if characteristic.id == id {
      if isRead { characteristic.asksBeforeRead = true } else { characteristic.asksBeforeWrite = true }
    }
    for index in characteristic.descriptors.indices where characteristic.descriptors[index].id == id {
      if isRead {
        characteristic.descriptors[index].asksBeforeRead = true
      } else {
        characteristic.descriptors[index].asksBeforeWrite = true
      }
    }
  }
}

extension ServerTemplate {
  /// The attribute that a path of a handler or statement refers to.
  func attribute(for path: AttributePath) -> Attribute? {
    guard case .named(let service, let characteristic, let descriptor) = path.form else { return nil }
    var seen = 0
    for attribute in attributes {
      guard case .named(let ownService, let ownCharacteristic, let ownDescriptor) = attribute.path.form,
        ownCharacteristic.uuid == characteristic.uuid, ownDescriptor?.uuid == descriptor?.uuid
      else { continue }
      if let service {
        guard service.uuid == ownService?.uuid else { continue }
        let place = table.services[..<attribute.service].count { $0.uuid == service.uuid }
        if let wanted = service.instance, wanted != place { continue }
      }
      if seen == characteristic.instance ?? 0 { return attribute }
      seen += 1
    }
    return nil
  }
}
