import Exchange
import Vocabulary

/// Durations in everyday notation: `5 minutes`, `5min 30s`, `1 hour and 30 minutes`.
extension Parser {
  /// Parses a duration in several words as it was meant, and reports it.
  mutating func spelledDuration() -> TimeSpan? {
    // This runs for every value, so the cheapest test comes first.
    guard index + 1 < tokens.count else { return nil }
    switch (kind, tokens[index + 1].kind) {
    case (.number, .word), (.duration, .duration), (.duration, .number): break
    default: return nil
    }
    var place = index
    var literals: [String] = []
    var isOpen = false
    while place + 1 < tokens.count {
      var count = source.text(tokens[place].range)
      switch tokens[place].kind {
      case .duration:
        // Two adjacent durations are one with a space in it.
        guard !literals.isEmpty || isDurationPart(place + 1) else { return nil }
      case .number(_, isHex: false, isDecibel: false):
        guard case .word(let word) = tokens[place + 1].kind, let unit = Self.unit(word) else { return ended(literals, place) }
        if word.hasPrefix("week"), let weeks = Int(count), weeks < 10_000 { count = String(weeks * 7) }
        if unit.isEmpty {
          isOpen = true
          guard literals.isEmpty else { return nil }
        }
        count += unit
        place += 1
      default: return ended(literals, place)
      }
      literals.append(count)
      place += 1
      if isOpen { break }
      // Skip `and` between two parts.
      if place + 1 < tokens.count, tokens[place].kind == .word("and"), isDurationPart(place + 1) { place += 1 }
    }
    return ended(literals, place, isOpen: isOpen)
  }

  /// Takes and reports the unit in `-70 dBm`. Returns false if there is none.
  mutating func spacedDecibels() -> Bool {
    guard case .word(let unit) = kind, !token.startsLine, ["dbm", "db"].contains(unit.lowercased()), !mayBeDeclared(unit) else {
      return false
    }
    let gap = SourceRange(file: file, start: previous.range.end, end: here.end)
    report(
      Diagnostic(
        "T007", "a unit follows its number without a space", at: here, "as in `-70dBm`", fixes: [.replace(gap, with: "dBm")]))
    advance()
    return true
  }

  /// Whether a duration, or a number followed by a unit, begins at a token.
  private func isDurationPart(_ place: Int) -> Bool {
    guard place < tokens.count, !tokens[place].startsLine else { return false }
    switch tokens[place].kind {
    case .duration: return true
    case .number(_, isHex: false, isDecibel: false):
      guard place + 1 < tokens.count, case .word(let word) = tokens[place + 1].kind else { return false }
      return Self.unit(word) != nil
    default: return false
    }
  }

  private mutating func ended(_ literals: [String], _ end: Int, isOpen: Bool = false) -> TimeSpan? {
    guard end > index + 1, !literals.isEmpty else { return nil }
    let place = SourceRange(file: file, start: token.range.start, end: tokens[end - 1].range.end)
    let written = literals.joined()
    // A repeated unit, as in `5s 6s`, is not one duration.
    let sizes = literals.map { literal in literal.filter { !$0.isNumber && $0 != "." && $0 != "_" } }
    let isOne = Set(sizes).count == sizes.count
    let units = isOpen ? ["min", "ms"] : isOne ? [""] : []
    report(
      Diagnostic(
        "T025", "write a duration as one word", at: place,
        isOpen
          ? "`m` could mean minutes or milliseconds"
          : "no spaces around the unit, as in `5s`, `10min` or `1h30min`",
        fixes: units.map { .replace(place, with: written + $0) }))
    index = end
    return .seconds(1)
  }

  /// Reports `every day` and `wait a second`, where a unit has no number.
  mutating func unitAlone() -> TimeSpan? {
    guard case .word(let first) = kind else { return nil }
    let hasArticle = ["a", "an", "one", "each"].contains(first)
    let literals = ["second": "1s", "minute": "1min", "hour": "1h", "day": "1d", "week": "7d", "millisecond": "1ms"]
    guard case .word(let word) = hasArticle ? following.kind : kind, let literal = literals[word], !mayBeDeclared(word)
    else { return nil }
    let place = hasArticle ? token.range.to(following.range) : token.range
    report(
      Diagnostic(
        "T025", "a duration is a number with its unit", at: place, "as in `\(literal)`", fixes: [.replace(place, with: literal)]))
    advance()
    if hasArticle { advance() }
    return .seconds(1)
  }

  /// Parses `06:00`, a time of day without quotes, as it was meant, and reports it.
  mutating func clockTime() -> StringSyntax? {
    guard following.kind == .symbol(.colon), index + 2 < tokens.count, case .word(let before) = previous.kind,
      !["write", "send", "update", "answer"].contains(before)
    else { return nil }
    let minutes = tokens[index + 2]
    guard case .number = minutes.kind, token.range.end + 1 == minutes.range.start, source.text(minutes.range).utf8.count == 2
    else { return nil }
    let place = token.range.to(minutes.range)
    let time = source.text(place)
    report(
      Diagnostic(
        "T228", "write a time of day in quotes", at: place, "as in `every 1d at \"06:00\"`",
        fixes: [.replace(place, with: "\"\(time)\"")]))
    index += 3
    return StringSyntax(parts: [.text(time)], quote: .double, range: place)
  }

  /// The language's unit for a word after a number; empty if it is ambiguous.
  static func unit(_ word: String) -> String? {
    switch word.lowercased() {
    case "sec", "secs", "second", "seconds", "s": "s"
    case "minute", "minutes", "mins", "min": "min"
    case "hour", "hours", "hrs", "hr", "h": "h"
    case "day", "days", "d", "week", "weeks": "d"
    case "millis", "millisecond", "milliseconds", "msec", "msecs", "ms": "ms"
    case "us", "usec", "usecs", "microsecond", "microseconds": "us"
    case "m": ""
    default: nil
    }
  }
}
