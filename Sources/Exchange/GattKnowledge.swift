package import Vocabulary

/// What is known of a peer's attributes, with the cursors of a discovery that is not finished.
/// Durable: discovery goes on where it was.
///
/// A cursor `…Next` is the handle that the next request starts at; nothing means that the list is
/// complete. Lists are in the order of handles.
package struct GattKnowledge: Equatable, Sendable {
  package struct Service: Equatable, Sendable {
    package var uuid: UUID
    package var start: AttributeHandle
    package var end: AttributeHandle
    /// Secondary services are known from the include that names them.
    package var isPrimary: Bool
    package var includes: [Include]
    package var includesNext: AttributeHandle?
    package var characteristics: [Characteristic]
    package var characteristicsNext: AttributeHandle?

    package init(uuid: UUID, start: AttributeHandle, end: AttributeHandle, isPrimary: Bool = true) {
      self.uuid = uuid
      self.start = start
      self.end = end
      self.isPrimary = isPrimary
      includes = []
      characteristics = []
      // a service of one handle has room for neither
      includesNext = start < end ? start : nil
      characteristicsNext = start < end ? start : nil
    }

    package func contains(_ handle: AttributeHandle) -> Bool { start <= handle && handle <= end }
  }

  package struct Include: Equatable, Sendable {
    package var handle: AttributeHandle
    package var start: AttributeHandle
    package var end: AttributeHandle
    /// A 128-bit one has to be read from the included service's declaration.
    package var uuid: UUID?

    package init(handle: AttributeHandle, start: AttributeHandle, end: AttributeHandle, uuid: UUID?) {
      self.handle = handle
      self.start = start
      self.end = end
      self.uuid = uuid
    }
  }

  package struct Characteristic: Equatable, Sendable {
    package var uuid: UUID
    package var declaration: AttributeHandle
    package var value: AttributeHandle
    /// Vol 3, Part G, 3.3.1.1
    package var properties: UInt8
    /// The last handle that belongs to it, once the next declaration or the end of the service is
    /// known.
    package var end: AttributeHandle?
    package var descriptors: [Descriptor]
    package var descriptorsNext: AttributeHandle?
    /// Found on the link that is up, or proved by the Database Hash, or checked again. Otherwise
    /// its declaration is read before its value is first written.
    package var isProven: Bool

    package init(uuid: UUID, declaration: AttributeHandle, value: AttributeHandle, properties: UInt8) {
      self.uuid = uuid
      self.declaration = declaration
      self.value = value
      self.properties = properties
      descriptors = []
      descriptorsNext = value.next
      isProven = true
    }

    /// Whether a handle is its declaration, its value or, as far as known, one of its descriptors.
    package func holds(_ handle: AttributeHandle) -> Bool {
      handle == declaration || handle == value || descriptors.contains { $0.handle == handle }
    }
  }

  package struct Descriptor: Equatable, Sendable {
    package var handle: AttributeHandle
    package var uuid: UUID

    package init(handle: AttributeHandle, uuid: UUID) {
      self.handle = handle
      self.uuid = uuid
    }
  }

  /// A search for primary services of one UUID (Find By Type Value).
  package struct Search: Equatable, Sendable {
    package var uuid: UUID
    package var next: AttributeHandle?

    package init(uuid: UUID, next: AttributeHandle?) {
      self.uuid = uuid
      self.next = next
    }
  }

  /// A request that was answered, and how its answer must begin when it is asked again.
  package struct Probe: Equatable, Sendable {
    package var request: [UInt8]
    package var expected: [UInt8]

    package init(request: [UInt8], expected: [UInt8]) {
      self.request = request
      self.expected = expected
    }

    /// An Error Response was expected: weak evidence, that any list found later replaces.
    package var isAbsence: Bool { expected.first == 0x01 }

    /// Whether an answer is the one expected. Of an Error Response the handle is not compared:
    /// servers differ in it.
    package func isMet(by answer: [UInt8]) -> Bool {
      guard isAbsence, expected.count == 5, answer.count == 5 else { return answer.starts(with: expected) }
      return answer[0] == expected[0] && answer[1] == expected[1] && answer[4] == expected[4]
    }
  }

  /// What a bonded peer keeps of us from link to link, as long as the bond lasts (Vol 3, Part G,
  /// 2.5.2 and 3.3.3.3).
  package struct Promise: Equatable, Sendable {
    package struct Configuration: Equatable, Sendable {
      /// Of the characteristic's value.
      package var handle: AttributeHandle
      package var kind: SubscriptionKind

      package init(handle: AttributeHandle, kind: SubscriptionKind) {
        self.handle = handle
        self.kind = kind
      }
    }

    /// Which bond: when it was made.
    package var bond: WallTime
    /// Service Changed is subscribed to: what is known is true until it comes.
    package var tellsChanges = false
    /// Ascending by handle.
    package var configurations: [Configuration] = []

    package init(bond: WallTime) { self.bond = bond }

    package func kind(of handle: AttributeHandle) -> SubscriptionKind? { configurations.first { $0.handle == handle }?.kind }

    package mutating func configure(_ handle: AttributeHandle, _ kind: SubscriptionKind?) {
      configurations.removeAll { $0.handle == handle }
      guard let kind else { return }
      let place = configurations.firstIndex { $0.handle > handle } ?? configurations.count
      configurations.insert(Configuration(handle: handle, kind: kind), at: place)
    }
  }

  /// The peer's Database Hash, 16 octets (Vol 3, Part G, 7.3), once it was read.
  package var databaseHash: [UInt8]?
  /// The peer was asked for a Database Hash and has none.
  package var lacksHash = false
  /// False for a peer that does not answer Find By Type Value: its services are listed instead.
  package var findsByType = true
  package var services: [Service]
  /// Where the list of all primary services goes on.
  package var servicesNext: AttributeHandle?
  package var searches: [Search]
  /// The last discovery request that was answered, asked from above handle 0x0001 where that can
  /// be.
  package var probe: Probe?
  package var promise: Promise?

  package init() {
    services = []
    servicesNext = .first
    searches = []
  }

  /// No attribute was looked for yet, not even one that is missing. What kind of server the peer is
  /// may be known.
  package var isEmpty: Bool {
    services.isEmpty && servicesNext == .first && searches.isEmpty && databaseHash == nil && probe == nil
  }
}

// MARK: Naming

extension GattKnowledge {
  /// The place of the service that holds a handle.
  package func service(holding handle: AttributeHandle) -> Int? { services.firstIndex { $0.contains(handle) } }

  /// Names the value or descriptor with this handle, if it is known.
  package func reference(to handle: AttributeHandle, home: UUID? = nil) -> AttributeReference? {
    guard let place = service(holding: handle) else { return nil }
    let service = services[place]
    guard let characteristic = service.characteristics.first(where: { $0.holds(handle) && $0.declaration != handle }) else {
      return nil
    }
    return reference(
      to: characteristic, of: service, descriptor: characteristic.descriptors.first { $0.handle == handle }, home: home)
  }

  package func reference(
    to characteristic: Characteristic, of service: Service, descriptor: Descriptor? = nil, home: UUID? = nil
  ) -> AttributeReference {
    var serviceInstance = 0
    var overall = 0
    for other in services where Self.counts(other, before: service) {
      if other.uuid == service.uuid { serviceInstance += 1 }
      for found in other.characteristics where found.uuid == characteristic.uuid { overall += 1 }
    }
    var instance = 0
    for found in service.characteristics where found.uuid == characteristic.uuid && found.value < characteristic.value {
      instance += 1
    }
    return AttributeReference(
      handle: descriptor?.handle ?? characteristic.value, service: service.uuid, serviceInstance: serviceInstance,
      characteristic: characteristic.uuid, instance: instance, overallInstance: overall + instance, descriptor: descriptor?.uuid,
      properties: characteristic.properties,
      homeExists: home.map { home in service.uuid != home && services.contains { $0.uuid == home && $0.isPrimary } } ?? false)
  }

  /// Instances are counted over the primary services first, then over the secondary ones: so a
  /// number means the same service whether the includes have been followed yet or not.
  private static func counts(_ other: Service, before service: Service) -> Bool {
    other.isPrimary == service.isPrimary ? other.start < service.start : other.isPrimary
  }

  /// Which service of its UUID this is: the number in `name[1]/characteristic`.
  package func instance(of service: Service) -> Int {
    services.count { $0.uuid == service.uuid && Self.counts($0, before: service) }
  }

  /// The services of a UUID as their instances are numbered, or only the primary ones.
  package func services(of uuid: UUID, isPrimary: Bool) -> [Service] {
    services.filter { $0.uuid == uuid && $0.isPrimary == isPrimary }
  }
}

// MARK: Growing and shrinking

extension GattKnowledge {
  /// Where the search for a UUID goes on; a complete list of all services ends every search.
  package func searchNext(_ uuid: UUID) -> AttributeHandle? {
    guard servicesNext != nil else { return nil }
    return searches.first { $0.uuid == uuid }.map(\.next) ?? .first
  }

  /// Whether what is known of the primary services of a UUID is an answer to a question about them,
  /// and not what another question brought.
  package func hasSearched(_ uuid: UUID) -> Bool { servicesNext == nil || searches.contains { $0.uuid == uuid } }

  package mutating func setSearch(_ uuid: UUID, next: AttributeHandle?) {
    if let place = searches.firstIndex(where: { $0.uuid == uuid }) {
      searches[place].next = next
    } else {
      searches.append(Search(uuid: uuid, next: next))
    }
  }

  /// Puts a service in its place. False when it contradicts one that is known: the same handles
  /// with another UUID or end, or overlapping.
  package mutating func add(_ service: Service) -> Bool {
    for place in services.indices where services[place].start <= service.end && service.start <= services[place].end {
      let other = services[place]
      guard other.start == service.start && other.end == service.end && other.uuid == service.uuid else { return false }
      // an include had named it before
      if service.isPrimary { services[place].isPrimary = true }
      return true
    }
    services.insert(service, at: services.firstIndex { $0.start > service.start } ?? services.count)
    return true
  }

  /// Whether it is certain that no service has a characteristic of this UUID, so that nothing is
  /// left to be found or to be ambiguous.
  package func lacks(_ characteristic: UUID) -> Bool {
    !services.contains { $0.characteristics.contains { $0.uuid == characteristic } }
  }

  /// Marks every characteristic as not proved on the link that is up.
  package mutating func distrust() {
    for service in services.indices {
      for place in services[service].characteristics.indices { services[service].characteristics[place].isProven = false }
    }
  }

  /// Marks every characteristic as proved: the Database Hash is the same.
  package mutating func trust() {
    for service in services.indices {
      for place in services[service].characteristics.indices { services[service].characteristics[place].isProven = true }
    }
  }

  /// Forgets what stands in a range of handles (Service Changed): services that touch it, and every
  /// list of services, as new ones may stand there.
  package mutating func forget(from start: AttributeHandle, to end: AttributeHandle) {
    services.removeAll { $0.start <= end && start <= $0.end }
    searches = []
    servicesNext = .first
    databaseHash = nil
    lacksHash = false
    probe = nil
    promise?.configurations.removeAll { start <= $0.handle && $0.handle <= end }
  }
}
