import Exchange
import Vocabulary

/// One attribute of our server, as the table has been laid out in handles.
struct ServerAttribute: Equatable, Sendable {
  enum Content: Equatable, Sendable {
    /// A declaration, or a value that is the server's own.
    case fixed([UInt8])
    /// The owner's, with its value.
    case value(ServerAttributeID, [UInt8])
    /// A Client Characteristic Configuration: its value belongs to each link. The owner's
    /// characteristic, if it is one.
    case configuration(ServerAttributeID?)
    case databaseHash
    /// Client Supported Features belong to each link (Vol 3, Part G, 7.2).
    case clientFeatures
  }

  var handle: AttributeHandle
  var type: UUID
  var content: Content
  var abilities: ServerTable.Abilities
  var protection = ServerTable.Protection.open
  var writeProtection = ServerTable.Protection.open
  var asksBeforeRead = false
  var asksBeforeWrite = false
  /// The last handle of the service that this declares.
  var groupEnd: AttributeHandle?

  var isService: Bool { groupEnd != nil }
}
