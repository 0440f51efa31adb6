/// A breach of what a killed run promises.
package struct Finding: Equatable, CustomStringConvertible {
  package enum Rule: String {
    /// The log cannot be read, or a host did what no host may.
    case log
    /// 1: no write that must not repeat reaches a device twice; each does once, or `unsure` is
    /// told.
    case write
    /// 2: rows and lines are those of what reached the host, in order, none twice or half.
    case output
    /// 3: the end is the uninterrupted run's.
    case ending
    /// 4: discovery goes on where it was.
    case discovery
  }

  package var rule: Rule
  package var text: String

  package init(rule: Rule, text: String) {
    self.rule = rule
    self.text = text
  }

  package var description: String { "\(rule.rawValue): \(text)" }
}
