import Recipe
import Testing
import Vocabulary

@testable import Runner

/// Sorting of whole numbers, however many there are and however far apart.
@Suite struct OrderTests {
  @Test(arguments: [0, 1, 2, 31, 32, 33, 100, 1000, 5000])
  func theyComeInOrder(count: Int) {
    var random = SplitMix(seed: UInt64(count) + 1)
    let ranges: [(UInt64, Int64)] = [
      (1, 5), (2, -1), (256, 0), (257, -128), (1009, 0), (65_536, -40_000), (1 << 24, -7), (1 << 40, -1 << 39), (.max, .min),
      (.max, 0),
    ]
    for (width, least) in ranges {
      let numbers = (0..<count).map { _ in least &+ Int64(bitPattern: random.next() % width) }
      #expect(Method.ordered(numbers) == numbers.sorted())
    }
    let ends = (0..<count).map { $0 % 2 == 0 ? Int64.min : .max }
    #expect(Method.ordered(ends) == ends.sorted())
  }
}
