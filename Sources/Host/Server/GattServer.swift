package import Exchange
import Packets
package import Vocabulary

/// Our GATT server: one table for all links (Vol 3, Part G, 2 to 4; Part F, 3.4).
///
/// Generic Access and Generic Attribute come first unless the table declares them; then its
/// services in order, so that a table always gets the same handles. State of one link is in the
/// link's `GattPeer`.
package struct GattServer: Equatable, Sendable {
  /// A value that is being sent to subscribers.
  struct Publication: Equatable, Sendable {
    var owner: OwnerID
    var id: OperationID
    var attribute: ServerAttributeID
    var value: [UInt8]
    var kind: SubscriptionKind
    var to: Address?
    /// The links whose queue or confirmation is missing, and the number of links concerned.
    var awaited = 0
    var reached = 0
    /// The number of those that have the value.
    var arrived = 0
    var failure: Failure?
    /// Whether all links have been asked.
    var isWhole = false
  }

  var owner = OwnerID.run
  /// Whether the owner also answers for values that are only stored.
  var confirmsWrites = false
  /// How centrals may pair with us; `nil` for the host's configuration.
  var pairing: PairRequest?
  /// Out-of-band data of a central.
  var outOfBand: OutOfBandData?
  /// Ascending by handle, from 0x0001 without gaps.
  var attributes: [ServerAttribute] = []
  var hash: [UInt8]?
  var publications: [Publication] = []
  var nextRequest: UInt64 = 1
  /// The number of the table, so that links detect a new one.
  private(set) var version = 0

  /// The server of a pure client: Generic Access and Generic Attribute, without a hash.
  package init() { layOut(ServerTable(name: "tooth", services: []), hashed: false) }

  // MARK: The table

  /// Lays out a table. Returns the input of the Database Hash (Vol 3, Part G, 7.3.1); `nil` if the
  /// table has its own Generic Attribute service.
  package mutating func publish(_ table: ServerTable, owner: OwnerID) -> [UInt8]? {
    self.owner = owner
    version += 1
    hash = nil
    confirmsWrites = table.confirmsWrites
    pairing = table.pairing
    outOfBand = table.outOfBand
    layOut(table, hashed: true)
    return attributes.contains { $0.content == .databaseHash } ? hashInput : nil
  }

  /// Restores the table of a pure client.
  mutating func empty() {
    version += 1
    hash = nil
    confirmsWrites = false
    pairing = nil
    outOfBand = nil
    publications = []
    layOut(ServerTable(name: "tooth", services: []), hashed: false)
  }

  /// Sets the Database Hash: 16 octets, as they are read.
  package mutating func hashComputed(_ hash: [UInt8]) { self.hash = hash }

  /// Stores a value without sending it. Returns false if there is no such attribute.
  package mutating func update(_ attribute: ServerAttributeID, _ value: [UInt8]) -> Bool {
    guard let place = place(of: attribute) else { return false }
    attributes[place].content = .value(attribute, value)
    return true
  }

  func place(of attribute: ServerAttributeID) -> Int? {
    attributes.firstIndex { if case .value(attribute, _) = $0.content { true } else { false } }
  }

  func attribute(_ handle: AttributeHandle) -> ServerAttribute? {
    handle.raw == 0 || Int(handle.raw) > attributes.count ? nil : attributes[Int(handle.raw) - 1]
  }

  private mutating func layOut(_ table: ServerTable, hashed: Bool) {
    var services: [ServerTable.Service] = []
    let ours = ServerAttributeID(-1)
    var isAutomatic: [Bool] = []
    if !table.services.contains(where: { $0.uuid == UUID(0x1800) }) {
      services.append(
        ServerTable.Service(
          uuid: UUID(0x1800),
          characteristics: [
            ServerTable.Characteristic(
              id: ours, uuid: UUID(0x2A00), properties: .read, value: Array(table.name.utf8.prefix(AttributeLimits.value))),
            // Appearance: no category (Assigned Numbers, 2.6).
            ServerTable.Characteristic(id: ours, uuid: UUID(0x2A01), properties: .read, value: [0, 0]),
          ]))
      isAutomatic.append(true)
    }
    if !table.services.contains(where: { $0.uuid == UUID(0x1801) }) {
      var characteristics = [
        ServerTable.Characteristic(id: ours, uuid: UUID(0x2A05), properties: .indicate),
        ServerTable.Characteristic(id: ours, uuid: UUID(0x2B29), properties: [.read, .write]),
      ]
      if hashed { characteristics.append(ServerTable.Characteristic(id: ours, uuid: UUID(0x2B2A), properties: .read)) }
      services.append(ServerTable.Service(uuid: UUID(0x1801), characteristics: characteristics))
      isAutomatic.append(true)
    }
    let first = services.count
    services += table.services
    isAutomatic += table.services.map { _ in false }

    // The position of each service, for includes of later services.
    var starts: [Int] = []
    var next = 1
    for service in services {
      starts.append(next)
      next += Self.size(of: service)
    }
    attributes = []
    for (place, service) in services.enumerated() {
      add(service, isAutomatic: isAutomatic[place], end: starts[place] + Self.size(of: service) - 1) { index in
        guard services.indices.contains(first + index), index >= 0 else { return nil }
        let start = starts[first + index]
        return (
          HandleRange(UInt16(clamping: start), UInt16(clamping: start + Self.size(of: services[first + index]) - 1)),
          services[first + index].uuid
        )
      }
    }
  }

  private static let extendedProperties = UUID(0x2900)

  /// Whether to add Extended Properties that the table does not declare.
  private static func extends(_ characteristic: ServerTable.Characteristic) -> Bool {
    characteristic.properties.contains(.extendedProperties)
      && !characteristic.descriptors.contains { $0.uuid == extendedProperties }
  }

  private static func size(of service: ServerTable.Service) -> Int {
    service.characteristics.reduce(1 + service.includes.count) { sum, characteristic in
      sum + 2 + (characteristic.properties.isDisjoint(with: [.notify, .indicate]) ? 0 : 1) + (extends(characteristic) ? 1 : 0)
        + characteristic.descriptors.count
    }
  }

  private mutating func add(
    _ service: ServerTable.Service, isAutomatic: Bool, end: Int, _ included: (Int) -> (range: HandleRange, uuid: UUID)?
  ) {
    var declaration = ByteWriter()
    service.uuid.writeLittleEndian(to: &declaration)
    let type = UUID(service.isPrimary ? DiscoverServiceByUUID.primary : DiscoverServiceByUUID.secondary)
    add(type, .fixed(declaration.bytes), .read, groupEnd: AttributeHandle(UInt16(clamping: end)))
    for index in service.includes {
      var value = ByteWriter()
      if let (range, uuid) = included(index) {
        range.write(to: &value)
        // An include only contains a 16-bit UUID (Vol 3, Part G, 3.2).
        if let short = uuid.short { value.put(short) }
      }
      add(FindIncludedServices.declaration, .fixed(value.bytes), .read)
    }
    for characteristic in service.characteristics { add(characteristic, isAutomatic: isAutomatic) }
  }

  private mutating func add(_ characteristic: ServerTable.Characteristic, isAutomatic: Bool) {
    let handle = AttributeHandle(UInt16(clamping: attributes.count + 2))
    var declaration = ByteWriter()
    declaration.put(characteristic.properties.rawValue)
    handle.write(to: &declaration)
    characteristic.uuid.writeLittleEndian(to: &declaration)
    add(DiscoverCharacteristics.declaration, .fixed(declaration.bytes), .read)
    var content = ServerAttribute.Content.value(characteristic.id, characteristic.value)
    if isAutomatic {
      switch characteristic.uuid {
      case UUID(0x2B2A): content = .databaseHash
      case UUID(0x2B29): content = .clientFeatures
      default: content = .fixed(characteristic.value)
      }
    }
    add(characteristic.uuid, content, characteristic.properties, characteristic.protection)
    attributes[attributes.count - 1].writeProtection = characteristic.writeProtection
    attributes[attributes.count - 1].asksBeforeRead = characteristic.asksBeforeRead
    attributes[attributes.count - 1].asksBeforeWrite = characteristic.asksBeforeWrite
    if !characteristic.properties.isDisjoint(with: [.notify, .indicate]) {
      add(
        Resolution.configuration, .configuration(isAutomatic ? nil : characteristic.id), [.read, .write], characteristic.protection)
    }
    // Reliable writes, no writable auxiliaries (Vol 3, Part G, 3.3.3.1).
    if Self.extends(characteristic) { add(Self.extendedProperties, .fixed([1, 0]), .read) }
    for descriptor in characteristic.descriptors {
      add(descriptor.uuid, .value(descriptor.id, descriptor.value), descriptor.properties, descriptor.protection)
      attributes[attributes.count - 1].writeProtection = descriptor.writeProtection
      attributes[attributes.count - 1].asksBeforeRead = descriptor.asksBeforeRead
      attributes[attributes.count - 1].asksBeforeWrite = descriptor.asksBeforeWrite
    }
  }

  private mutating func add(
    _ type: UUID, _ content: ServerAttribute.Content, _ properties: ServerTable.Properties,
    _ protection: ServerTable.Protection = .open, groupEnd: AttributeHandle? = nil
  ) {
    // Handles end at 0xFFFF; attributes beyond that are dropped.
    guard attributes.count < 0xFFFF else { return }
    attributes.append(
      ServerAttribute(
        handle: AttributeHandle(UInt16(attributes.count + 1)), type: type, content: content, properties: properties,
        protection: protection, writeProtection: protection, groupEnd: groupEnd))
  }

  /// Declarations with their values, some descriptors without (Vol 3, Part G, 7.3.1).
  private var hashInput: [UInt8] {
    var writer = ByteWriter()
    for attribute in attributes {
      guard let type = attribute.type.short else { continue }
      switch type {
      case 0x2800...0x2803, 0x2900:
        attribute.handle.write(to: &writer)
        writer.put(type)
        switch attribute.content {
        case .fixed(let value), .value(_, let value): writer.put(value)
        case .configuration, .databaseHash, .clientFeatures: break
        }
      case 0x2901...0x2905:
        attribute.handle.write(to: &writer)
        writer.put(type)
      default: break
      }
    }
    return writer.bytes
  }

  /// Identifies the table in memories, by its attributes and handles.
  var fingerprint: UInt64 {
    var writer = ByteWriter()
    for attribute in attributes {
      attribute.type.writeLittleEndian(to: &writer)
      writer.put(attribute.properties.rawValue)
    }
    return FNV1a.hash(hashInput + writer.bytes)
  }

  // MARK: Publications

  /// Stores a value and starts to send it. Call every link's `sendPublication` and then
  /// `endPublication`. Returns a failure that ends it at once.
  package mutating func beginPublication(
    _ owner: OwnerID, _ id: OperationID, _ attribute: ServerAttributeID, _ value: [UInt8], _ kind: SubscriptionKind, to: Address?
  ) -> Failure? {
    guard let place = place(of: attribute) else {
      return Failure(.missing, "our server has no such attribute", blame: .recipe, layer: .att, delivered: .notSent)
    }
    guard attributes[place].properties.contains(kind == .notify ? .notify : .indicate) else {
      return Failure(
        .missing, "\(attributes[place].type) cannot \(kind == .notify ? "notify" : "indicate")", blame: .recipe, layer: .att,
        delivered: .notSent)
    }
    guard value.count <= AttributeLimits.value else {
      return Failure(
        .value, "\(value.count) octets, but an attribute holds at most 512", blame: .recipe, layer: .att, delivered: .notSent)
    }
    attributes[place].content = .value(attribute, value)
    publications.append(Publication(owner: owner, id: id, attribute: attribute, value: value, kind: kind, to: to))
    return nil
  }

  /// All links were asked. Completes now, or with the last confirmation.
  package mutating func endPublication() -> [GattEffect] {
    guard let last = publications.indices.last, !publications[last].isWhole else { return [] }
    publications[last].isWhole = true
    if publications[last].to != nil, publications[last].reached == 0 {
      publications[last].failure = Failure(
        .refused, "the central has not subscribed", blame: .refused, layer: .att, delivered: .notSent)
    }
    return finished()
  }

  /// Reports the publications that are complete.
  mutating func finished() -> [GattEffect] {
    var effects: [GattEffect] = []
    var place = 0
    while place < publications.count {
      guard publications[place].isWhole, publications[place].awaited == 0 else {
        place += 1
        continue
      }
      var publication = publications.remove(at: place)
      // The loss of one subscriber does not fail the others.
      if publication.failure?.kind == .disconnected, publication.arrived > 0 { publication.failure = nil }
      effects.append(
        .report(
          publication.owner, .completed(publication.id, publication.failure.map { .failure($0) } ?? .success(.done))))
    }
    return effects
  }

  /// An indication was confirmed, or never will be.
  mutating func settled(_ indication: ServerSession.Indication, failure: Failure? = nil) {
    guard let place = publications.firstIndex(where: { $0.id == indication.publication && $0.owner == indication.owner }) else {
      return
    }
    publications[place].awaited -= 1
    guard let failure else {
      publications[place].arrived += 1
      return
    }
    publications[place].failure = failure
  }

  /// A link is gone, with its subscriptions and confirmations.
  mutating func lost(_ session: inout ServerSession) -> [GattEffect] {
    var effects: [GattEffect] = []
    for configuration in session.configurations where configuration.value != 0 {
      if case .configuration(.some(let id)) = attribute(configuration.handle)?.content {
        effects.append(.report(owner, .unsubscribed(id, session.peer)))
      }
    }
    for indication in session.indications {
      settled(
        indication,
        failure: Failure(
          .disconnected, "the link was lost before the indication was confirmed", blame: .radio, layer: .att, delivered: .maybe))
    }
    for notification in session.notifications { settled(notification) }
    session = ServerSession(peer: session.peer)
    return effects + finished()
  }
}

extension GattServer: Portable {
  package init(reading reader: inout RawSpan) throws(DecodeError) {
    owner = try reader.next()
    confirmsWrites = try reader.next()
    pairing = try reader.next()
    outOfBand = try reader.next()
    attributes = try reader.next()
    // An attribute is looked up by its handle as the index.
    guard attributes.count <= 0xFFFF, attributes.indices.allSatisfy({ Int(attributes[$0].handle.raw) == $0 + 1 }) else {
      throw .invalid("handles of our server", UInt64(attributes.count))
    }
    hash = try reader.next()
    publications = try reader.next()
    nextRequest = try reader.nextCounter("number of a request")
    version = try reader.nextCounter("version of the table")
  }

  package func write(to writer: inout ByteWriter) {
    writer.put(all: owner, confirmsWrites, pairing, outOfBand, attributes, hash, publications, nextRequest, version)
  }
}
