import Testing
import Vocabulary

/// Published values, because checkpoints, file names and simulated addresses depend on them.
@Suite struct HashTests {
  @Test(
    arguments: [
      ("", 0xCBF2_9CE4_8422_2325), ("a", 0xAF63_DC4C_8601_EC8C), ("foobar", 0x8594_4171_F739_67E8),
    ] as [(String, UInt64)])
  func aTextHasItsHash(text: String, hash: UInt64) {
    #expect(FNV1a.hash(text.utf8) == hash)
  }

  @Test func aSeedGivesItsNumbers() {
    var numbers = SplitMix(seed: 1_234_567)
    #expect(
      [numbers.next(), numbers.next(), numbers.next()] == [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
      ])
    var state: UInt64 = 1_234_567
    #expect(SplitMix.next(&state) == 6_457_827_717_110_365_317)
  }
}
