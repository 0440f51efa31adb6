import Vocabulary

/// A group of attributes with the value of its first: an entry of Read By Group Type Response (Vol
/// 3, Part F, 3.4.4.10).
package struct GroupValue: Hashable, Sendable {
  package var range: HandleRange
  package var value: [UInt8]

  package init(_ range: HandleRange, _ value: [UInt8]) {
    self.range = range
    self.value = value
  }

  package init(_ start: UInt16, _ end: UInt16, _ value: [UInt8]) { self.init(HandleRange(start, end), value) }
}
