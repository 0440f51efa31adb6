package import Exchange
import Recipe

/// The map from bytes to fields that `tooth decode` prints.
package struct FormatTrace: Equatable, Sendable {
  package struct Entry: Equatable, Sendable {
    package var offset: Int
    package var count: Int
    /// `rr[0]` for elements of lists; nested formats use a dot.
    package var name: String
    package var value: Value
    package var unit: String?
    /// Whether the value is a record of the bits of one number.
    package var isBits = false
  }

  package var entries: [Entry] = []
  /// The current field in the recipe's text; `none` in a built-in format.
  package var place = SourceRange.none

  /// Sets the current field. Fields of a built-in format inside a format of the recipe count as the
  /// field that names it.
  mutating func begin(_ step: FormatStep, of plan: FormatPlan) {
    guard !plan.isBuiltIn else { return }
    let start = step.range.start
    place = SourceRange(
      file: step.range.file, start: start, end: min(step.range.end, start + UInt32(clamping: step.name.utf8.count)))
  }
}

extension FormatTrace {
  /// The last fields that fit on a line: `state = locked`.
  var summary: String {
    var text = ""
    for entry in entries.reversed() {
      let part = "\(entry.name) = \(TextRendering.brief(entry.value, quoting: false))"
      if text.unicodeScalars.count + part.unicodeScalars.count > 60 { return text.isEmpty ? "" : "… " + text }
      text = text.isEmpty ? part : "\(part), \(text)"
    }
    return text
  }

  mutating func note(_ offset: Int, _ count: Int, _ name: String, _ value: Value, unit: String? = nil) {
    entries.append(Entry(offset: offset, count: count, name: name, value: value, unit: unit))
  }

  /// Adds all bits of a number as one record if some of them only decide about other fields and are
  /// in no value.
  mutating func note(_ start: Int, _ bits: FormatBits, _ raw: UInt64, _ name: String) -> Bool {
    guard !name.isEmpty, !name.hasPrefix("_"), bits.fields.contains(where: { $0.output == nil }) else { return false }
    let record = Record(bits.fields.map { Record.Field($0.name, $0.value(of: raw)) })
    var entry = Entry(offset: start, count: bits.storage.size, name: name, value: .record(record))
    entry.isBits = true
    entries.append(entry)
    return true
  }

  /// Gives the elements of a list their unit.
  mutating func setUnit(_ unit: String?, from start: Int) {
    for index in entries.indices.dropFirst(start) where entries[index].unit == nil { entries[index].unit = unit }
  }

  /// Adds the fields of a reading. If it is the whole value, they get no prefix.
  mutating func note(_ map: SensorMap?, of value: Value, as name: String, _ start: Int) {
    guard let map, case .record(let record) = value else { return }
    for part in map.parts {
      guard let value = record[part.name] else { continue }
      note(start + part.offset, part.count, name == "value" ? part.name : "\(name).\(part.name)", value)
    }
  }

  mutating func prefix(_ name: String, from start: Int) {
    for index in entries.indices.dropFirst(start) { entries[index].name = "\(name).\(entries[index].name)" }
  }
}

/// The reason why bytes do not fit a format, and where.
package struct FormatFault: Error, Equatable, Sendable {
  package var field: String
  package var offset: Int
  /// The number of octets that do not fit.
  package var count = 1
  package var message: String
  /// Whether there are too few bytes.
  package var isShort = false
  /// `decode` if the bytes do not fit, `value` if the language cannot represent the number.
  package var kind = Failure.Kind.decode
}
