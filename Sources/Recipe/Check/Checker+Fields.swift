import Exchange
import Vocabulary

/// Fields of values, and formats.
extension Checker {
  /// Checks fields of devices and of values with a known format.
  mutating func checkField(_ base: Expression, _ field: NameSyntax, _ place: Place) {
    switch base.kind {
    case _ where kind(of: base) == .device: checkDeviceField(field)
    case .name(let name):
      let entry = scope.find(name) ?? (place.hasNamesAround ? outer.find(name) : nil)
      if let format = entry?.format, !facts.changed.contains(name) { check(field, in: format, isEvent: entry?.kind == .parameter) }
      if let keys = entry?.keys ?? recordKeys(name, entry), !keys.contains(field.text), field.text != "rest" {
        let near = nearest(to: field, among: keys)
        report(
          Diagnostic(
            "T208", "`\(name)` has no field `\(field.text)`", at: field.range, near.map { "did you mean `\($0)`?" } ?? "",
            fixes: near.map { [.replace(field.range, with: $0)] } ?? [],
            notes: keys.isEmpty ? [] : ["it has \(keys.joined(separator: ", "))"]))
      }
    case .record(let entries):
      let keys = entries.map(\.key.text)
      guard !keys.contains(field.text), field.text != "rest" else { return }
      report(
        Diagnostic(
          "T208", "this record has no field `\(field.text)`", at: field.range,
          keys.isEmpty ? "" : "it has \(keys.joined(separator: ", "))"))
    case .it:
      if let itFormat { check(field, in: itFormat) }
    case .member(let advertisement, let value) where value.text == "value":
      // `a.value.major` is a field of the advertised format.
      let known: String? =
        switch advertisement.kind {
        case .it: itFormat
        case .name(let name) where facts.changed.contains(name): nil
        case .name(let name): (scope.find(name) ?? (place.isHandler || place.isProcedure ? outer.find(name) : nil))?.format
        default: nil
        }
      let start = "\(KnownRecord.advertisement.rawValue) of "
      guard let known, known.hasPrefix(start) else { return }
      check(field, in: String(known.dropFirst(start.count)))
    default: return
    }
  }

  private mutating func checkDeviceField(_ field: NameSyntax) {
    if field.text == "services", !facts.uses.discoversEverything {
      report(
        Diagnostic(
          "T246", "`device.services` needs an earlier `discover everything`", at: field.range,
          "without it, only what the recipe uses is discovered"))
      return
    }
    guard !DeviceFields.all.contains(field.text), !facts.uses.deviceFields.contains(field.text) else { return }
    let known = DeviceFields.all + facts.uses.deviceFields.sorted()
    let near = nearest(to: field, among: known)
    report(
      Diagnostic(
        "T208", "a device has no field `\(field.text)`", at: field.range,
        near.map { "did you mean `\($0)`?" } ?? "nothing sets it",
        fixes: near.map { [.replace(field.range, with: $0)] } ?? [],
        notes: ["it has \(DeviceFields.all.joined(separator: ", "))"]))
  }

  /// The keys of a constant record of the recipe.
  private func recordKeys(_ name: String, _ entry: NameEntry?) -> [String]? {
    guard entry == nil || recipeScope.entries.isEmpty || recipeScope.find(name)?.id == entry?.id,
      case .record(let entries)? = facts.value(name)?.kind
    else { return nil }
    return entries.map(\.key.text)
  }

  /// - Parameter isEvent: whether it is a handler's event, which has two more fields.
  private mutating func check(_ field: NameSyntax, in format: String, isEvent: Bool = false) {
    let fields = fields(ofFormat: format)
    if !isEvent, ["bytes", "at"].contains(field.text), !fields.contains(field.text), KnownRecord(named: format) == nil,
      !fields.isEmpty || isOneValue(format)
    {
      report(
        Diagnostic(
          "T208", "only the name given by `on notify … as` has `.\(field.text)`", at: field.range,
          field.text == "bytes" ? "use `raw` to get the bytes: `read raw`, `wait for notify raw`" : "use `now()` right after it"))
      return
    }
    if fields.isEmpty, isOneValue(format), !["bytes", "at", "rest", "first", "last"].contains(field.text) {
      report(
        Diagnostic(
          "T208", "\(format) has no field `\(field.text)`", at: field.range, "its value is a single value without fields"))
      return
    }
    guard !fields.isEmpty, !fields.contains(field.text), !["bytes", "at", "rest"].contains(field.text) else { return }
    let near = nearest(to: field, among: fields)
    report(
      Diagnostic(
        "T208", "\(format) has no field `\(field.text)`", at: field.range, near.map { "did you mean `\($0)`?" } ?? "",
        fixes: near.map { [.replace(field.range, with: $0)] } ?? [], notes: ["it has \(fields.sorted().joined(separator: ", "))"]))
  }

  /// The fields of a format; empty if its value is not a record.
  private mutating func fields(ofFormat name: String) -> [String] {
    // Parsing the format for each field would take a tenth of the start-up time.
    if let known = knownFields.first(where: { $0.format == name }) { return known.fields }
    let fields = findFields(ofFormat: name)
    knownFields.append((name, fields))
    return fields
  }

  private func findFields(ofFormat name: String) -> [String] {
    if let known = KnownRecord(named: name) { return known.fields }
    guard ownFormat(name) != nil else { return FormatCatalog.fields(of: name) }
    guard let plan = plan(ofFormat: name), !plan.isSingleValue else { return [] }
    return plan.outputs.map(\.name)
  }

  func ownFormat(_ name: String) -> FormatDeclaration? { recipe.formats.first { $0.name.text == name } }

  /// The format that decodes an attribute's value, if known.
  func format(of path: AttributePathSyntax) -> String? {
    guard case .path(let steps) = path.kind, let last = steps.last else { return nil }
    let uuid: UUID?
    switch last.uuid.kind {
    case .literal(let literal): uuid = literal
    case .name(let name):
      let constant = facts.constant(name)
      uuid = constant.map { Facts.uuid($0) } ?? AssignedNumbers.characteristic(named: name)
    }
    for declared in recipe.formats {
      guard case .characteristic(let target)? = declared.purpose else { continue }
      switch target.kind {
      case .literal(let literal): if literal == uuid { return declared.name.text }
      case .name(let name):
        if case .name(name) = last.uuid.kind { return declared.name.text }
        let meant = facts.constant(name).map { Facts.uuid($0) } ?? AssignedNumbers.characteristic(named: name)
        if let meant, meant == uuid { return declared.name.text }
      }
    }
    guard let name = uuid.flatMap({ AssignedNumbers.name(ofCharacteristic: $0) }) else { return nil }
    return ownFormat(name) != nil || FormatCatalog.contains(name) ? name : nil
  }
}
