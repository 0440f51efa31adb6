/// A pair of places in two sequences.
typealias PlacePair = (old: Int, new: Int)

/// Pairs of equal elements of two sequences that keep their order. Equal beginnings and ends are
/// paired first, then what occurs once in both sequences, then the same between such pairs.
struct SequenceAlignment<Element: Hashable> {
  /// In ascending order.
  private(set) var pairs: [PlacePair] = []
  private let old: [Element]
  private let new: [Element]

  private static var mostNested: Int { 16 }

  /// - Parameter known: Pairs in ascending order. Only elements between them are paired.
  init(_ old: [Element], _ new: [Element], within known: [PlacePair] = []) {
    (self.old, self.new) = (old, new)
    pairs = known
    var (oldStart, newStart) = (0, 0)
    for pair in known + [(old.count, new.count)] {
      align(oldStart..<pair.old, newStart..<pair.new, depth: 0)
      (oldStart, newStart) = (pair.old + 1, pair.new + 1)
    }
    pairs.sort { $0.old < $1.old }
  }

  private mutating func align(_ oldRange: Range<Int>, _ newRange: Range<Int>, depth: Int) {
    var (oldRange, newRange) = (oldRange, newRange)
    while let first = oldRange.first, let other = newRange.first, old[first] == new[other] {
      pairs.append((first, other))
      (oldRange, newRange) = (oldRange.dropFirst(), newRange.dropFirst())
    }
    while let last = oldRange.last, let other = newRange.last, old[last] == new[other] {
      pairs.append((last, other))
      (oldRange, newRange) = (oldRange.dropLast(), newRange.dropLast())
    }
    guard !oldRange.isEmpty, !newRange.isEmpty, depth < Self.mostNested else { return }
    let anchors = unique(oldRange, newRange)
    guard !anchors.isEmpty else { return }
    var (oldStart, newStart) = (oldRange.lowerBound, newRange.lowerBound)
    for anchor in anchors {
      pairs.append(anchor)
      align(oldStart..<anchor.old, newStart..<anchor.new, depth: depth + 1)
      (oldStart, newStart) = (anchor.old + 1, anchor.new + 1)
    }
    align(oldStart..<oldRange.upperBound, newStart..<newRange.upperBound, depth: depth + 1)
  }

  /// The longest ascending list of pairs of elements that occur once in both ranges.
  private func unique(_ oldRange: Range<Int>, _ newRange: Range<Int>) -> [PlacePair] {
    var (oldPlaces, newPlaces): ([Element: [Int]], [Element: [Int]]) = ([:], [:])
    for place in oldRange { oldPlaces[old[place], default: []].append(place) }
    for place in newRange { newPlaces[new[place], default: []].append(place) }
    let candidates = oldRange.compactMap { place -> PlacePair? in
      guard oldPlaces[old[place]]?.count == 1, let others = newPlaces[old[place]], others.count == 1 else { return nil }
      return (place, others[0])
    }
    // For each length, the list of that length with the smallest last place, by its last candidate.
    var ends: [Int] = []
    var before: [Int?] = []
    for (index, candidate) in candidates.enumerated() {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if candidates[ends[middle]].new < candidate.new { low = middle + 1 } else { high = middle }
      }
      before.append(low > 0 ? ends[low - 1] : nil)
      if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var list: [PlacePair] = []
    var next = ends.last
    while let index = next {
      list.append(candidates[index])
      next = before[index]
    }
    return list.reversed()
  }
}
