package import Vocabulary

/// The attribute cache of a peer, with the cursors of an unfinished discovery. It is durable, so
/// discovery continues where it stopped.
///
/// A cursor `…Next` is the handle at which the next request starts; `nil` means that the list is
/// complete. Lists are in the order of handles.
package struct AttributeCache: Equatable, Sendable {
  package struct Service: Equatable, Sendable {
    package var uuid: UUID
    package var start: AttributeHandle
    package var end: AttributeHandle
    /// False for a secondary service, which is known from the declaration that includes it.
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
      // A service of one handle has room for neither.
      includesNext = start < end ? start : nil
      characteristicsNext = start < end ? start : nil
    }

    package func contains(_ handle: AttributeHandle) -> Bool { start <= handle && handle <= end }
  }

  package struct Include: Equatable, Sendable {
    package var handle: AttributeHandle
    package var start: AttributeHandle
    package var end: AttributeHandle
    /// `nil` for a 128-bit UUID until the included service's declaration was read.
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
    /// The Characteristic Properties (Vol 3, Part G, 3.3.1.1).
    package var properties: UInt8
    /// The last handle of the characteristic; `nil` until the next declaration or the end of the
    /// service is known.
    package var end: AttributeHandle?
    package var descriptors: [Descriptor]
    package var descriptorsNext: AttributeHandle?
    /// Whether it was found on this link, or confirmed by the Database Hash or a check. Otherwise
    /// its declaration is read again before the first write to its value.
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

    /// Whether a handle is its declaration, its value or one of its known descriptors.
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

  /// A request that was answered, and how the answer must begin if it is sent again.
  package struct Probe: Equatable, Sendable {
    package var request: [UInt8]
    package var expected: [UInt8]

    package init(request: [UInt8], expected: [UInt8]) {
      self.request = request
      self.expected = expected
    }

    /// Whether the expected answer is an Error Response. This is weak evidence, and any list that
    /// is discovered later replaces it.
    package var isAbsence: Bool { expected.first == 0x01 }

    /// Whether an answer is the expected one. The handle of an Error Response is not compared,
    /// because servers differ in it.
    package func isMet(by answer: [UInt8]) -> Bool {
      guard isAbsence, expected.count == 5, answer.count == 5 else { return answer.starts(with: expected) }
      return answer[0] == expected[0] && answer[1] == expected[1] && answer[4] == expected[4]
    }
  }

  /// What a bonded peer remembers of us from link to link while the bond lasts (Vol 3, Part G,
  /// 2.5.2 and 3.3.3.3).
  package struct BondedState: Equatable, Sendable {
    package struct Configuration: Equatable, Sendable {
      /// The handle of the characteristic's value.
      package var handle: AttributeHandle
      package var kind: SubscriptionKind

      package init(handle: AttributeHandle, kind: SubscriptionKind) {
        self.handle = handle
        self.kind = kind
      }
    }

    /// When the bond was made, which identifies it.
    package var bond: WallTime
    /// Whether we are subscribed to Service Changed. If so, the cache is valid until that arrives.
    package var reportsChanges = false
    /// The subscriptions, ascending by handle.
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

  /// The peer's Database Hash, 16 octets (Vol 3, Part G, 7.3); `nil` until it was read.
  package var databaseHash: [UInt8]?
  /// Whether the peer answered that it has no Database Hash.
  package var lacksHash = false
  /// Whether the peer answers Find By Type Value. If not, its services are listed instead.
  package var findsByType = true
  package var services: [Service]
  /// The cursor of the list of all primary services.
  package var servicesNext: AttributeHandle?
  package var searches: [Search]
  /// The last discovery request that was answered, preferably one that starts above handle 0x0001.
  package var probe: Probe?
  package var bondedState: BondedState?

  package init() {
    services = []
    servicesNext = .first
    searches = []
  }

  /// Whether no attribute was discovered yet, not even one that is missing. Facts about the server
  /// may be known.
  package var isEmpty: Bool {
    services.isEmpty && servicesNext == .first && searches.isEmpty && databaseHash == nil && probe == nil
  }
}

// MARK: Naming

extension AttributeCache {
  /// The index of the service that contains a handle.
  package func service(holding handle: AttributeHandle) -> Int? { services.firstIndex { $0.contains(handle) } }

  /// Returns a reference to the value or descriptor with this handle, if it is known.
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

  /// Primary services are numbered before secondary ones. A number then means the same service
  /// whether or not the includes have been discovered.
  private static func counts(_ other: Service, before service: Service) -> Bool {
    other.isPrimary == service.isPrimary ? other.start < service.start : other.isPrimary
  }

  /// The index of a service among those of its UUID: the number in `name[1]/characteristic`.
  package func instance(of service: Service) -> Int {
    services.count { $0.uuid == service.uuid && Self.counts($0, before: service) }
  }

  /// The services of a UUID in the order of their indices; only the primary ones if `isPrimary`.
  package func services(of uuid: UUID, isPrimary: Bool) -> [Service] {
    services.filter { $0.uuid == uuid && $0.isPrimary == isPrimary }
  }
}

// MARK: Growing and shrinking

extension AttributeCache {
  /// The cursor of the search for a UUID. A complete list of all services ends every search.
  package func searchNext(_ uuid: UUID) -> AttributeHandle? {
    guard servicesNext != nil else { return nil }
    return searches.first { $0.uuid == uuid }.map(\.next) ?? .first
  }

  /// Whether the primary services of a UUID were searched for, not only found by another search.
  package func hasSearched(_ uuid: UUID) -> Bool { servicesNext == nil || searches.contains { $0.uuid == uuid } }

  package mutating func setSearch(_ uuid: UUID, next: AttributeHandle?) {
    if let place = searches.firstIndex(where: { $0.uuid == uuid }) {
      searches[place].next = next
    } else {
      searches.append(Search(uuid: uuid, next: next))
    }
  }

  /// Inserts a service. Returns false if it contradicts a known one: the same handles with another
  /// UUID or end, or an overlap.
  package mutating func add(_ service: Service) -> Bool {
    for place in services.indices where services[place].start <= service.end && service.start <= services[place].end {
      let other = services[place]
      guard other.start == service.start && other.end == service.end && other.uuid == service.uuid else { return false }
      // An include had already named it.
      if service.isPrimary { services[place].isPrimary = true }
      return true
    }
    services.insert(service, at: services.firstIndex { $0.start > service.start } ?? services.count)
    return true
  }

  /// Whether certainly no service has a characteristic of this UUID, so that discovery has nothing
  /// left to find.
  package func lacks(_ characteristic: UUID) -> Bool {
    !services.contains { $0.characteristics.contains { $0.uuid == characteristic } }
  }

  /// Marks every characteristic as not confirmed on this link.
  package mutating func distrust() {
    for service in services.indices {
      for place in services[service].characteristics.indices { services[service].characteristics[place].isProven = false }
    }
  }

  /// Marks every characteristic as confirmed, because the Database Hash is unchanged.
  package mutating func trust() {
    for service in services.indices {
      for place in services[service].characteristics.indices { services[service].characteristics[place].isProven = true }
    }
  }

  /// Forgets a range of handles after Service Changed: the services that touch it and, because it
  /// may hold new ones, every list of services.
  package mutating func forget(from start: AttributeHandle, to end: AttributeHandle) {
    services.removeAll { $0.start <= end && start <= $0.end }
    searches = []
    servicesNext = .first
    databaseHash = nil
    lacksHash = false
    probe = nil
    bondedState?.configurations.removeAll { start <= $0.handle && $0.handle <= end }
  }
}
