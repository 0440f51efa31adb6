package import Vocabulary

/// A handle with the value of its attribute: an entry of Read By Type Response and of Multiple
/// Handle Value Notification.
package struct HandleValue: Hashable, Sendable {
  package var handle: AttributeHandle
  package var value: [UInt8]

  package init(_ handle: AttributeHandle, _ value: [UInt8]) {
    self.handle = handle
    self.value = value
  }
}
