package import Vocabulary

/// A range of handles, including both ends. A peer may send an invalid one; check `isValid`.
package struct HandleRange: Hashable, Sendable {
  package var start: AttributeHandle
  package var end: AttributeHandle

  package init(_ start: AttributeHandle, _ end: AttributeHandle) {
    self.start = start
    self.end = end
  }

  package init(_ start: UInt16, _ end: UInt16) { self.init(AttributeHandle(start), AttributeHandle(end)) }

  package static let all = HandleRange(.first, .last)

  /// Whether the start is not 0x0000 and not after the end (Vol 3, Part F, 3.4.3.1).
  package var isValid: Bool { start.raw != 0 && start <= end }

  package func contains(_ handle: AttributeHandle) -> Bool { start <= handle && handle <= end }
}

extension HandleRange: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    let start = try AttributeHandle(reading: &reader)
    self.init(start, try AttributeHandle(reading: &reader))
  }

  package func write(to writer: inout ByteWriter) {
    start.write(to: &writer)
    end.write(to: &writer)
  }
}
