package import Vocabulary

/// A handle with the type of its attribute: an entry of Find Information Response (Vol 3, Part F,
/// 3.4.3.2).
package struct HandleUUID: Hashable, Sendable {
  package var handle: AttributeHandle
  package var type: UUID

  package init(_ handle: AttributeHandle, _ type: UUID) {
    self.handle = handle
    self.type = type
  }
}
