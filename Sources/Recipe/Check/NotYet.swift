/// Phrases of the grammar that this version does not implement and refuses before a run.
package enum NotYet {
  /// All phrases, in alphabetical order.
  package static let phrases: [String] = [
    "channel", "close", "on data", "open channel", "send", "wait for data",
  ]

  /// The phrase of a statement that is not implemented.
  static func phrase(of kind: StatementKind) -> String? {
    switch kind {
    case .wait(.event(let event, _, _, _)): phrase(of: event).map { "wait for \($0)" }
    case .openChannel: "open channel"
    case .send: "send"
    case .close: "close"
    default: nil
    }
  }

  static func phrase(of event: EventSyntax) -> String? {
    switch event.kind {
    case .data: "data"
    default: nil
    }
  }
}
