/// A violation of what a killed run promises.
package struct Finding: Equatable, CustomStringConvertible {
  package enum Rule: String {
    /// The log is unreadable, or a host did something that no host may do.
    case log
    /// 1: no write that must not repeat reaches a device twice; each arrives once, or `unsure` is
    /// reported.
    case write
    /// 2: rows and lines are those of what reached the host, in order, none twice or truncated.
    case output
    /// 3: the run ends like the uninterrupted one.
    case ending
    /// 4: discovery continues where it was.
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
