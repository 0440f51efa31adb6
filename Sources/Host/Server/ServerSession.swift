import Exchange
import Packets
import Vocabulary

/// The server's state of one link, which ends with the link.
struct ServerSession: Equatable, Sendable {
  typealias Configuration = ServerMemory.Configuration

  struct Prepared: Equatable, Sendable {
    var handle: AttributeHandle
    var offset: Int
    var value: [UInt8]
  }

  /// A request that waits for the owner's answer.
  struct Waiting: Equatable, Sendable {
    enum Purpose: Equatable, Sendable {
      case read(AttributeHandle)
      case readBlob(AttributeHandle, offset: UInt16)
      case readByType(AttributeHandle)
      case write(AttributeHandle, [UInt8])
      /// The owner is asked about the first write; the others follow.
      case execute([Prepared])
      /// The values known so far. The owner is asked about the handle after them.
      case readMultiple([AttributeHandle], values: [[UInt8]], isVariable: Bool)
    }

    var id: ServerRequestID
    var purpose: Purpose
    var since: Moment?
  }

  /// A Write Command that waits for the owner. The central is not informed of the outcome.
  struct Command: Equatable, Sendable {
    var id: ServerRequestID
    var handle: AttributeHandle
    var value: [UInt8]
  }

  struct Indication: Equatable, Sendable {
    var pdu: ATTPDU
    /// The publication that waits for it to complete.
    var publication: OperationID?
    var owner: OwnerID?
  }

  var peer: Address
  var isEncrypted = false
  /// Whether the link's key is authenticated.
  var isAuthenticated = false
  /// Whether there is a bond, so that the central could encrypt the link.
  var hasBond = false
  /// Whether the link's key is shorter than accepted.
  var isKeyShort = false
  var configurations: [Configuration] = []
  var features: UInt8 = 0
  /// Whether the memory of a bonded central has changed.
  var isChanged = false
  var prepared: [Prepared] = []
  var waiting: Waiting?
  /// Write Commands that wait for the owner, oldest first.
  var commands: [Command] = []
  /// Requests that arrived before the last one was answered.
  var deferred: [[UInt8]] = []
  /// The owner's last value, so that all parts of a long read come from one value.
  var lastRead: HandleValue?
  /// Notifications that wait for room in the link's queue; their publishers wait with them.
  var notifications: [Indication] = []
  /// The first is outstanding if `indicationSince` is set.
  var indications: [Indication] = []
  var indicationSince: Moment?

  init(peer: Address) { self.peer = peer }

  func configuration(_ handle: AttributeHandle) -> UInt16 { configurations.first { $0.handle == handle }?.value ?? 0 }
}
