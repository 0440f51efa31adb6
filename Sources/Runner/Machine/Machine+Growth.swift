import Exchange
import Recipe

/// Lists and records that grow in place. Their parts are counted once and then updated, so that a
/// loop of additions takes linear time.
extension Machine {
  struct KnownSize: Sendable {
    var identity: ElementsIdentity
    var parts: Int
  }

  /// The number of parts at some places. `last` is a fast path, because loops mostly grow one
  /// value.
  struct KnownSizes: Sendable {
    private var last: (place: UInt64, size: KnownSize)?
    private var others: [UInt64: KnownSize] = [:]
    /// The maximum number of places.
    private static let limit = 256

    var count: Int { others.count + (last == nil ? 0 : 1) }

    subscript(place: UInt64) -> KnownSize? { last?.place == place ? last?.size : others[place] }

    /// The size of a place, if it was the last one to grow.
    @inline(__always)
    func newest(at place: UInt64) -> KnownSize? { if let last, last.place == place { last.size } else { nil } }

    /// Updates the size of the last place.
    @inline(__always)
    mutating func setNewest(_ size: KnownSize) { last?.size = size }

    mutating func set(_ size: KnownSize, at place: UInt64) {
      if let last, last.place != place {
        if count >= Self.limit { others.removeAll(keepingCapacity: true) }
        others[last.place] = last.size
        others[place] = nil
      }
      last = (place, size)
    }
  }

  /// `set a to a + c`.
  mutating func grow(_ op: Op, _ fiber: inout Fiber, _ base: Int) throws(Failure) {
    let more = read(op.c, fiber, base)
    guard case .list = more, case .list = read(op.b, fiber, base) else {
      try change(op.a, &fiber, base) { (value) throws(Failure) in try value.grow(by: more) }
      return
    }
    let key = place(op.a, fiber, base)
    var parts = try more.parts()
    do {
      // Release this reference before the change, because otherwise the whole list is copied.
      let whole = read(op.b, fiber, base)
      parts += try size(key, whole)
    }
    if parts > Value.partLimit { throw .tooManyParts }
    try change(op.a, &fiber, base, appends: true) { (value) throws(Failure) in try value.grow(by: more) }
    remember(parts, key, op.a, fiber, base)
  }

  /// `set r.l to r.l + more`, where `slot` holds the part before the change.
  mutating func growPlace(
    _ root: Operand, _ path: [PathStep], _ slot: Int, by more: Value, _ fiber: inout Fiber, _ base: Int
  ) throws(Failure) {
    var part = fiber.slots[slot]
    let isOwn = read(root.raw, fiber, base).isList || read(root.raw, fiber, base).isRecord
    fuel -= more.weight
    guard isOwn, part.growsInPlace(by: more), !path.contains(where: \.isSecret) else {
      fuel -= part.weight
      return try setPlace(root, path, to: try Value.add(part, more), &fiber, base)
    }
    let parts = try countAdded(more, path, to: root, fiber, base)
    try more.check(levels: Value.depthLimit - path.count)
    // Release every other reference to the part, because otherwise the change copies all of it.
    let unit = fiber.frames[fiber.frames.count - 1].unit
    for slot in base..<fiber.slots.count
    where fiber.slots[slot].isShared && program.units[unit].localKeys[slot - base] == .temporary {
      fiber.slots[slot] = .unset
    }
    try change(root.raw, &fiber, base) { (value) throws(Failure) in
      try value.put(path, .nothing)
      defer { try? value.put(path, part) }
      try part.grow(by: more)
    }
    if let parts { remember(parts, at: root, fiber, base) }
  }

  /// `set a to a + […]`, where the slots hold the elements and `added` is the sum of their parts.
  mutating func append(_ slots: Range<Int>, _ added: Int, to raw: UInt16, _ fiber: inout Fiber, _ base: Int) throws(Failure) {
    let key = place(raw, fiber, base)
    // Fast path for the common case: one element for the list that grew last.
    if slots.count == 1, let newest = knownSizes.newest(at: key), newest.parts + added <= Value.partLimit,
      newest.identity.count < Value.largestList
    {
      let element = fiber.slots[slots.lowerBound]
      let grown =
        raw < 0x8000
        ? fiber.slots[base + Int(raw)].append(element, to: newest.identity)
        : variables[growing: Int(raw & 0x3FFF)].append(element, to: newest.identity)
      if let grown { return knownSizes.setNewest(KnownSize(identity: grown, parts: newest.parts + added)) }
    }
    guard let identity = identity(raw, fiber, base) else { return }
    var parts = added
    if let known = knownSizes[key], known.identity == identity {
      parts += known.parts
    } else {
      parts += try read(raw, fiber, base).parts()
    }
    if parts > Value.partLimit { throw .tooManyParts }
    try Value.checkSize(identity.count, slots.count, most: Value.largestList)
    for slot in slots {
      let element = fiber.slots[slot]
      try change(raw, &fiber, base, appends: true) { (value) throws(Failure) in value.append(element) }
    }
    remember(parts, key, raw, fiber, base)
  }

  /// The number of parts of a list of these slots.
  static func parts(of slots: Range<Int>, _ fiber: borrowing Fiber) throws(Failure) -> Int {
    var parts = slots.count
    for slot in slots where fiber.slots[slot].hasParts {
      parts += try fiber.slots[slot].parts(levels: Value.depthLimit - 1)
      if parts > Value.partLimit { throw .tooManyParts }
    }
    return parts
  }

  /// Counts the parts that a `set` of a field or element adds. Small values are not counted.
  mutating func countAdded(_ value: Value, _ keys: [PathStep], to root: Operand, _ fiber: borrowing Fiber, _ base: Int)
    throws(Failure) -> Int?
  {
    guard !value.isSmall || keys.contains(where: \.isLong) else { return nil }
    let key = place(root.raw, fiber, base)
    let whole = read(root.raw, fiber, base)
    var added = try value.parts()
    for step in keys { added += step.octets >> 4 }
    var parts = try size(key, whole) + added
    if parts > Value.partLimit {
      // The sum still includes replaced parts, so count exactly.
      parts = try whole.parts() + added
    }
    if parts > Value.partLimit { throw .tooManyParts }
    return parts
  }

  mutating func remember(_ parts: Int, at root: Operand, _ fiber: borrowing Fiber, _ base: Int) {
    remember(parts, place(root.raw, fiber, base), root.raw, fiber, base)
  }

  private mutating func change(
    _ raw: UInt16, _ fiber: inout Fiber, _ base: Int, appends: Bool = false, _ work: (inout Value) throws(Failure) -> Void
  ) throws(Failure) {
    if raw < 0x8000 {
      try work(&fiber.slots[base + Int(raw)])
    } else if appends {
      try work(&variables[growing: Int(raw & 0x3FFF)])
    } else {
      try work(&variables[Int(raw & 0x3FFF)])
    }
  }

  private func place(_ raw: UInt16, _ fiber: borrowing Fiber, _ base: Int) -> UInt64 {
    raw < 0x8000 ? fiber.id << 24 ^ UInt64(base + Int(raw)) : 1 << 63 | UInt64(raw)
  }

  /// Mutating only to avoid a copy of the whole machine.
  private mutating func size(_ key: UInt64, _ value: Value) throws(Failure) -> Int {
    if let known = knownSizes[key], known.identity == value.identity { return known.parts }
    return try value.parts()
  }

  /// The identity of the value at a place, without copying the value.
  @inline(__always)
  private func identity(_ raw: UInt16, _ fiber: borrowing Fiber, _ base: Int) -> ElementsIdentity? {
    raw < 0x8000 ? fiber.slots[base + Int(raw)].identity : variables[Int(raw & 0x3FFF)].identity
  }

  private mutating func remember(_ parts: Int, _ key: UInt64, _ raw: UInt16, _ fiber: borrowing Fiber, _ base: Int) {
    guard let identity = identity(raw, fiber, base) else { return }
    knownSizes.set(KnownSize(identity: identity, parts: parts), at: key)
  }
}

extension Value {
  fileprivate var hasParts: Bool {
    switch self {
    case .text, .bytes, .list, .record, .problem, .secret: true
    default: false
    }
  }

  /// Whether it counts as one part in any container.
  fileprivate var isSmall: Bool {
    switch self {
    case .list, .record, .problem, .secret: false
    case .text(let text): text.utf8.count < 64
    case .bytes(let bytes): bytes.count < 64
    default: true
    }
  }
}

extension PathStep {
  fileprivate var octets: Int { if case .index(.text(let key)) = self { key.utf8.count } else { 0 } }
  fileprivate var isLong: Bool { octets >= 64 }
}
