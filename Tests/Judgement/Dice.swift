/// SplitMix64: the same seed gives the same moments.
package struct Dice {
  package var state: UInt64

  package init(state: UInt64) { self.state = state }

  package mutating func roll(_ range: ClosedRange<Int>) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    z ^= z >> 31
    return range.lowerBound + Int(z % UInt64(range.count))
  }
}
