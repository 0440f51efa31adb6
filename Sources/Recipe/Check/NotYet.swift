/// What the grammar knows and this version cannot do: refused before anything runs, with its line.
package enum NotYet {
  /// Every phrase of the kind, in alphabetical order.
  package static let phrases: [String] = [
    "channel", "close", "on data", "open channel", "send", "wait for data",
  ]

  /// The phrase of a statement without meaning yet.
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
