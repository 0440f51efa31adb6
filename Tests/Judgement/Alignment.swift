/// Compares what was written with what was expected: in order, none twice, none missing except
/// optional ones.
///
/// Values may repeat, so all possible matches are tracked at once.
package struct Alignment {
  package enum Verdict: Equatable {
    /// The indices of the expected items that are present.
    case right([Int])
    /// The mismatch, in words.
    case wrong(String)
  }

  private let wanted: [(text: String, isOptional: Bool)]

  package init(_ wanted: [(text: String, isOptional: Bool)]) { self.wanted = wanted }

  /// With `mayRepeat`, the first item of a life may repeat the last of the life before.
  package func verdict(_ lives: [[String]], mayRepeat: Bool) -> Verdict {
    // The expected item that may come next, and those matched before it.
    var places: [Int: [Int]] = [0: []]
    var last: String?
    var written = 0
    for (life, things) in lives.enumerated() {
      for (index, thing) in things.enumerated() {
        var next = step(places, thing)
        if mayRepeat, life > 0, index == 0, thing == last { next.merge(places) { first, _ in first } }
        written += 1
        if next.isEmpty {
          let reached = places.keys.max() ?? 0
          if wanted[..<min(reached, wanted.count)].contains(where: { $0.text == thing }) {
            return .wrong("number \(written), \(thing), is defined twice or too late")
          }
          let missing = wanted.dropFirst(reached).first { !$0.isOptional }
          return .wrong("number \(written) is \(thing), but \(missing?.text ?? "nothing") had to come")
        }
        places = next
        last = thing
      }
    }
    let ends = places.filter { place in wanted[place.key...].allSatisfy(\.isOptional) }
    if let end = ends.max(by: { $0.key < $1.key }) { return .right(end.value) }
    let missing = wanted.dropFirst(places.keys.max() ?? 0).first { !$0.isOptional }
    return .wrong("it ends after \(written), but \(missing?.text ?? "more") reached the host")
  }

  private func step(_ places: [Int: [Int]], _ thing: String) -> [Int: [Int]] {
    var next: [Int: [Int]] = [:]
    for (place, path) in places {
      for index in place..<wanted.count {
        if wanted[index].text == thing { next[index + 1] = path + [index] }
        if !wanted[index].isOptional { break }
      }
    }
    return next
  }
}
