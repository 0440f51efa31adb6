import Exchange
import Recipe
import Vocabulary

/// The formats that a program needs: those of every characteristic it names, parsed once by the
/// compiler.
package struct ProgramFormats: Sendable {
  /// A format of advertising data.
  struct Advertised: Sendable {
    enum Source: Sendable {
      case serviceData(UUID)
      case manufacturer(UInt16)
    }

    var name: String
    var source: Source
    var plan: FormatPlan
  }

  private(set) var advertised: [Advertised] = []
  private var plans: [(uuid: UUID, plan: FormatPlan?)] = []

  /// Adds the format of a characteristic; the recipe's own takes precedence over a built-in one.
  mutating func know(_ uuid: UUID, in file: RecipeFile, named literals: [String: Value]) {
    guard !plans.contains(where: { $0.uuid == uuid }) else { return }
    let own = file.formats.first { format in
      if case .characteristic(let syntax)? = format.purpose {
        switch syntax.kind {
        case .literal(let literal): return literal == uuid
        case .name(let name):
          if case .uuid(let known)? = literals[name] { return known == uuid }
          return AssignedNumbers.characteristic(named: name) == uuid
        }
      }
      return format.purpose == nil && AssignedNumbers.characteristic(named: format.name.text) == uuid
    }
    if let own {
      plans.append((uuid, FormatCatalog.plan(of: own) { name in file.formats.first { $0.name.text == name } }))
    } else {
      plans.append((uuid, FormatCatalog.plan(forCharacteristic: uuid)))
    }
  }

  /// Adds the recipe's own formats of characteristics, for attributes that are given as values.
  mutating func knowAll(in file: RecipeFile, named literals: [String: Value]) {
    for format in file.formats {
      switch format.purpose {
      case .characteristic(let syntax)?:
        switch syntax.kind {
        case .literal(let literal): know(literal, in: file, named: literals)
        case .name(let name):
          if case .uuid(let known)? = literals[name] {
            know(known, in: file, named: literals)
          } else if let known = AssignedNumbers.characteristic(named: name) {
            know(known, in: file, named: literals)
          }
        }
      case nil: AssignedNumbers.characteristic(named: format.name.text).map { know($0, in: file, named: literals) }
      default: break
      }
    }
  }

  /// The number of an advertising format; the recipe's own takes precedence over a built-in one.
  mutating func advertised(_ name: String, in file: RecipeFile, named literals: [String: Value]) -> Int? {
    if let known = advertised.firstIndex(where: { $0.name == name }) { return known }
    let own = file.formats.first { $0.name.text == name }
    guard let declaration = own ?? FormatCatalog.declaration(named: name), let purpose = declaration.purpose,
      let plan = own == nil
        ? FormatCatalog.plan(named: name)
        : FormatCatalog.plan(of: declaration, own: { name in file.formats.first { $0.name.text == name } })
    else { return nil }
    func uuid(_ syntax: UUIDSyntax, _ named: (String) -> UUID?) -> UUID? {
      switch syntax.kind {
      case .literal(let uuid): return uuid
      case .name(let name):
        if case .uuid(let known)? = literals[name] { return known }
        return named(name)
      }
    }
    let source: Advertised.Source?
    switch purpose {
    case .characteristic: source = nil
    case .serviceData(let syntax): source = uuid(syntax, { AssignedNumbers.service(named: $0) }).map { .serviceData($0) }
    case .manufacturer(let syntax):
      source = uuid(syntax, { AssignedNumbers.company(named: $0).map { UUID($0) } })?.short.map { .manufacturer($0) }
    }
    guard let source else { return nil }
    advertised.append(Advertised(name: name, source: source, plan: plan))
    return advertised.count - 1
  }

  /// Looks all formats up again after declarations have changed. Numbers stay the same.
  mutating func renew(in file: RecipeFile, named literals: [String: Value]) {
    let known = (plans.map(\.uuid), advertised)
    (plans, advertised) = ([], [])
    for uuid in known.0 { know(uuid, in: file, named: literals) }
    knowAll(in: file, named: literals)
    for (number, old) in known.1.enumerated() where advertised(old.name, in: file, named: literals) != number {
      advertised.append(old)
    }
  }

  /// The first data of an advertisement that has this format, with its value; `nil` if there is
  /// none.
  func decode(_ advertisement: Advertisement, by number: Int, zone: TimeZoneRules) -> (data: [UInt8], value: Value)? {
    guard advertised.indices.contains(number) else { return nil }
    let format = advertised[number]
    func fits(_ data: [UInt8]) -> (data: [UInt8], value: Value)? {
      guard let value = format.plan.match(data, zone: zone) else { return nil }
      return (data, value)
    }
    switch format.source {
    case .serviceData(let uuid):
      for entry in advertisement.serviceData where entry.service == uuid { if let found = fits(entry.data) { return found } }
    case .manufacturer(let company):
      for entry in advertisement.manufacturer where entry.company == company { if let found = fits(entry.data) { return found } }
    }
    return nil
  }

  private func plan(_ uuid: UUID) -> FormatPlan? {
    for entry in plans where entry.uuid == uuid { return entry.plan }
    // A handle or a computed UUID: rare enough to parse the format each time.
    return FormatCatalog.plan(forCharacteristic: uuid)
  }

  /// The unit of a characteristic's value; `nil` if it has several fields or no unit.
  func unit(of uuid: UUID) -> String? { plan(uuid)?.unit }

  /// The value decoded by the characteristic's format; the bytes themselves if it has none.
  func decode(_ uuid: UUID, _ bytes: [UInt8], zone: TimeZoneRules) throws(Failure) -> Value {
    guard let plan = plan(uuid) else { return .bytes(bytes) }
    return try plan.decode(bytes, zone: zone)
  }

  /// The bytes encoded by the characteristic's format; `nil` if it has none.
  func encode(_ uuid: UUID, _ value: Value, zone: TimeZoneRules) throws(Failure) -> [UInt8]? {
    guard let plan = plan(uuid) else { return nil }
    return try plan.encode(value, zone: zone)
  }
}
