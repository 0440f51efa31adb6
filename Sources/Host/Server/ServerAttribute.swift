import Exchange
import Vocabulary

/// An attribute of our server, with its handle.
struct ServerAttribute: Equatable, Sendable {
  enum Content: Equatable, Sendable {
    /// A declaration or a value of the server itself.
    case fixed([UInt8])
    /// A value of the owner.
    case value(ServerAttributeID, [UInt8])
    /// A Client Characteristic Configuration descriptor, whose value belongs to each link, with the
    /// owner's characteristic, if it is one.
    case configuration(ServerAttributeID?)
    case databaseHash
    /// The Client Supported Features, whose value belongs to each link (Vol 3, Part G, 7.2).
    case clientFeatures
  }

  var handle: AttributeHandle
  var type: UUID
  var content: Content
  var properties: ServerTable.Properties
  var protection = ServerTable.Protection.open
  var writeProtection = ServerTable.Protection.open
  var asksBeforeRead = false
  var asksBeforeWrite = false
  /// The last handle of the service that this attribute declares.
  var groupEnd: AttributeHandle?

  var isService: Bool { groupEnd != nil }
}
