/// Finds words that were probably meant.
package enum Spelling {
  /// The candidate nearest to a word: at most 2 typos away, or 1 for words of up to 4 letters. The
  /// first one wins a tie.
  package static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
    let letters = Array(word.utf8)
    let limit = letters.count <= 4 ? 1 : 2
    guard letters.count <= 64 else { return nil }
    // A difference in case only is the smallest typo.
    if let same = candidates.first(where: { $0 != word && isSame($0, letters) }) { return same }
    // A single letter has nothing in common with a different one.
    guard letters.count > 1 else { return nil }
    var best: (word: String, distance: Int)?
    for candidate in candidates {
      guard candidate.utf8.count <= 64, abs(candidate.utf8.count - letters.count) <= limit, candidate != word else { continue }
      let other = Array(candidate.utf8)
      let distance = distance(letters, other)
      if distance <= limit, distance < best?.distance ?? .max, mayBeMeant(letters, other) { best = (candidate, distance) }
    }
    return best?.word
  }

  /// Whether a candidate may be what a word means: not `u48be` for `u8be`, `u16be` for `u16le`, or
  /// `min` for `bin`.
  private static func mayBeMeant(_ word: [UInt8], _ candidate: [UInt8]) -> Bool {
    func digits(_ text: [UInt8]) -> [UInt8] { text.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }
    func isSized(_ text: [UInt8]) -> Bool { text.count > 1 && !digits([text[1]]).isEmpty }
    if isSized(word) || isSized(candidate) {
      return digits(word) == digits(candidate) && word.first == candidate.first && word.last == candidate.last
    }
    // In a short word, another first letter makes another word.
    return word.count > 3 || word.count != candidate.count || word.first == candidate.first || word.sorted() == candidate.sorted()
  }

  /// The nearest candidates; several if they are equally near.
  static func allNearest(to word: String, among candidates: [String]) -> [String] {
    guard let best = nearest(to: word, among: candidates) else { return [] }
    guard best.lowercased() != word.lowercased() else { return [best] }
    let letters = Array(word.utf8)
    let distance = distance(letters, Array(best.utf8))
    var all: [String] = []
    for candidate in candidates where abs(candidate.utf8.count - letters.count) <= distance && candidate != word {
      guard self.distance(letters, Array(candidate.utf8)) == distance, !all.contains(candidate) else { continue }
      all.append(candidate)
    }
    return all
  }

  /// Whether a candidate differs from a word only in the case of ASCII letters.
  private static func isSame(_ candidate: String, _ letters: [UInt8]) -> Bool {
    candidate.utf8.count == letters.count && candidate.utf8.elementsEqual(letters) { isSameLetter($0, $1) }
  }

  private static func isSameLetter(_ one: UInt8, _ other: UInt8) -> Bool {
    one == other || one ^ other == 0x20 && (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(one | 0x20)
  }

  /// Damerau-Levenshtein distance: inserted, missing, wrong or swapped neighbouring bytes.
  package static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in 0..<left.count {
      var current = [row + 1]
      for column in 0..<right.count {
        let cost = left[row] == right[column] ? 0 : 1
        var value = min(last[column + 1] + 1, current[column] + 1, last[column] + cost)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          value = min(value, beforeLast[column - 1] + 1)
        }
        current.append(value)
      }
      beforeLast = last
      last = current
    }
    return last[right.count]
  }
}
