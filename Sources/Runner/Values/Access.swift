package import Exchange
import Recipe
import Vocabulary

/// A step of a place: `.x` or `[e]`.
package enum PathStep: Equatable, Sendable {
  case member(String)
  case index(Value)
}

/// Fields, elements, slices, and changes of nested values.
extension Value {
  /// `value.name` without parentheses. The machine handles devices.
  package func member(_ name: String, _ surroundings: borrowing Surroundings) throws(Failure) -> Value {
    switch self {
    case .record(let record):
      if let value = record[name] { return value }
      // Only a decoded value with surplus bytes has this field, but it may always be read.
      if name == "rest" { return .bytes([]) }
      throw Self.noField(name, in: record.fields.map(\.key))
    case .problem(let problem):
      if let value = problem.member(name) { return value }
      throw Self.noField(name, in: Problem.memberNames + problem.extra.fields.map(\.key))
    case .list(let list):
      switch name {
      case "first", "last":
        guard let element = name == "first" ? list.first : list.last else { throw .value("an empty list has no `.\(name)`") }
        return element
      default: break
      }
    case .duration(let span):
      switch name {
      case "ms": return Self.fraction(span.nanoseconds, 1_000_000)
      case "seconds": return Self.fraction(span.nanoseconds, 1_000_000_000)
      case "minutes": return Self.fraction(span.nanoseconds, 60_000_000_000)
      case "hours": return Self.fraction(span.nanoseconds, 3_600_000_000_000)
      default: break
      }
    case .time(let time):
      if name == "unix" { return .int(time.unix) }
      let civil = surroundings.zone.civil(time)
      switch name {
      case "year": return .int(Int64(civil.year))
      case "month": return .int(Int64(civil.month))
      case "day": return .int(Int64(civil.day))
      case "hour": return .int(Int64(civil.hour))
      case "minute": return .int(Int64(civil.minute))
      case "second": return .int(Int64(civil.second))
      case "weekday": return .text(civil.weekday.name)
      case "date": return .text(civil.date)
      default: break
      }
    case .attribute(let attribute):
      switch name {
      case "uuid": return .uuid(attribute.uuid)
      case "name": return attribute.name.map { .text($0) } ?? .nothing
      case "handle": return .int(Int64(attribute.handle))
      case "properties": return .list(attribute.propertyNames.map { .text($0) })
      default: break
      }
    case .secret:
      let inner = try opened()
      do throws(Failure) { return .hidden(try inner.member(name, surroundings)) } catch { throw error.withheld(".\(name)", [self]) }
    default: break
    }
    throw noMember(name)
  }

  private static func fraction(_ value: Int64, _ unit: Int64) -> Value {
    value % unit == 0 ? .int(value / unit) : .real(Double(value) / Double(unit))
  }

  private func noMember(_ name: String) -> Failure {
    let hint: String? =
      switch (self, name) {
      case (.bytes, "bytes"), (.text, "text"): "it is \(typeName) already"
      case _ where Method.named(name) != nil: "it is a method: `.\(name)()`"
      default:
        switch (self, name) {
        case (_, "count"), (_, "length"), (_, "size"): "the size is `count(…)`"
        case (.duration, _): "a duration has .ms .seconds .minutes .hours"
        case (.time, _): "a time has .year .month .day .hour .minute .second .weekday .date .unix"
        case (.list, _): "a list has .first and .last; an element is `list[0]`"
        case (.nothing, _): "ask `is not nothing` first"
        default: nil
        }
      }
    return .value("\(typeName) has no field `\(name)`", hint: hint)
  }

  private static func noField(_ name: String, in keys: [String]) -> Failure {
    if keys.isEmpty { return .value("there is no field `\(name)`: the record is empty") }
    let known = keys.count <= 12 ? keys.joined(separator: ", ") : keys[..<12].joined(separator: ", ") + " …"
    return .value("there is no field `\(name)`; there are: \(known)")
  }

  /// The field of a record; `nil` for other values, and if there is no such field.
  @inline(__always)
  func field(_ name: String) -> Value? {
    if case .record(let record) = self { record[name] } else { nil }
  }

  @inline(__always)
  var fieldCount: Int { if case .record(let record) = self { record.fields.count } else { 0 } }

  /// `value[index]`, from 0. Fails if the index is out of range.
  package func element(at index: Value) throws(Failure) -> Value {
    if isSecret || index.isSecret {
      return try Self.secretly("[…]", self, index) { (a, b) throws(Failure) in try a.element(at: b) }
    }
    switch self {
    case .list(let list): return list[try Self.position(index, count: list.count)]
    case .bytes(let bytes): return .int(Int64(bytes[try Self.position(index, count: bytes.count)]))
    case .record(let record):
      let key = try Self.key(index)
      if let value = record[key] { return value }
      throw .value("there is no key `\(key)`", hint: "`.get(key, default)` gives a default instead")
    case .text(let text):
      let position = try Self.position(index, count: text.scalarCount)
      return .text(String(text.unicodeScalars[text.scalarIndex(position)]))
    default: throw .value("\(typeName) has no elements, so it cannot be indexed")
    }
  }

  private static func position(_ index: Value, count: Int) throws(Failure) -> Int {
    if case .int(let number) = index, number >= 0, number < Int64(count) { return Int(number) }
    guard let number = index.whole else { throw .value("an index is a whole number, not \(index.fractionOrType)") }
    guard number >= 0, number < Int64(count) else {
      throw .value(
        count == 0
          ? "index \(number) is out of range: there are no elements"
          : "index \(number) is out of range: the \(count) element\(count == 1 ? " has" : "s have") index 0\(count == 1 ? "" : " to \(count - 1)")"
      )
    }
    return Int(number)
  }

  /// `value[from .. to]`, excluding the second bound; clamped to the end.
  package func slice(from: Value, to: Value) throws(Failure) -> Value {
    if isSecret || from.isSecret || to.isSecret {
      let end = try to.opened()
      return try Self.secretly("[… .. …]", self, from) { (a, b) throws(Failure) in try a.slice(from: b, to: end) }
    }
    switch self {
    case .bytes(let bytes): return .bytes(Array(bytes[try Self.range(from, to, count: bytes.count)]))
    case .list(let list): return .list(Array(list[try Self.range(from, to, count: list.count)]))
    case .text(let text):
      let range = try Self.range(from, to, count: text.scalarCount)
      return .text(String(text.unicodeScalars[text.scalarIndex(range.lowerBound)..<text.scalarIndex(range.upperBound)]))
    default: throw .value("\(typeName) cannot be sliced; bytes, texts and lists can")
    }
  }

  private static func range(_ from: Value, _ to: Value, count: Int) throws(Failure) -> Range<Int> {
    guard let start = from.whole, let end = to.whole else {
      throw .value("the bounds of a slice are whole numbers, not \((from.whole == nil ? from : to).fractionOrType)")
    }
    guard start >= 0, end >= 0 else { throw .value("a slice begins at 0 or later, not at \(min(start, end))") }
    let low = Int(min(start, Int64(count)))
    return low..<max(low, Int(min(end, Int64(count))))
  }

  /// `set place to value`, where `steps` lead from this value to the place. Changes the value in
  /// place, without copying unshared parts.
  package mutating func set(_ steps: [PathStep], to value: Value) throws(Failure) {
    if steps.count + 1 > Self.depthLimit { throw .tooDeep }
    try value.check(levels: Self.depthLimit - steps.count)
    try change(steps, 0, to: value)
  }

  /// Like `set`, for a part that was there before.
  mutating func put(_ steps: [PathStep], _ part: Value) throws(Failure) { try change(steps, 0, to: part) }

  /// Whether `grow` would not copy this value if there were no other reference to it.
  func growsInPlace(by more: Value) -> Bool {
    switch (self, more) {
    case (.list, .list), (.text, .text), (.bytes, .bytes): true
    default: false
    }
  }

  /// Follows the steps from index `place` on.
  private mutating func change(_ steps: [PathStep], _ place: Int, to value: Value) throws(Failure) {
    guard place < steps.count else {
      self = value
      return
    }
    let step = steps[place]
    // Not a `switch`, which would keep a copy of the value until its end, so that every change
    // would copy the list.
    if isSecret || step.isSecret || isBytes && value.isSecret {
      try changeSecret(steps, place, to: value)
    } else if isRecord {
      try changeRecord(steps, place, to: value)
    } else if isList {
      try changeList(steps, place, to: value)
    } else if isBytes {
      try changeBytes(steps, place, to: value)
    } else {
      throw .value(
        "\(typeName) has no \(step.isIndex ? "elements" : "field `\(step.name)`") that could be set",
        hint: isNothing ? "first make it a record or list: `set … to {}`" : nil)
    }
  }

  /// A value becomes secret as a whole if one of its indices or octets is secret.
  private mutating func changeSecret(_ steps: [PathStep], _ place: Int, to value: Value) throws(Failure) {
    var steps = steps
    if case .index(let index) = steps[place] { steps[place] = .index(try index.opened()) }
    var inner = try opened()
    let part = inner.isBytes ? try value.opened() : value
    do throws(Failure) { try inner.change(steps, place, to: part) } catch { throw error.withheld("set", [self]) }
    self = .hidden(inner)
  }

  var isRecord: Bool { if case .record = self { true } else { false } }
  var isList: Bool { if case .list = self { true } else { false } }

  /// Whether its copies share one storage, which a change of one of them copies.
  @inline(__always)
  var isShared: Bool {
    switch self {
    case .list, .record, .text, .bytes, .secret: true
    default: false
    }
  }

  private var isBytes: Bool { if case .bytes = self { true } else { false } }

  // The payload is moved out of its case during a change, because a second reference would cause a
  // copy.

  private mutating func takeRecord() -> Record {
    guard case .record(let record) = self else { return Record() }
    self = .nothing
    return record
  }

  private mutating func takeList() -> [Value] {
    guard case .list(let list) = self else { return [] }
    self = .nothing
    return list
  }

  private mutating func takeBytes() -> [UInt8] {
    guard case .bytes(let bytes) = self else { return [] }
    self = .nothing
    return bytes
  }

  private mutating func changeRecord(_ steps: [PathStep], _ place: Int, to value: Value) throws(Failure) {
    let key: String
    switch steps[place] {
    case .member(let name): key = name
    case .index(let index): key = try Self.key(index)
    }
    var record = takeRecord()
    defer { self = .record(record) }
    if let position = record.position(of: key) {
      try record.fields[position].value.change(steps, place + 1, to: value)
    } else if place + 1 == steps.count {
      record.fields.append(Record.Field(key, value))
    } else {
      throw Self.noField(key, in: record.fields.map(\.key))
    }
  }

  private mutating func changeList(_ steps: [PathStep], _ place: Int, to value: Value) throws(Failure) {
    guard case .index(let index) = steps[place] else { throw noMember(steps[place].name) }
    var list = takeList()
    defer { self = .list(list) }
    let position = try Self.position(index, count: list.count)
    try list[position].change(steps, place + 1, to: value)
  }

  private mutating func changeBytes(_ steps: [PathStep], _ place: Int, to value: Value) throws(Failure) {
    guard case .index(let index) = steps[place], place + 1 == steps.count else {
      throw .value("bytes have elements only: `set data[0] to 1`")
    }
    guard let number = value.whole, let byte = UInt8(exactly: number) else {
      throw .value("a byte is 0 to 255, not \(TextRendering.brief(value))")
    }
    var bytes = takeBytes()
    defer { self = .bytes(bytes) }
    bytes[try Self.position(index, count: bytes.count)] = byte
  }

  /// `set x to x + more` without copying `self`. The caller counts the parts of a list.
  package mutating func grow(by more: Value) throws(Failure) {
    if isList, case .list(let tail) = more {
      try Self.checkSize(elementCount, tail.count, most: Self.largestList)
      var list = takeList()
      list += tail
      self = .list(list)
    } else if isBytes, case .bytes(let tail) = more {
      try Self.checkSize(elementCount, tail.count, most: Self.largestText)
      var bytes = takeBytes()
      bytes += tail
      self = .bytes(bytes)
    } else if isText, case .text(let tail) = more {
      try Self.checkSize(elementCount, tail.utf8.count, most: Self.largestText)
      var text = takeText()
      text += tail
      self = .text(text)
    } else {
      self = try Self.add(self, more)
    }
  }

  /// Appends an element to a list. The caller counts the parts.
  @inline(__always)
  mutating func append(_ element: consuming Value) {
    var list = takeList()
    list.append(element)
    self = .list(list)
  }

  /// Appends an element to a list, if it is the one that the caller knows.
  /// - Returns: the list's new identity; `nil` if it was another list, which is unchanged.
  @inline(__always)
  mutating func append(_ element: consuming Value, to known: ElementsIdentity) -> ElementsIdentity? {
    guard isList else { return nil }
    var list = takeList()
    guard ElementsIdentity(list) == known else {
      self = .list(list)
      return nil
    }
    list.append(element)
    let grown = ElementsIdentity(list)
    self = .list(list)
    return grown
  }

  /// The number of elements of a list, fields of a record, or octets of bytes or a text.
  private var elementCount: Int {
    switch self {
    case .list(let list): list.count
    case .record(let record): record.count
    case .bytes(let bytes): bytes.count
    case .text(let text): text.utf8.count
    default: 0
    }
  }

  /// Identifies the storage of a list or record while it exists; `nil` for other values.
  var identity: ElementsIdentity? {
    switch self {
    case .list(let list): ElementsIdentity(list)
    case .record(let record):
      ElementsIdentity(place: record.fields.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }, count: record.count)
    default: nil
    }
  }

  private var isText: Bool { if case .text = self { true } else { false } }

  private mutating func takeText() -> String {
    guard case .text(let text) = self else { return "" }
    self = .nothing
    return text
  }

  /// As `set`, but returns the changed value.
  package func setting(_ path: [PathStep], to value: Value) throws(Failure) -> Value {
    var copy = self
    try copy.set(path, to: value)
    return copy
  }
}

extension PathStep {
  var name: String { if case .member(let name) = self { name } else { "" } }
  var isIndex: Bool { if case .index = self { true } else { false } }
  var isSecret: Bool { if case .index(.secret) = self { true } else { false } }
}

/// The address and the number of a list's elements or a record's fields.
struct ElementsIdentity: Equatable, Sendable {
  var place: UInt
  var count: Int
}

extension ElementsIdentity {
  @inline(__always)
  init(_ list: borrowing [Value]) {
    self.init(place: list.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }, count: list.count)
  }
}

extension String {
  /// Whether the text is all ASCII. Fast, because the standard library stores this.
  private var isASCII: Bool { utf16.count == utf8.count }

  /// The number of Unicode scalars.
  var scalarCount: Int { isASCII ? utf8.count : unicodeScalars.count }

  /// The index of a scalar; takes constant time for ASCII.
  func scalarIndex(_ offset: Int) -> Index {
    isASCII ? utf8.index(utf8.startIndex, offsetBy: offset) : unicodeScalars.index(unicodeScalars.startIndex, offsetBy: offset)
  }
}
