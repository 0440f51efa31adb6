import Exchange

/// A line of progress: `connecting to Polar H10`, `discovering`, `connected`.
package struct ProgressReport: Equatable, Sendable {
  package enum Kind: String, Sendable {
    case scanning, connecting, connected, ready, disconnected, waiting
  }

  package var kind: Kind
  package var device: String?
  package var text: String

  package init(_ kind: Kind, device: String?, text: String) {
    self.kind = kind
    self.device = device
    self.text = text
  }
}
