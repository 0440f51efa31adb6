package import Exchange
package import Vocabulary

/// A message between a client and a keeper. On the socket each message follows its length, four
/// octets, little endian.
///
/// `hello`, `stop`, `status` and `refused` start with the same octets in every version, so that
/// versions can recognise each other.
package enum KeeperMessage: Equatable, Sendable {
  // MARK: Client to keeper
  case hello(Hello)
  /// The keeper ignores the owner in it.
  case request(HostRequest)
  /// Sent after `welcome` by a client that has come back and repeated what it still needs. Its
  /// other scans and connections up to this number are withdrawn.
  case resumed(upTo: OperationID, except: [OperationID])
  /// Releases everything of this client.
  case goodbye
  case status
  /// Stops the keeper, with connected clients only if forced.
  case stop(force: Bool)
  /// Ends all links of the adapter, those of other clients only if forced.
  case disconnectAll(force: Bool)
  /// Resets the controller, with connected clients only if forced.
  case resetAdapter(force: Bool)
  /// Requests the last packets of the adapter.
  case packets

  // MARK: Keeper to client
  case welcome(Welcome)
  case report(HostReport)
  case refused(Refusal)
  case statusReport(KeeperStatus)
  /// The order is done or in progress, and these links end.
  case ending([Address])
  /// The last packets, oldest first.
  case kept([KeptPacket])

  package struct Hello: Equatable, Sendable {
    package var revision: UInt16
    package var version: String
    /// The identity of the run, 16 octets, which never changes.
    package var identity: [UInt8]
    /// The recipe's name, for display.
    package var name: String
    /// The session number from the keeper; 0 in the first hello.
    package var session: UInt64
    /// The newest committed event.
    package var covered: EventNumber
    /// Whether everything ends with the connection.
    package var isEphemeral: Bool

    package init(
      version: String, identity: [UInt8], name: String, session: UInt64 = 0, covered: EventNumber = EventNumber(0),
      isEphemeral: Bool = false, revision: UInt16 = KeeperLimits.revision
    ) {
      self.revision = revision
      self.version = version
      self.identity = identity
      self.name = name
      self.session = session
      self.covered = covered
      self.isEphemeral = isEphemeral
    }
  }

  package struct Welcome: Equatable, Sendable {
    /// The session number for the next hello.
    package var session: UInt64
    /// Whether the keeper knows the client and has everything that it left.
    package var isReturning: Bool
    /// `nil` while the controller is not initialised; `adapterReady` follows.
    package var adapter: AdapterInfo?
    /// The links of the client.
    package var links: [KeptLink]
    /// The centrals connected to what the client serves.
    package var centrals: [KeptLink]
    /// The number of values dropped while the client was away. Each is also reported as a gap.
    package var missed: Int
    /// The newest report that waits for the client; 0 if there is none. All of them follow.
    package var newest: EventNumber

    package init(
      session: UInt64, isReturning: Bool, adapter: AdapterInfo?, links: [KeptLink] = [], centrals: [KeptLink] = [], missed: Int = 0,
      newest: EventNumber = EventNumber(0)
    ) {
      self.newest = newest
      self.centrals = centrals
      self.session = session
      self.isReturning = isReturning
      self.adapter = adapter
      self.links = links
      self.missed = missed
    }
  }

  package struct KeptLink: Equatable, Sendable {
    package var peer: Address
    package var info: LinkInfo

    package init(peer: Address, info: LinkInfo) {
      self.peer = peer
      self.info = info
    }
  }

  package struct Refusal: Equatable, Sendable {
    package enum Kind: UInt8, Sendable {
      /// The versions differ.
      case version
      /// The user has no permission.
      case forbidden
      /// There are too many clients, or the run is already connected. It may be admitted later.
      case busy
      /// The message is invalid.
      case malformed
      /// The keeper is about to end.
      case leaving
      /// The adapter cannot be taken, so there is no keeper.
      case adapter
    }

    package var kind: Kind
    package var text: String
    package var hint: String?

    package init(_ kind: Kind, _ text: String, hint: String? = nil) {
      self.kind = kind
      self.text = text
      self.hint = hint
    }
  }
}

extension KeeperMessage.Refusal.Kind: Portable {}

extension KeeperMessage.Refusal: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(try reader.next(), try reader.next(), hint: try reader.next())
  }

  package func write(to writer: inout ByteWriter) { writer.put(all: kind, text, hint) }
}

extension KeeperMessage.Hello: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    let revision = try reader.readUInt16()
    let version = try reader.readText()
    guard revision == KeeperLimits.revision else {
      // The rest belongs to another version.
      _ = reader.readRest()
      self.init(version: version, identity: [], name: "", revision: revision)
      return
    }
    self.init(
      version: version, identity: try reader.readBytes(16), name: try reader.next(), session: try reader.readUInt64(),
      covered: try reader.next(), isEphemeral: try reader.next())
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(revision)
    writer.put(text: version)
    guard revision == KeeperLimits.revision else { return }
    writer.put(identity.prefix(16))
    for _ in identity.count..<max(16, identity.count) { writer.put(UInt8(0)) }
    writer.put(text: name)
    writer.put(session)
    writer.put(all: covered, isEphemeral)
  }
}

extension KeeperMessage.KeptLink: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) { self.init(peer: try reader.next(), info: try reader.next()) }
  package func write(to writer: inout ByteWriter) { writer.put(all: peer, info) }
}

extension KeeperMessage.Welcome: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    self.init(
      session: try reader.readUInt64(), isReturning: try reader.next(), adapter: try reader.next(), links: try reader.next(),
      centrals: try reader.next(), missed: try reader.next(), newest: try reader.next())
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(session)
    writer.put(all: isReturning, adapter, links, centrals, missed, newest)
  }
}

extension KeeperMessage: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    switch try reader.readUInt8() {
    case 0: self = .hello(try reader.next())
    case 1: self = .request(try reader.next())
    case 2: self = .resumed(upTo: try reader.next(), except: try reader.next())
    case 3: self = .goodbye
    case 4: self = .status
    case 5: self = .stop(force: try reader.next())
    case 6: self = .disconnectAll(force: try reader.next())
    case 7: self = .resetAdapter(force: try reader.next())
    case 8: self = .packets
    case 64: self = .welcome(try reader.next())
    case 65: self = .report(try reader.next())
    case 66: self = .refused(try reader.next())
    case 67: self = .statusReport(try reader.next())
    case 68: self = .ending(try reader.next())
    case 69: self = .kept(try reader.next())
    case let other: throw .invalid("message", UInt64(other))
    }
  }

  package func write(to writer: inout ByteWriter) {
    switch self {
    case .hello(let hello): writer.put(all: UInt8(0), hello)
    case .request(let request): writer.put(all: UInt8(1), request)
    case .resumed(let upTo, let except): writer.put(all: UInt8(2), upTo, except)
    case .goodbye: writer.put(UInt8(3))
    case .status: writer.put(UInt8(4))
    case .stop(let force): writer.put(all: UInt8(5), force)
    case .disconnectAll(let force): writer.put(all: UInt8(6), force)
    case .resetAdapter(let force): writer.put(all: UInt8(7), force)
    case .packets: writer.put(UInt8(8))
    case .welcome(let welcome): writer.put(all: UInt8(64), welcome)
    case .report(let report): writer.put(all: UInt8(65), report)
    case .refused(let refusal): writer.put(all: UInt8(66), refusal)
    case .statusReport(let status): writer.put(all: UInt8(67), status)
    case .ending(let peers): writer.put(all: UInt8(68), peers)
    case .kept(let packets): writer.put(all: UInt8(69), packets)
    }
  }
}
