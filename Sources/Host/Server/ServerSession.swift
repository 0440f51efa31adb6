import Exchange
import Packets
import Vocabulary

/// What our server keeps for one link: link state, gone with it.
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
      /// The first is asked about; the others follow.
      case execute([Prepared])
      /// The values that are known so far; the handle behind them is asked about.
      case readMultiple([AttributeHandle], values: [[UInt8]], isVariable: Bool)
    }

    var id: ServerRequestID
    var purpose: Purpose
    var since: Moment?
  }

  /// A Write Command that waits for the owner: it is stored or not, and the central hears neither.
  struct Command: Equatable, Sendable {
    var id: ServerRequestID
    var handle: AttributeHandle
    var value: [UInt8]
  }

  struct Indication: Equatable, Sendable {
    var pdu: ATTPDU
    /// Whose completion waits for it.
    var publication: OperationID?
    var owner: OwnerID?
  }

  var peer: Address
  var isEncrypted = false
  /// With a key that a code was proven with.
  var isAuthenticated = false
  /// There is a key, so that the central could encrypt.
  var hasBond = false
  /// The key of the link is shorter than is taken.
  var isKeyShort = false
  var configurations: [Configuration] = []
  var features: UInt8 = 0
  /// What is kept of a bonded central has changed.
  var isChanged = false
  var prepared: [Prepared] = []
  var waiting: Waiting?
  /// Write Commands whose owner was asked, oldest first.
  var commands: [Command] = []
  /// Requests that came although one was not answered yet.
  var deferred: [[UInt8]] = []
  /// The last value that the owner gave: the parts of one long read come from one value.
  var lastRead: HandleValue?
  /// Notifications that wait for room in the link's queue: their publisher waits with them.
  var notifications: [Indication] = []
  /// The first is outstanding when `indicationSince` is set.
  var indications: [Indication] = []
  var indicationSince: Moment?

  init(peer: Address) { self.peer = peer }

  func configuration(_ handle: AttributeHandle) -> UInt16 { configurations.first { $0.handle == handle }?.value ?? 0 }
}
