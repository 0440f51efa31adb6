/// Keys with values, in the order in which they were given. A plain array, because the language
/// keeps the order and most records are small.
package struct Record: Equatable, Sendable {
  package struct Field: Equatable, Sendable {
    package var key: String
    package var value: Value

    package init(_ key: String, _ value: Value) {
      self.key = key
      self.value = value
    }
  }

  package var fields: [Field]

  package init(_ fields: [Field] = []) { self.fields = fields }

  package var count: Int { fields.count }

  package func position(of key: String) -> Int? {
    for index in fields.indices where fields[index].key.isSame(as: key) { return index }
    return nil
  }

  package subscript(_ key: String) -> Value? { position(of: key).map { fields[$0].value } }

  /// Changes a field in place, or appends it.
  package mutating func set(_ key: String, _ value: Value) {
    if let position = position(of: key) {
      fields[position].value = value
    } else {
      fields.append(Field(key, value))
    }
  }

  package mutating func remove(_ key: String) {
    if let position = position(of: key) { fields.remove(at: position) }
  }
}

extension Record: ExpressibleByDictionaryLiteral {
  /// In the order written; the last value of a repeated key wins.
  package init(dictionaryLiteral elements: (String, Value)...) {
    self.init()
    for (key, value) in elements { set(key, value) }
  }
}
