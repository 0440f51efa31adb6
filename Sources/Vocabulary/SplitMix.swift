/// SplitMix64, a small seeded generator with the same results on every machine.
package struct SplitMix: RandomNumberGenerator, Hashable, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 { Self.next(&state) }

  /// The next number of a generator whose state is stored elsewhere, for example in a checkpoint.
  package static func next(_ state: inout UInt64) -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  /// A number from 0 to less than `bound`; 0 if `bound` is 0.
  package mutating func next(below bound: UInt64) -> UInt64 {
    bound == 0 ? 0 : next().multipliedFullWidth(by: bound).high
  }

  /// A span from zero up to and including `span`.
  package mutating func next(upTo span: TimeSpan) -> TimeSpan {
    span.nanoseconds <= 0 ? .zero : TimeSpan(nanoseconds: Int64(next(below: UInt64(span.nanoseconds))))
  }

  /// True with this probability. Probabilities 0 and 1 use no random number.
  package mutating func chance(_ probability: Double) -> Bool {
    if probability <= 0 { return false }
    if probability >= 1 { return true }
    return Double(next() >> 11) * 0x1p-53 < probability
  }
}
