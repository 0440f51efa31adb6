import Exchange
import Recipe

/// Lists and records that grow in their place. Their parts are counted once and then kept up, so
/// that a loop of additions is linear.
extension Machine {
  struct KnownSize: Sendable {
    var identity: ElementsIdentity
    var parts: Int
  }

  /// Sizes are known of so many places at most.
  static let knownSizeLimit = 256

  /// `set a to a + c`.
  mutating func grow(_ op: Op, _ fiber: inout Fiber, _ base: Int) throws(Failure) {
    let more = read(op.c, fiber, base)
    guard case .list = more, case .list = read(op.b, fiber, base) else {
      try change(op.a, &fiber, base) { (value) throws(Failure) in try value.grow(by: more) }
      return
    }
    let key = place(op.a, fiber, base)
    let parts = try size(key, read(op.b, fiber, base)) + more.parts()
    if parts > Value.partLimit { throw .tooManyParts }
    try change(op.a, &fiber, base) { (value) throws(Failure) in try value.grow(by: more) }
    remember(parts, key, op.a, fiber, base)
  }

  /// Counts what a `set` of a field or element adds; for values that are not small only.
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
      // What was replaced since is still in the sum.
      parts = try whole.parts() + added
    }
    if parts > Value.partLimit { throw .tooManyParts }
    return parts
  }

  mutating func remember(_ parts: Int, at root: Operand, _ fiber: borrowing Fiber, _ base: Int) {
    remember(parts, place(root.raw, fiber, base), root.raw, fiber, base)
  }

  private mutating func change(
    _ raw: UInt16, _ fiber: inout Fiber, _ base: Int, _ work: (inout Value) throws(Failure) -> Void
  ) throws(Failure) {
    if raw < 0x8000 {
      try work(&fiber.slots[base + Int(raw)])
    } else {
      let index = Int(raw & 0x3FFF)
      try work(&variables[index])
    }
  }

  private func place(_ raw: UInt16, _ fiber: borrowing Fiber, _ base: Int) -> UInt64 {
    raw < 0x8000 ? fiber.id << 24 ^ UInt64(base + Int(raw)) : 1 << 63 | UInt64(raw)
  }

  private func size(_ key: UInt64, _ value: Value) throws(Failure) -> Int {
    if let known = knownSizes[key], known.identity == value.identity { return known.parts }
    return try value.parts()
  }

  private mutating func remember(_ parts: Int, _ key: UInt64, _ raw: UInt16, _ fiber: borrowing Fiber, _ base: Int) {
    guard let identity = read(raw, fiber, base).identity else { return }
    if knownSizes.count >= Self.knownSizeLimit { knownSizes.removeAll(keepingCapacity: true) }
    knownSizes[key] = KnownSize(identity: identity, parts: parts)
  }
}

extension Value {
  /// Whether it is one part, whatever it is put into.
  fileprivate var isSmall: Bool {
    switch self {
    case .list, .record, .problem: false
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
