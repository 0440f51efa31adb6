import Exchange
import Recipe
import Vocabulary

/// The formats that a program needs: those of every characteristic it names, parsed once when it is
/// compiled.
package struct ProgramFormats: Sendable {
  private var plans: [(uuid: UUID, plan: FormatPlan?)] = []

  /// Finds the format of a characteristic: the recipe's own before a built-in one.
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

  private func plan(_ uuid: UUID) -> FormatPlan? {
    for entry in plans where entry.uuid == uuid { return entry.plan }
    // Reached by a handle or a computed UUID: rare enough to be parsed each time.
    return FormatCatalog.plan(forCharacteristic: uuid)
  }

  /// The value by its format; the bytes themselves where there is none.
  func decode(_ uuid: UUID, _ bytes: [UInt8], zone: TimeZoneRules) throws(Failure) -> Value {
    guard let plan = plan(uuid) else { return .bytes(bytes) }
    return try plan.decode(bytes, zone: zone)
  }

  /// The bytes by the format; nothing where there is none.
  func encode(_ uuid: UUID, _ value: Value, zone: TimeZoneRules) throws(Failure) -> [UInt8]? {
    guard let plan = plan(uuid) else { return nil }
    return try plan.encode(value, zone: zone)
  }
}
